#pragma once

#include <string>
#include <vector>

namespace pimdse::dse::cli::run {

/// The cores that this process may use, as text for crowded_hosts.
[[nodiscard]] std::string usable_cores_text();

/// A sentence for each host that has more ranks than cores. `hosts` and `cores` have an entry per rank.
[[nodiscard]] std::vector<std::string> crowded_hosts(std::vector<std::string> const& hosts,
                                                     std::vector<std::string> const& cores);

}  // namespace pimdse::dse::cli::run
