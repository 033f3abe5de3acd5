#pragma once

#include "sim/dram/timing/command.hpp"
#include "sim/dram/timing/standard.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace pimdse::sim::dram {

/// The node of the hierarchy a constraint is kept at. other_rank: issued at one rank, felt by the others of the
/// channel.
enum class Level : std::uint8_t { channel, rank, other_rank, group, bank };
inline constexpr std::size_t level_count = 5;

/// "from -> to : delay": at that level's node, `to` may not issue before the tick of `from` plus `delay`.
struct Constraint {
    Level level;
    Command from;
    Command to;
    int delay;
};

/// The pairwise constraints of a timing set under the rules of each family. The four-activate rule (ACT -> ACT, fourth
/// last, per rank: nFAW) is not pairwise and stands apart.
[[nodiscard]] std::vector<Constraint> lpddr5_constraints(Timing const& timing);
[[nodiscard]] std::vector<Constraint> ddr4_constraints(Timing const& timing);
[[nodiscard]] std::vector<Constraint> hbm2_constraints(Timing const& timing);

}  // namespace pimdse::sim::dram
