#pragma once

#include "dse/store/hdf5_file.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::store {

/// What a run of a search that plans ahead was to evaluate: positions [first, last) of `whole` planned points. A shard
/// has a part of them.
struct Plan {
    std::string search;  ///< searches with equal texts and equal `whole` plan the same points
    std::uint64_t first = 0, last = 0, whole = 0;
    bool operator==(Plan const&) const = default;
};

/// As /provenance/plans has them: a JSON text each.
[[nodiscard]] std::string text_of(Plan const& plan);
/// Texts that are no plans are left out.
[[nodiscard]] std::vector<Plan> plans_in(std::vector<std::string> const& texts);

/// Each search once or more, by its separate runs of positions in ascending order.
[[nodiscard]] std::vector<Plan> united(std::vector<Plan> plans);
/// Points that the searches of united plans planned in all.
[[nodiscard]] std::uint64_t planned_in(std::vector<Plan> const& united);
/// Those of them that no run had to evaluate.
[[nodiscard]] std::uint64_t missing_in(std::vector<Plan> const& united);

/// How far a run was at one moment: what /timing/progress has a row of.
struct Moment {
    double seconds = 0.0;       ///< since the run began
    std::uint64_t results = 0;  ///< remembered ones included
};

/// How a run went on. However long it takes, a thousand moments about equally far apart are kept: when there are too
/// many, every other one is forgotten and half as many are taken from then on. Any thread may ask.
class Timeline {
  public:
    static constexpr std::size_t max = 1024;

    void add(Moment moment);
    /// With the last one that was added.
    [[nodiscard]] std::vector<Moment> moments() const;

  private:
    mutable std::mutex mutex_;
    std::vector<Moment> kept_;
    Moment last_;
    double apart_ = 0.0;  ///< s: least time between two that are kept
};

/// Writes them into the group of /timing.
void write_progress(store::hdf5::Group& timing, std::vector<Moment> const& moments);

/// Who made a result file, where and when: all that /provenance holds.
struct Provenance {
    std::string run_id, version, git_revision;
    std::vector<std::string> argv;
    std::vector<std::string> hosts;
    int ranks = 1;
    int threads = 1;
    std::string start, stop;                                ///< ISO 8601
    std::vector<std::pair<std::string, std::string>> more;  ///< further attributes, by name
    /// The runs whose answers are in the file, too: parts that were merged, runs that were resumed. JSON, oldest first.
    std::vector<std::string> earlier;
    /// What the runs planned whose answers are in the file; empty where searches do not plan ahead.
    std::vector<Plan> plans;
    std::vector<std::string> joined;  ///< machines whose workers came by TCP
    std::vector<Moment> progress;     ///< written to /timing, and not read back

    /// One of `more`; "" if it is not there.
    [[nodiscard]] std::string_view more_of(std::string_view name) const;
    void set_more(std::string_view name, std::string_view text);
    /// True if the run says of itself that there is more to do; files that do not say count as complete.
    [[nodiscard]] bool unfinished() const;
};

/// What /provenance/state says.
inline constexpr std::string_view state_complete = "complete", state_stopped = "stopped", state_going_on = "going on",
                                  state_part = "part", state_shards_missing = "shards missing";

/// What a run that goes on from this one, or a merged file, has in `earlier`: all before it, then itself.
[[nodiscard]] std::vector<std::string> with_itself(Provenance const& provenance);

void write_provenance(store::hdf5::Group& root, Provenance const& provenance);
/// Throws StorageError.
[[nodiscard]] Provenance read_provenance(store::hdf5::Group const& root);

}  // namespace pimdse::dse::store
