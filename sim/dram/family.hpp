#pragma once

#include "sim/dram/options.hpp"
#include "sim/dram/standard.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace pimdse::sim::dram {

/// Time in DRAM clock cycles since the start of the simulation; cycle 1 is the first.
using Tick = std::int64_t;
inline constexpr Tick never = std::numeric_limits<Tick>::max() / 4;

/// Commands with timing constraints. ACT2 and CAS of LPDDR5 have none.
enum class Command : std::uint8_t { activate, precharge, precharge_all, read, write, refresh_all, refresh_bank };
inline constexpr std::size_t command_count = 7;

enum class Access : std::uint8_t { read, write };

/// Level of the hierarchy at which a constraint applies. other_rank: between a rank and the other ranks of the channel.
enum class Level : std::uint8_t { channel, rank, other_rank, group, bank };
inline constexpr std::size_t level_count = 5;

/// Minimum distance in cycles between two commands: within a node of this level, `to` may be issued `delay` cycles
/// after `from` at the earliest.
struct Constraint {
    Level level;
    Command from;
    Command to;
    int delay;
};

/// Properties of a family, apart from the command rules in channel.cpp.
struct FamilyRow {
    Family family;
    std::string_view name;  ///< in timing sets
    char letter;            ///< identifies the family in the list of timing keys (models/dram)
    /// A rank is a pseudo channel: it has its own data pins, shares the row bus with the others, and takes turns with
    /// them in per-bank refresh.
    bool pseudo_channels;
    bool refreshes_banks;        ///< supports refresh of single banks
    double groups_needed_above;  ///< MT/s above which the standard requires bank groups; 0: not specified
    std::vector<Constraint> (*constraints)(Timing const&);
};

/// All families, in the order of Family.
[[nodiscard]] std::span<FamilyRow const> families();
[[nodiscard]] FamilyRow const& row_of(Family family);

/// The pairwise timing constraints of a timing set. The four-activate window (nFAW) is not pairwise; Timers handles it.
[[nodiscard]] std::vector<Constraint> constraints_of(Standard const& standard);

/// Number of independent data buses over all channels.
[[nodiscard]] int data_ports(Standard const& standard);

/// Cycles in which every bank is refreshed once (without refresh: as with all-bank refresh). Per-bank refresh takes one
/// bank of every rank at a time for LPDDR5, and the banks of both pseudo channels in turn for HBM2.
[[nodiscard]] Tick refresh_round(Standard const& standard, RefreshMode mode);

/// Number of refreshes that come due together: one per rank; one for per-bank refresh of pseudo channels.
[[nodiscard]] int refreshed_at_once(Standard const& standard, RefreshMode mode);

}  // namespace pimdse::sim::dram
