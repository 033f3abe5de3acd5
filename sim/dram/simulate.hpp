#pragma once

#include "sim/dram/counters.hpp"
#include "sim/dram/front_end.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/options.hpp"
#include "sim/dram/standard.hpp"
#include "sim/dram/stream.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::sim::dram {

/// Counters of a whole stream, simulated from an idle memory to the last completion. Pure, deterministic, thread-safe;
/// identical for every value of `fast_forward` (except `simulated`). Throws InputError if timing set, mapping, stream
/// and options do not fit together.
[[nodiscard]] Counters simulate(Standard const& standard, Mapping const& mapping, Stream const& stream,
                                Options const& options = {});

/// What simulate() would report for each prefix of the stream alone, computed in one pass. `lengths`: requests per
/// prefix, at least one prefix, ascending, the last one the length of the stream. Precondition: options.window == 0.
/// Errors as in simulate().
[[nodiscard]] std::vector<PrefixCost> simulate_prefixes(Standard const& standard, Mapping const& mapping,
                                                        Stream const& stream, Options const& options,
                                                        std::span<std::uint64_t const> lengths);

}  // namespace pimdse::sim::dram
