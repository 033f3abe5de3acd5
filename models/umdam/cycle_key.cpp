#include "models/umdam/cycle_key.hpp"

#include "models/umdam/make_system.hpp"
#include "models/umdam/parameters.hpp"

#include <array>
#include <string_view>

namespace pimdse::models::umdam {
namespace {

template <class... Values>
void add(CycleKeyMaker& key, Values const&... values) {
    (key.add(values), ...);
}

/// A feasible design with one value wherever the value makes no difference.
Design used(System const& d) {
    Design s = d.design;
    Design const usual;
    s.ignore_capacity = s.split_k = false;  // they only decide what is feasible
    s.coll_bits = 0;                        // the interleave says it
    if (s.baseline != Baseline::relayout) s.staging = usual.staging;
    if (s.diffuses()) {
        s.count_first = false;
        s.attention = usual.attention;
        if (s.lm_head == LmHead::pim) s.lm_head = LmHead::npu;
        if (s.steps == 1) s.step_cache = usual.step_cache, s.denoising = usual.denoising;
    } else {
        s.steps = s.block_length = 1;
        s.step_cache = usual.step_cache;
        s.denoising = usual.denoising;
    }
    if (d.uses_pim()) return s;
    if (s.lm_head == LmHead::pim) s.lm_head = LmHead::npu;
    s.attention = AttentionPlace::npu;
    s.denoising = Denoiser::npu;
    s.loop_order = usual.loop_order;
    s.activation = usual.activation;
    s.mac_command = usual.mac_command;
    return s;
}

void add_request(CycleKeyMaker& key, Design const& s) {
    add(key, s.llm, s.input, s.output, s.batch, s.generation, s.steps, s.block_length, s.step_cache, s.denoising,
        s.lm_head, s.attention, s.count_first);
}

void add_memory(CycleKeyMaker& key, System const& d, Design const& s) {
    add(key, s.dram, s.density, s.channels, s.ranks, s.groups, s.banks, s.row_bytes, s.queue_depth, s.engines,
        s.scheduler, s.refresh, d.interleave, s.row_pad, s.concurrency, s.baseline, s.staging,
        std::string_view(d.mapping->text()));
}

void add_compute(CycleKeyMaker& key, Design const& s) {
    add(key, s.npu_flops, s.npu_buffer, s.mac_interval, s.buffer_elements, s.double_buffer, s.loop_order, s.activation,
        s.mac_command);
}

}  // namespace

CycleKey cycle_key(Inputs const& inputs, Point point) {
    auto const made = make_system(inputs.as<Prepared>(), read_design(point));
    auto const* d = std::get_if<System>(&made);
    if (d == nullptr) return {};
    Design const s = used(*d);
    CycleKeyMaker key;
    add_request(key, s);
    add_memory(key, *d, s);
    add_compute(key, s);
    return key.key();
}

std::vector<MonotoneLow> monotone_lows() {
    std::vector<MonotoneLow> list;
    for (std::string_view const time : {"ttft", "ttlt", "latency", "time_per_token", "itl", "relayout_time"}) {
        list.push_back({"npu_flops", time, Slope::down});
        list.push_back({"pim_mac_interval", time, Slope::up});
        list.push_back({"queue_depth", time, Slope::flat});
    }
    list.push_back({"npu_flops", "tokens_per_second", Slope::up});
    list.push_back({"pim_mac_interval", "tokens_per_second", Slope::down});
    list.push_back({"queue_depth", "tokens_per_second", Slope::flat});
    list.push_back({"queue_depth", "energy", Slope::flat});
    for (std::string_view const more : {"channels", "ranks", "bank_groups", "banks", "queue_depth", "engines",
                                        "npu_flops", "npu_buffer", "global_buffer_elements"})
        list.push_back({more, "area", Slope::up});
    for (std::string_view const more : {"channels", "ranks", "density"})
        list.push_back({more, "memory_area", Slope::up});
    for (std::string_view const more : {"input", "output", "batch"}) list.push_back({more, "footprint", Slope::up});
    return list;
}

}  // namespace pimdse::models::umdam
