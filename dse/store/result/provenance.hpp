#pragma once

#include "dse/store/hdf5/group.hpp"
#include "dse/store/result/plan.hpp"
#include "dse/store/result/timeline.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::store::result {

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

void write_provenance(hdf5::Group& root, Provenance const& provenance);
/// Throws StorageError.
[[nodiscard]] Provenance read_provenance(hdf5::Group const& root);

}  // namespace pimdse::dse::store::result
