#include "models/dplena/monotone.hpp"

namespace pimdse::models::dplena {

std::vector<MonotoneLow> monotone_lows(Inputs const&) {
    using enum Slope;
    return {{"matrix_depth", "latency", down},
            {"matrix_depth", "area", up},
            {"matrix_block", "area", up},
            {"weight_bits", "latency", up},
            {"weight_bits", "energy", up},
            {"weight_bits", "area", up},
            {"outstanding", "latency", down},
            {"outstanding", "area", up},
            {"prefetch", "area", up},
            {"buffers", "area", up},
            {"channels", "area", up},
            {"channels", "memory_area", up},
            {"input", "latency", up},
            {"input", "energy", up},
            {"input", "area", flat},
            {"generation_length", "latency", up},
            {"generation_length", "energy", up},
            {"generation_length", "area", flat},
            {"sram_limit", "latency", flat},
            {"sram_limit", "energy", flat},
            {"sram_limit", "area", flat}};
}

}  // namespace pimdse::models::dplena
