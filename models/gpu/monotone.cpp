#include "models/gpu/monotone.hpp"

namespace pimdse::models::gpu {

std::vector<MonotoneLow> monotone_lows(Inputs const&) {
    std::vector<MonotoneLow> lows;
    for (auto const* time : {"ttft", "itl", "latency"}) {
        lows.push_back({"batch", time, Slope::up});
        lows.push_back({"power_limit", time, Slope::flat});
    }
    return lows;
}

}  // namespace pimdse::models::gpu
