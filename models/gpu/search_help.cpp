#include "models/gpu/search_help.hpp"

#include "models/gpu/parameters.hpp"
#include "models/gpu/prepared.hpp"

namespace pimdse::models::gpu {

CycleKey cycle_key(Inputs const& inputs, Point point) {
    auto const& prepared = inputs.as<Prepared>();
    auto const d = read_design(point, prepared.models);
    double const own = prepared.machine.boards[d.device].most_power.si;
    CycleKeyMaker key;
    key.add(d.device).add(std::string_view(d.model->name)).add(d.input).add(d.output).add(d.batch).add(d.precision);
    key.add(d.kv_cache).add(d.devices).add(d.power_limit == 0.0 ? own : d.power_limit).add(d.generation);
    if (d.devices > 1) key.add(d.link);
    if (d.generation == Generation::diffusion) key.add(d.steps).add(d.block_length).add(d.cache);
    return key.key();
}

std::vector<MonotoneLow> monotone_lows() {
    std::vector<MonotoneLow> lows;
    for (auto const* time : {"ttft", "itl", "latency"}) {
        lows.push_back({"batch", time, Slope::up});
        lows.push_back({"power_limit", time, Slope::flat});
    }
    return lows;
}

}  // namespace pimdse::models::gpu
