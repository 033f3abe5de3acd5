#pragma once

#include "dse/cli/run_request.hpp"
#include "dse/cli/run_summary.hpp"
#include "dse/space/space.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// Runs the request, as a single process or as a rank of an MPI job. Returns nothing on ranks other than 0 and after
/// --dry-run.
[[nodiscard]] std::optional<RunSummary> run(RunRequest const& request);

/// Prints to stderr what is valid in a space and its search but perhaps not intended: ranges that do not reach their
/// ends, a sweep whose budget covers only a corner, machines so small that random sampling may miss them.
void print_remarks(space::Space const& space);

/// The cores that this process may use, as JSON text for crowded_hosts().
[[nodiscard]] std::string usable_cores_text();

/// A warning for each host that has more ranks than cores. `hosts` and `cores` have an entry per rank.
[[nodiscard]] std::vector<std::string> crowded_hosts(std::vector<std::string> const& hosts,
                                                     std::vector<std::string> const& cores);

}  // namespace pimdse::dse::cli
