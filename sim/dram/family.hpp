#pragma once

#include "sim/dram/options.hpp"
#include "sim/dram/standard.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace pimdse::sim::dram {

/// DRAM clock cycles since the start of the simulation; tick 1 is the first.
using Tick = std::int64_t;
inline constexpr Tick never = std::numeric_limits<Tick>::max() / 4;

/// Commands that set or obey timing constraints. ACT2 and CAS of LPDDR5 do neither, so they are not here.
enum class Command : std::uint8_t { activate, precharge, precharge_all, read, write, refresh_all, refresh_bank };
inline constexpr std::size_t command_count = 7;

enum class Access : std::uint8_t { read, write };

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

/// Cycles in which every bank is refreshed once (without refresh: would be). Per bank, LPDDR5 refreshes a bank of every
/// rank at a time; HBM2 takes the banks of both pseudo channels in turn, one at a time.
[[nodiscard]] Tick refresh_round(Standard const& standard, RefreshMode mode);

/// How many refreshes come due together: one in every rank, but for single banks of pseudo channels, which take turns.
[[nodiscard]] int refreshed_at_once(Standard const& standard, RefreshMode mode);

}  // namespace pimdse::sim::dram
