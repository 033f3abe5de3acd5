#include "models/cim_mesh/monotone.hpp"

#include <string_view>

namespace pimdse::models::cim_mesh {
std::vector<MonotoneLow> monotone_lows(Inputs const& /*inputs*/) {
    using enum Slope;
    std::vector<MonotoneLow> lows;
    auto const all = [&](std::string_view parameter, Slope slope, auto... metrics) {
        (lows.push_back({parameter, metrics, slope}), ...);
    };
    for (auto const* faster : {"frequency", "dmacs"})
        all(faster, down, "ttft", "itl", "latency", "first_ttft", "ideal_ttft", "ideal_itl");
    for (auto const* more_room : {"fifo_bytes", "scratchpad", "context_tile"})
        all(more_room, down, "ttft", "itl", "latency", "first_ttft");
    for (auto const* more_work : {"batch", "lora_rank", "smac_cycles"})
        all(more_work, up, "ttft", "itl", "latency", "first_ttft");
    all("layer_overhead", up, "ttft", "itl", "latency", "first_ttft", "energy");
    all("attained_share", down, "ttft", "latency", "first_ttft");
    all("lora_rank", up, "energy");
    all("smac_cycles", up, "energy");
    all("batch", up, "energy");
    for (auto const* hardware : {"dmacs", "fifo_bytes", "scratchpad"}) all(hardware, up, "area", "idle_power");
    all("context_tile", down, "energy", "energy_per_token");
    for (auto const* faster : {"frequency", "dmacs", "fifo_bytes", "scratchpad", "context_tile"})
        all(faster, up, "tokens_per_second", "throughput_with_prompt");
    for (auto const* more_work : {"lora_rank", "smac_cycles"})
        all(more_work, down, "tokens_per_second", "throughput_with_prompt");
    for (auto const* free : {"frequency", "context_tile", "batch", "lora_rank"}) all(free, flat, "area");
    all("smac_cycles", down, "area");
    return lows;
}

}  // namespace pimdse::models::cim_mesh
