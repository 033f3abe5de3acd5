#pragma once

#include "sim/dram/simulate.hpp"

namespace pimdse::sim::dram {

/// One run under the rules of a family; what simulate() dispatches to.
template <Family family>
[[nodiscard]] Counters run(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options);

extern template Counters run<Family::lpddr5>(Standard const&, Mapping const&, Stream const&, Options const&);
extern template Counters run<Family::ddr4>(Standard const&, Mapping const&, Stream const&, Options const&);
extern template Counters run<Family::hbm2>(Standard const&, Mapping const&, Stream const&, Options const&);

}  // namespace pimdse::sim::dram
