#include "sim/dram/run_impl.hpp"

namespace pimdse::sim::dram {

template Counters run<Family::ddr4>(Standard const&, Mapping const&, Stream const&, Options const&);
template std::vector<Watched> watch<Family::ddr4>(Standard const&, Mapping const&, Stream const&, Options const&,
                                                  std::uint64_t);

}  // namespace pimdse::sim::dram
