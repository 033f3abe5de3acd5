#include "models/umdam/decode.hpp"

#include "sim/base/counting.hpp"

#include <algorithm>

namespace pimdse::models::umdam {

using sim::Bounded;

void Decode::all_steps() {
    if (s_.steps < 1.0) return;
    bool const multiplies_in_banks = s_.in_banks(Choice::decode), attends_in_banks = s_.in_banks(Choice::attention);
    // at fidelity cycle the steps follow each other as they happen; otherwise equal steps are taken together
    double const together = s_.fidelity == Fidelity::cycle ? 1.0 : s_.steps;
    if (!attends_in_banks)
        s_.costs.foresee_reads({s_.system.design.input + 1, sim::whole_part(s_.steps)}, s_.kv_bytes());
    for (double done = 0.0; done < s_.steps; done += together) {
        for (auto const& m : s_.system.matrices)
            s_.part(m.head ? Part::decode_head : Part::decode_weights) += product(m, together);
        s_.part(Part::decode_attention) += attention(done, together);
    }
    if (multiplies_in_banks || attends_in_banks) {
        s_.cost.refreshed = s_.costs.pim_ends();
        s_.part(multiplies_in_banks ? Part::decode_weights : Part::decode_attention).seconds += s_.cost.refreshed;
    }
    if (multiplies_in_banks) {
        for (auto const& m : s_.system.matrices)
            s_.cost.pim_weight_bytes += m.active * s_.batch * s_.steps * m.weights() * s_.machine.element_bytes;
    }
    double const contexts = s_.steps * s_.prompt + s_.steps * (s_.steps + 1) / 2;  // sum of P + i over the steps
    s_.part(Part::decode_kv) = s_.costs.write(s_.kv_bytes()).times(s_.layers * s_.batch * s_.steps);
    share_memory();
    s_.part(Part::decode_vector) = s_.vector_work(s_.steps, static_cast<double>(s_.system.model->heads) * contexts);
    s_.part(Part::decode_launch).seconds = s_.launches(s_.steps);
    if (s_.system.design.baseline == Baseline::relayout && !multiplies_in_banks) read_moved_weights();
}

/// Weights that lie as the banks want them move before the NPU reads them: all of them once if a second copy of the
/// model stays, otherwise in every step, layer by layer.
void Decode::read_moved_weights() {
    bool const stays = s_.system.design.staging == Staging::model;
    if (stays && !s_.in_banks(Choice::prefill)) return;
    s_.part(Part::decode_relayout) = s_.relayout().times(stays ? 1.0 : s_.steps);
}

Cost Decode::product(Matrix const& m, double steps) {
    if (s_.in_banks(Choice::decode)) return s_.costs.gemv(m, s_.batch, m.active * steps);
    return s_.product(m, s_.batch, steps);
}

/// All layers of `count` steps behind `done` others.
Cost Decode::attention(double done, double count) {
    Contexts const contexts{s_.system.design.input + sim::whole_part(done) + 1, sim::whole_part(count)};
    if (s_.in_banks(Choice::attention))
        return s_.costs.attention(contexts, sim::whole_part(s_.kv_bytes()), s_.queries_per_key(), s_.layers * s_.batch);
    Cost cost = s_.costs.growing_reads(contexts, s_.kv_bytes(), s_.layers * s_.batch);
    cost += s_.costs.attention_on_npu(1.0, contexts).times(s_.batch * s_.layers);
    return cost;
}

/// Turns cost a mode switch each way; side by side, only what outlasts products in the banks is seen.
void Decode::share_memory() {
    bool const multiplies_in_banks = s_.in_banks(Choice::decode), attends_in_banks = s_.in_banks(Choice::attention);
    bool const exclusive = s_.takes_turns();
    if (!multiplies_in_banks) {  // the NPU waits for attention of all requests, once a layer
        if (attends_in_banks && exclusive) s_.switch_modes(Part::decode_switch, s_.layers * s_.steps);
        return;
    }
    if (exclusive) {
        s_.switch_modes(Part::decode_switch, s_.layers * s_.batch * s_.steps * (attends_in_banks ? 1.0 : 2.0));
        return;
    }
    Bounded pim = s_.part(Part::decode_weights).seconds + s_.part(Part::decode_head).seconds;
    if (attends_in_banks) pim += s_.part(Part::decode_attention).seconds;
    auto& beside = s_.part(attends_in_banks ? Part::decode_kv : Part::decode_attention).seconds;
    Bounded const traffic = attends_in_banks ? beside : beside + s_.part(Part::decode_kv).seconds;
    s_.part(Part::decode_kv).seconds = {};
    // The ends are those that add up, with PIM's, to the longer of both.
    beside = {std::max(0.0, traffic.value - pim.value), std::max(0.0, traffic.low - pim.low),
              std::max(0.0, traffic.high - pim.high), traffic.kinds.weaker(pim.kinds)};
}

Bounded attention_alone(Serving const& s) {
    Bounded alone = s.cost.at(Part::decode_attention).seconds + s.cost.at(Part::decode_switch).seconds;
    if (s.fidelity == Fidelity::cycle || !s.in_banks(Choice::attention)) return alone;
    // not more of them begin within a layer's attention than the estimate has on average, and one
    alone.high += s.layers * s.batch * s.steps * s.costs.longest_refresh();
    return alone;
}

}  // namespace pimdse::models::umdam
