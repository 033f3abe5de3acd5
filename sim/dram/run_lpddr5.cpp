#include "sim/dram/run_impl.hpp"

namespace pimdse::sim::dram {

template Counters run<Family::lpddr5>(Standard const&, Mapping const&, Stream const&, Options const&);
template std::vector<Watched> watch<Family::lpddr5>(Standard const&, Mapping const&, Stream const&, Options const&,
                                                    std::uint64_t);

}  // namespace pimdse::sim::dram
