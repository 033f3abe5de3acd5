#pragma once

#include "dse/store/hdf5_file.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::store {

/// The points that a run of a search that plans ahead should evaluate: positions [first, last) of `whole` planned
/// points. A shard has a part of them.
struct Plan {
    std::string search;  ///< searches with equal texts and equal `whole` plan the same points
    std::uint64_t first = 0, last = 0, whole = 0;
    bool operator==(Plan const&) const = default;
};

/// The JSON text of a plan, as in /provenance/plans.
[[nodiscard]] std::string text_of(Plan const& plan);
/// Reads such texts; texts that are not plans are skipped.
[[nodiscard]] std::vector<Plan> plans_in(std::vector<std::string> const& texts);

/// Unites overlapping and adjacent plans of each search; sorted by search, then by position.
[[nodiscard]] std::vector<Plan> united(std::vector<Plan> plans);
/// Total number of points that the searches of united plans planned.
[[nodiscard]] std::uint64_t planned_in(std::vector<Plan> const& united);
/// Number of these points that are in no plan.
[[nodiscard]] std::uint64_t missing_in(std::vector<Plan> const& united);

/// The progress of a run at one moment: a row of /timing/progress.
struct Moment {
    double seconds = 0.0;       ///< since the run began
    std::uint64_t results = 0;  ///< including cached and restored ones
};

/// The progress of a run over time. However long the run takes, about a thousand moments at about equal distances are
/// kept: if there are too many, every other one is dropped and the distance is doubled from then on. Thread-safe.
class Timeline {
  public:
    static constexpr std::size_t max = 1024;

    void add(Moment moment);
    /// The kept moments and the last one that was added.
    [[nodiscard]] std::vector<Moment> moments() const;

  private:
    mutable std::mutex mutex_;
    std::vector<Moment> kept_;
    Moment last_;
    double apart_ = 0.0;  ///< shortest time between two kept moments [s]
};

/// Writes the moments into the group /timing.
void write_progress(hdf5::Group& timing, std::vector<Moment> const& moments);

/// Who made a result file, where and when: the contents of /provenance.
struct Provenance {
    std::string run_id, version, git_revision;
    std::vector<std::string> argv;
    std::vector<std::string> hosts;
    int ranks = 1;
    int threads = 1;
    std::string start, stop;                                ///< ISO 8601
    std::vector<std::pair<std::string, std::string>> more;  ///< further attributes, by name
    /// Other runs whose results are in the file: merged parts and resumed runs. A JSON text each, oldest first.
    std::vector<std::string> earlier;
    /// The plans of all runs whose results are in the file; empty if their searches do not plan ahead.
    std::vector<Plan> plans;
    std::vector<Moment> progress;  ///< written to /timing, but not read back

    /// The attribute of this name in `more`; "" if there is none.
    [[nodiscard]] std::string_view more_of(std::string_view name) const;
    void set_more(std::string_view name, std::string_view text);
    /// Whether the state of the run is one of an unfinished run. Files without a state count as complete.
    [[nodiscard]] bool unfinished() const;
};

/// The values of /provenance/state.
inline constexpr std::string_view state_complete = "complete", state_stopped = "stopped", state_going_on = "going on",
                                  state_part = "part", state_shards_missing = "shards missing";

/// The entries of `earlier` for a run that continues this one, or for a merged file: all earlier runs, then this one.
[[nodiscard]] std::vector<std::string> with_itself(Provenance const& provenance);

void write_provenance(hdf5::Group& root, Provenance const& provenance);
/// Throws StorageError.
[[nodiscard]] Provenance read_provenance(hdf5::Group const& root);

}  // namespace pimdse::dse::store
