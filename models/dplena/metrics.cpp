#include "models/dplena/design.hpp"

namespace pimdse::models::dplena {

MetricTable metrics() {
    using enum Sense;
    return {
        {"cycles_vector", "cycles", "cycles of vector instructions", minimize},
        {"cycles_scalar", "cycles", "cycles of scalar instructions, without the second half of S_MAP_V_FP, which its authors do not count",
         minimize},
        {"cycles_control", "cycles", "cycles of address, scale and stride settings", minimize},
        {"cycles_memory", "cycles", "cycles in which a prefetch is under way", minimize},
        {"cycles_total", "cycles",
         "cycles of the sampling; with overlap none the sum of the four and batch x steps x block_length copy cycles", minimize},
        {"latency", "s", "scope sampling: cycles_total at 1 GHz; end_to_end: the whole generation", minimize},
        {"hbm_bandwidth", "B/s", "bytes of all 64-byte lines read while sampling, over cycles_total", maximize},
        {"vector_sram", "B", "vector memory as the paper counts it: three vectors of block_length per sequence and the logits", minimize},
        {"fp_sram", "B", "memory of confidences", minimize},
        {"int_sram", "B", "memory of token ids", minimize},
        {"area", "m2", "vector datapath and scalar unit, without SRAM", minimize},
        {"sram_area", "m2", "macros of the three memories as allocated (vector areas are VLEN wide)", minimize, true},
        {"power", "W", "vector datapath while it runs (published)", minimize},
        {"energy", "J", "power x latency: the vector datapath alone", minimize},
        {"argmax_agreement", "1", "share of synthetic rows whose arg-max equals that of FP64", maximize, true},
        {"transfer_overlap", "1", "Jaccard index of the transferred positions of synthetic blocks against FP64", maximize, true},
        {"model_time", "s", "one cached model step (scope end_to_end)", minimize, true},
        {"sampling_share", "1", "sampling of one step over that and model_time (scope end_to_end)", minimize, true},
        {"end_to_end_share", "1", "sampling over the whole generation's latency (scope end_to_end)", minimize, true},
        {"tokens_per_second", "1", "generated tokens of all sequences per second (scope end_to_end)", maximize, true},
        {"hbm_energy", "J", "energy of the lines read while sampling, at a nominal energy per bit", minimize, true},
        {"sram_energy", "J", "energy of the vector memory's accesses while sampling, at a nominal energy per bit", minimize, true},
        {"energy_delay", "J*s", "energy x latency", minimize},
        {"vector_sram_allocated", "B", "vector memory with areas as wide as VLEN and a place for every buffer", minimize},
    };
}

}  // namespace pimdse::models::dplena
