#pragma once

#include "sim/dram/counts/counters.hpp"
#include "sim/dram/mapping/mapping.hpp"
#include "sim/dram/options.hpp"
#include "sim/dram/progress.hpp"
#include "sim/dram/stream.hpp"
#include "sim/dram/timing/standard.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::sim::dram {

/// Runs a stream to its last completion and counts. Pure, deterministic, thread-safe; identical for every value of
/// `fast_forward`. Throws InputError where mapping, stream and standard do not fit together.
[[nodiscard]] Counters simulate(Standard const& standard, Mapping const& mapping, Stream const& stream,
                                Options const& options = {});

/// What simulate() would say of the stream's first requests alone, for several lengths (ascending, at least one, the
/// last one the stream's) in one pass over it.
[[nodiscard]] std::vector<Ended> simulate_prefixes(Standard const& standard, Mapping const& mapping,
                                                   Stream const& stream, Options const& options,
                                                   std::span<std::uint64_t const> lengths);

/// What simulate() checks before it starts; throws its InputErrors.
void check_run(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options);

}  // namespace pimdse::sim::dram
