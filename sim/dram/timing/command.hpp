#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

namespace pimdse::sim::dram {

/// DRAM clock cycles since the start of the simulation; tick 1 is the first.
using Tick = std::int64_t;
inline constexpr Tick never = std::numeric_limits<Tick>::max() / 4;

/// Commands that set or obey timing constraints. ACT2 and CAS of LPDDR5 do neither, so they are not here.
enum class Command : std::uint8_t { activate, precharge, precharge_all, read, write, refresh_all, refresh_bank };
inline constexpr std::size_t command_count = 7;

enum class Access : std::uint8_t { read, write };

}  // namespace pimdse::sim::dram
