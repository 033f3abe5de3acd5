#pragma once

#include "sim/dram/simulate.hpp"

#include <vector>

namespace pimdse::sim::dram {

/// One run under the rules of a family; what simulate() dispatches to.
template <Family family>
[[nodiscard]] Counters run(Standard const& standard, Mapping const& mapping, Stream const& stream,
                           Options const& options);

/// How far a front end and its channels have come.
struct Progress {
    Tick now = 0;
    std::uint64_t request = 0;
    Counters counters;
};

/// What one front end showed while a stretch was sent: its progress at the first and the last refresh deadline after so
/// many requests of `warm_up` (where there are not two of them: at the start, or the first, and at the end), and how
/// long its channels went on after the last request was sent.
struct Watched {
    Progress from, to;
    bool whole_laps = false;  ///< from deadline to deadline
    Tick after_the_last = 0;
};
template <Family family>
[[nodiscard]] std::vector<Watched> watch(Standard const& standard, Mapping const& mapping, Stream const& stream,
                                         Options const& options, std::uint64_t warm_up);

extern template Counters run<Family::lpddr5>(Standard const&, Mapping const&, Stream const&, Options const&);
extern template Counters run<Family::ddr4>(Standard const&, Mapping const&, Stream const&, Options const&);
extern template Counters run<Family::hbm2>(Standard const&, Mapping const&, Stream const&, Options const&);

extern template std::vector<Watched> watch<Family::lpddr5>(Standard const&, Mapping const&, Stream const&,
                                                           Options const&, std::uint64_t);
extern template std::vector<Watched> watch<Family::ddr4>(Standard const&, Mapping const&, Stream const&, Options const&,
                                                         std::uint64_t);
extern template std::vector<Watched> watch<Family::hbm2>(Standard const&, Mapping const&, Stream const&, Options const&,
                                                         std::uint64_t);
}  // namespace pimdse::sim::dram
