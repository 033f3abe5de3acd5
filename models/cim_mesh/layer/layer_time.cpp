#include "models/cim_mesh/layer/layer_time.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {
namespace {

sim::Bounded sum(std::vector<LayerPart> const& parts) {
    sim::Bounded total;
    for (auto const& part : parts) total += part.cycles;
    return total;
}

}  // namespace

sim::Bounded LayerTime::prefill_total() const { return sum(prefill); }
sim::Bounded LayerTime::decode_total() const { return sum(decode); }

std::vector<LayerPart> pipelined(std::vector<LayerPart> const& last, Following const& before, double low, double high,
                                 sim::BoundKinds kinds) {
    sim::Bounded fill;
    for (auto const& part : last) fill += part.cycles;
    std::vector<LayerPart> parts{{"fill of the pipeline", fill}};
    double const total = before.total();
    auto const add = [&](char const* what, double cycles) {
        double const share = total > 0.0 ? cycles / total : 0.0;
        // What is sure of all of them together, each has its share of.
        parts.push_back({what, sim::Bounded{cycles, share * low, share * high, kinds}.on(kinds)});
    };
    add("vectors of the prompt", before.vectors);
    add("adapters", before.adapters);
    add("attention", before.attention);
    add("crossbars", before.crossbars);
    add("one token after the other", before.alone);
    return parts;
}

std::vector<LayerPart> pipelined(std::vector<LayerPart> const& last, Following const& before) {
    std::vector<LayerPart> parts = pipelined(last, before, before.total(), before.total(), sim::Bound::proved);
    for (auto& part : parts) {
        bool const is_fill = &part == &parts.front();
        if (!is_fill) part.cycles = part.cycles.value;
    }
    return parts;
}

std::vector<Sample> sampled_contexts(std::int64_t input, std::int64_t output, std::int64_t most) {
    std::vector<Sample> samples;
    std::int64_t const count = std::min(output, most);
    std::int64_t before = input;
    samples.push_back({input, 0.0});
    for (std::int64_t i = 1; i <= count; ++i) {
        std::int64_t const context = input + output * i / count;
        double const half = static_cast<double>(context - before) / static_cast<double>(2 * output);
        samples.back().weight += half;
        samples.push_back({context, half});
        before = context;
    }
    return samples;
}

std::int64_t prompt_tokens(Design const& d) {
    return d.model->attention == sim::Attention::bidirectional ? d.longest_context() : d.input;
}

double cached_queries(Design const& d) {
    auto const block = static_cast<double>(d.block_length);
    switch (d.step_cache) {
        case KeptKeys::none:
            return static_cast<double>(d.longest_context());
        case KeptKeys::prefix:
            return block * (d.blocks() + 1.0) / 2.0;
        case KeptKeys::dual:
            break;
    }
    return block;
}

double later_queries(Design const& d) {
    double const full = static_cast<double>(d.longest_context());
    if (d.later_passes() <= 0.0) return full;
    double const cached = d.blocks() * (static_cast<double>(d.steps) - 1.0);
    return ((d.blocks() - 1.0) * full + cached * cached_queries(d)) / d.later_passes();
}

sim::noc::RouterTiming router_timing(MachineConstants const& machine, Design const& design) {
    sim::noc::RouterTiming timing;
    timing.fifo_flits = static_cast<std::int32_t>(std::min<std::int64_t>(design.fifo_flits(), sim::noc::lanes::most));
    timing.adder = static_cast<std::int32_t>(machine.adder_service);
    return timing;
}

}  // namespace pimdse::models::cim_mesh
