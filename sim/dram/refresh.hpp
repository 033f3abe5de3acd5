#pragma once

#include "sim/dram/options.hpp"
#include "sim/dram/timing/command.hpp"
#include "sim/dram/timing/standard.hpp"

namespace pimdse::sim::dram {

/// Cycles in which every bank is refreshed once (without refresh: would be). Per bank, LPDDR5 refreshes a bank of every
/// rank at a time; HBM2 takes the banks of both pseudo channels in turn, one at a time.
[[nodiscard]] Tick refresh_round(Standard const& standard, RefreshMode mode);

/// How many refreshes come due together: one in every rank, but for single banks of pseudo channels, which take turns.
[[nodiscard]] int refreshed_at_once(Standard const& standard, RefreshMode mode);

}  // namespace pimdse::sim::dram
