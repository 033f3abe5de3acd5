#pragma once

#include "sim/dram/simulate.hpp"

#include <vector>

namespace pimdse::sim::dram {

/// One run under the rules of a family; what simulate() dispatches to.
template <Family family>
[[nodiscard]] Counters run(Standard const& standard, Mapping const& mapping, Stream const& stream, Options const& options);

/// What watching the front ends of a run showed (one list each): progress at refresh deadlines, counters of its channels.
struct Watched {
    Tick now = 0;
    std::uint64_t request = 0;
    Counters counters;
};
template <Family family>
[[nodiscard]] std::vector<std::vector<Watched>> watch(Standard const& standard, Mapping const& mapping, Stream const& stream,
                                                      Options const& options, std::size_t laps);

extern template Counters run<Family::lpddr5>(Standard const&, Mapping const&, Stream const&, Options const&);
extern template Counters run<Family::ddr4>(Standard const&, Mapping const&, Stream const&, Options const&);
extern template Counters run<Family::hbm2>(Standard const&, Mapping const&, Stream const&, Options const&);

extern template std::vector<std::vector<Watched>> watch<Family::lpddr5>(Standard const&, Mapping const&, Stream const&, Options const&,
                                                                        std::size_t);
extern template std::vector<std::vector<Watched>> watch<Family::ddr4>(Standard const&, Mapping const&, Stream const&, Options const&,
                                                                      std::size_t);
extern template std::vector<std::vector<Watched>> watch<Family::hbm2>(Standard const&, Mapping const&, Stream const&, Options const&,
                                                                      std::size_t);
}  // namespace pimdse::sim::dram
