#pragma once

#include "dse/cli/run_request.hpp"
#include "dse/cli/run_summary.hpp"
#include "dse/space/space.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// Runs it, alone or as a rank of an MPI job; nothing on ranks other than 0 and after --dry-run.
[[nodiscard]] std::optional<RunSummary> run(RunRequest const& request);

/// On stderr, what is no mistake in a space and its search and perhaps not meant: ranges that do not meet their ends, a
/// sweep whose budget ends in a corner, machines that are too small to be met by points drawn at random.
void print_remarks(space::Space const& space);

/// The cores that this process may use, as text for crowded_hosts.
[[nodiscard]] std::string usable_cores_text();

/// A sentence for each host that has more ranks than cores. `hosts` and `cores` have an entry per rank.
[[nodiscard]] std::vector<std::string> crowded_hosts(std::vector<std::string> const& hosts,
                                                     std::vector<std::string> const& cores);

}  // namespace pimdse::dse::cli
