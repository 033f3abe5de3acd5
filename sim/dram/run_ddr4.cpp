#include "sim/dram/run_impl.hpp"

namespace pimdse::sim::dram {

template Counters run<Family::ddr4>(Standard const&, Mapping const&, Stream const&, Options const&);

}  // namespace pimdse::sim::dram
