#pragma once

#include "sim/dram/timing/constraints.hpp"
#include "sim/dram/timing/standard.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace pimdse::sim::dram {

/// What tells a family from the others, beside the command rules of its channels (channel.hpp).
struct FamilyRow {
    Family family;
    std::string_view name;  ///< as timing sets name it
    char letter;            ///< stands for it in the list of timing keys (models/dram)
    /// A rank is a pseudo channel: data pins of its own, a row bus shared with the others, single banks refreshed in
    /// turn.
    bool pseudo_channels;
    bool refreshes_banks;        ///< knows a refresh of single banks
    int commands_per_request;    ///< on the command bus that openings need, too
    int commands_per_opening;    ///< with what closes the row again
    double groups_needed_above;  ///< MT/s beyond which the standard wants bank groups; 0: it does not say
    std::vector<Constraint> (*constraints)(Timing const&);
};

/// One row per family, in the order of Family.
[[nodiscard]] std::span<FamilyRow const> families();
[[nodiscard]] FamilyRow const& row_of(Family family);

/// The pairwise constraints of a timing set.
[[nodiscard]] std::vector<Constraint> constraints_of(Standard const& standard);

/// Sets of data pins of all channels.
[[nodiscard]] int data_ports(Standard const& standard);

}  // namespace pimdse::sim::dram
