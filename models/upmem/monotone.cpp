#include "models/upmem/monotone.hpp"

#include <string_view>

namespace pimdse::models::upmem {

std::vector<MonotoneLow> monotone_lows(Inputs const&) {
    using enum Slope;
    std::vector<MonotoneLow> lows;
    for (std::string_view const metric : {"kernel_cycles", "kernel_time", "total_time", "latency"})
        lows.push_back({"mram_bandwidth", metric, down});
    for (std::string_view const metric : {"total_time", "latency", "energy"}) lows.push_back({"offload", metric, up});
    for (std::string_view const metric : {"kernel_cycles", "kernel_time"}) lows.push_back({"offload", metric, flat});
    for (std::string_view const metric : {"kernel_time", "total_time", "latency"}) {
        lows.push_back({"attained_share", metric, down});
        lows.push_back({"layer_overhead", metric, up});
    }
    lows.push_back({"attained_share", "kernel_cycles", flat});
    lows.push_back({"frequency", "kernel_cycles", up});
    lows.push_back({"mram_bandwidth", "area", up});
    lows.push_back({"dispatch_distance", "area", down});
    for (std::string_view const metric : {"area", "memory_area", "idle_power"}) lows.push_back({"ranks", metric, up});
    for (std::string_view const parameter : {"elements", "tasklets", "dpus", "streams", "dma_block", "offload"}) {
        lows.push_back({parameter, "area", flat});
        lows.push_back({parameter, "memory_area", flat});
    }
    return lows;
}

}  // namespace pimdse::models::upmem
