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
