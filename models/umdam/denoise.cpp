#include "models/umdam/request.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>

/// Blocks of tokens in denoising steps: each block is a step over all positions and others over what the cache leaves.
namespace pimdse::models::umdam {

/// A step on the NPU; where all positions are computed, keys and values do not come from memory.
Request::StepCost Request::step(Step const& s) const {
    StepCost cost;
    for (auto const& m : d_.matrices) {
        if (m.head)
            cost.head += costs_.gemm(m, batch_ * block_, head_stream_);
        else
            cost.weights += product(m, batch_ * s.queries);
    }
    if (s.queries < s.context) cost.attention = costs_.read(s.context * kv_bytes()).times(layers_ * batch_);
    cost.attention += costs_.attention_on_npu(s.queries, {sim::whole_part(s.context), 1}).times(batch_ * layers_);
    cost.kv = costs_.write(s.queries * batch_ * kv_bytes()).times(layers_);
    cost.vector = vector_work(s.queries, static_cast<double>(d_.model->heads) * s.queries * s.context);
    cost.vector +=
        costs_.vector(batch_ * block_ * static_cast<double>(d_.model->vocabulary) * machine_.npu.softmax_operations);
    return cost;
}

void Request::add(StepCost const& cost, StepParts const& to, double times) {
    part(to.weights) += cost.weights.times(times);
    part(to.head) += cost.head.times(times);
    part(to.attention) += cost.attention.times(times);
    part(to.kv) += cost.kv.times(times);
    part(to.vector) += cost.vector.times(times);
}

void Request::first_of_blocks() {
    double const context = prompt_ + static_cast<double>(d_.design.output);
    add(step({context, context}), first_step, 1.0);
    part(Part::prefill_launch).seconds = launches(1.0);
}

void Request::steps_of_blocks() {
    double const context = prompt_ + static_cast<double>(d_.design.output);
    double const blocks = static_cast<double>(d_.design.output) / block_;
    double const later = static_cast<double>(d_.design.steps - 1);
    add(step({context, context}), steps_behind, blocks - 1.0);
    part(Part::decode_launch).seconds = launches(blocks - 1.0 + blocks * later);
    if (later == 0.0) return;
    if (d_.design.step_cache != StepCache::prefix) {
        later_steps({d_.design.step_cache == StepCache::none ? context : block_, context}, blocks * later);
    } else {
        steps_of_prefixes(later, context);
    }
    if (denoises_in_banks()) turns(blocks, blocks * later);
}

/// A step computes the block and all behind it; of very many blocks one stands for its neighbours.
void Request::steps_of_prefixes(double later, double context) {
    std::int64_t const blocks = d_.design.output / d_.design.block_length;
    auto const together = sim::divide_up(blocks, sim::whole_part(machine_.prefix_blocks));
    for (std::int64_t first = 0; first < blocks; first += together) {
        auto const behind = std::min(blocks, first + together);
        auto const left = blocks - (first + behind - 1) / 2;
        later_steps({static_cast<double>(left * d_.design.block_length), context},
                    later * static_cast<double>(behind - first));
    }
}

void Request::later_steps(Step const& s, double times) {
    auto cost = step(s);
    if (denoises_in_banks()) cost.weights = cost.head = {};
    add(cost, steps_behind, times);
    if (!denoises_in_banks()) return;
    for (auto const& m : d_.matrices) {
        double const vectors = batch_ * (m.head ? block_ : s.queries);
        part(m.head ? Part::decode_head : Part::decode_weights) += costs_.gemv(m, vectors, m.active * times);
        cost_.pim_weight_bytes += m.active * vectors * times * m.weights() * machine_.element_bytes;
    }
}

/// Banks and NPU take turns twice a layer of every step in the banks; a layout for either moves weights to and fro.
void Request::turns(double blocks, double steps) {
    part(Part::decode_weights).seconds += cost_.refreshed = costs_.pim_ends();
    switch_modes(Part::decode_switch, 2.0 * layers_ * steps);
    if (d_.design.baseline == Baseline::relayout) part(Part::decode_relayout) = relayout().times(2.0 * blocks - 1.0);
}

}  // namespace pimdse::models::umdam
