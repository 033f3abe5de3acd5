#include "models/umdam/monotone.hpp"

#include <string_view>

namespace pimdse::models::umdam {

std::vector<MonotoneLow> monotone_lows(Inputs const&) {
    std::vector<MonotoneLow> list;
    for (std::string_view const time : {"ttft", "ttlt", "latency", "time_per_token", "itl", "relayout_time"}) {
        list.push_back({"npu_flops", time, Slope::down});
        list.push_back({"pim_mac_interval", time, Slope::up});
        list.push_back({"queue_depth", time, Slope::flat});
    }
    list.push_back({"npu_flops", "tokens_per_second", Slope::up});
    list.push_back({"pim_mac_interval", "tokens_per_second", Slope::down});
    list.push_back({"queue_depth", "tokens_per_second", Slope::flat});
    for (std::string_view const more : {"channels", "ranks", "bank_groups", "banks", "queue_depth", "engines",
                                        "npu_flops", "npu_buffer", "global_buffer_elements", "pim_vectors"})
        list.push_back({more, "area", Slope::up});
    list.push_back({"pim_mac_interval", "area", Slope::down});
    for (std::string_view const more : {"channels", "ranks", "density"}) {
        list.push_back({more, "memory_area", Slope::up});
        list.push_back({more, "silicon", Slope::up});
    }
    for (std::string_view const more : {"input", "output", "batch"}) list.push_back({more, "footprint", Slope::up});
    return list;
}

}  // namespace pimdse::models::umdam
