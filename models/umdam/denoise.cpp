#include "models/umdam/denoise.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::umdam {

double Denoise::context() const { return s_.prompt + static_cast<double>(s_.system.design.output); }

/// A step on the NPU; where all positions are computed, keys and values do not come from memory.
Denoise::StepCost Denoise::step(Step const& at) const {
    StepCost cost;
    for (auto const& m : s_.system.matrices) {
        if (m.head)
            cost.head += s_.costs.gemm(m, s_.batch * s_.block, s_.head_stream);
        else
            cost.weights += s_.product(m, s_.batch * at.queries);
    }
    if (at.queries < at.context) cost.attention = s_.costs.read(at.context * s_.kv_bytes()).times(s_.layers * s_.batch);
    cost.attention +=
        s_.costs.attention_on_npu(at.queries, {sim::whole_part(at.context), 1}).times(s_.batch * s_.layers);
    cost.kv = s_.costs.write(at.queries * s_.batch * s_.kv_bytes()).times(s_.layers);
    cost.vector = s_.vector_work(at.queries, static_cast<double>(s_.system.model->heads) * at.queries * at.context);
    cost.vector += s_.costs.vector(s_.batch * s_.block * static_cast<double>(s_.system.model->vocabulary) *
                                   s_.machine.npu.softmax_operations);
    return cost;
}

void Denoise::add(StepCost const& cost, StepParts const& to, double times) {
    s_.part(to.weights) += cost.weights.times(times);
    s_.part(to.head) += cost.head.times(times);
    s_.part(to.attention) += cost.attention.times(times);
    s_.part(to.kv) += cost.kv.times(times);
    s_.part(to.vector) += cost.vector.times(times);
}

void Denoise::first() {
    add(step({context(), context()}), first_step, 1.0);
    s_.part(Part::prefill_launch).seconds = s_.launches(1.0);
}

void Denoise::steps_behind() {
    double const blocks = static_cast<double>(s_.system.design.output) / s_.block;
    double const later = static_cast<double>(s_.system.design.steps - 1);
    add(step({context(), context()}), later_step, blocks - 1.0);
    s_.part(Part::decode_launch).seconds = s_.launches(blocks - 1.0 + blocks * later);
    if (later == 0.0) return;
    if (s_.system.design.step_cache != StepCache::prefix) {
        later_steps({s_.system.design.step_cache == StepCache::none ? context() : s_.block, context()}, blocks * later);
    } else {
        steps_of_prefixes(later);
    }
    if (in_banks()) turns(blocks, blocks * later);
}

/// A step computes the block and all behind it; of very many blocks one stands for its neighbours.
void Denoise::steps_of_prefixes(double later) {
    std::int64_t const blocks = s_.system.design.output / s_.system.design.block_length;
    auto const together = sim::divide_up(blocks, sim::whole_part(s_.machine.prefix_blocks));
    for (std::int64_t first = 0; first < blocks; first += together) {
        auto const behind = std::min(blocks, first + together);
        auto const left = blocks - (first + behind - 1) / 2;
        later_steps({static_cast<double>(left * s_.system.design.block_length), context()},
                    later * static_cast<double>(behind - first));
    }
}

void Denoise::later_steps(Step const& at, double times) {
    auto cost = step(at);
    if (in_banks()) cost.weights = cost.head = {};
    add(cost, later_step, times);
    if (!in_banks()) return;
    for (auto const& m : s_.system.matrices) {
        double const vectors = s_.batch * (m.head ? s_.block : at.queries);
        s_.part(m.head ? Part::decode_head : Part::decode_weights) += s_.costs.gemv(m, vectors, m.active * times);
        s_.cost.pim_weight_bytes += m.active * vectors * times * m.weights() * s_.machine.element_bytes;
    }
}

/// Banks and NPU take turns twice a layer of every step in the banks; a layout for either moves weights to and fro.
void Denoise::turns(double blocks, double steps) {
    s_.part(Part::decode_weights).seconds += s_.cost.refreshed = s_.costs.pim_ends();
    s_.switch_modes(Part::decode_switch, 2.0 * s_.layers * steps);
    if (s_.system.design.baseline == Baseline::relayout)
        s_.part(Part::decode_relayout) = s_.relayout().times(2.0 * blocks - 1.0);
}

}  // namespace pimdse::models::umdam
