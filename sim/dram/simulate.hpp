#pragma once

#include "sim/dram/counters.hpp"
#include "sim/dram/feeder.hpp"
#include "sim/dram/mapping.hpp"
#include "sim/dram/options.hpp"
#include "sim/dram/standard.hpp"
#include "sim/dram/stream.hpp"

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

/// A whole stream under the command rules of the standard's family.
[[nodiscard]] Counters run(Standard const& standard, Mapping const& mapping, Stream const& stream,
                           Options const& options);

/// What its first requests alone would take, for several lengths at once: ascending, the last one the whole stream.
[[nodiscard]] std::vector<Ended> run_prefixes(Standard const& standard, Mapping const& mapping, Stream const& stream,
                                              Options const& options, std::span<std::uint64_t const> lengths);

/// A whole run for a stretch of a stream: what each front end showed.
[[nodiscard]] std::vector<Watched> watch(Standard const& standard, Mapping const& mapping, Stream const& stretch,
                                         Options const& options, std::uint64_t warm_up);

}  // namespace pimdse::sim::dram
