#include "models/umdam/request.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>

/// Token after token: a step multiplies one vector of each request and attends to all positions before it.
namespace pimdse::models::umdam {

using sim::Bounded;

void Request::decode() {
    if (steps_ < 1.0) return;
    bool const multiplies_in_banks = in_banks(Choice::decode), attends_in_banks = in_banks(Choice::attention);
    // at fidelity cycle the steps follow each other as they happen; otherwise equal steps are taken together
    double const together = fidelity_ == Fidelity::cycle ? 1.0 : steps_;
    if (!attends_in_banks) costs_.foresee_reads({d_.design.input + 1, sim::whole_part(steps_)}, kv_bytes());
    for (double done = 0.0; done < steps_; done += together) {
        for (auto const& m : d_.matrices)
            part(m.head ? Part::decode_head : Part::decode_weights) += decode_product(m, together);
        part(Part::decode_attention) += decode_attention(done, together);
    }
    if (multiplies_in_banks || attends_in_banks) {
        cost_.refreshed = costs_.pim_ends();
        part(multiplies_in_banks ? Part::decode_weights : Part::decode_attention).seconds += cost_.refreshed;
    }
    if (multiplies_in_banks) {
        for (auto const& m : d_.matrices)
            cost_.pim_weight_bytes += m.active * batch_ * steps_ * m.weights() * machine_.element_bytes;
    }
    double const contexts = steps_ * prompt_ + steps_ * (steps_ + 1) / 2;  // sum of P + i over the steps
    part(Part::decode_kv) = costs_.write(kv_bytes()).times(layers_ * batch_ * steps_);
    share_memory();
    part(Part::decode_vector) = vector_work(steps_, static_cast<double>(d_.model->heads) * contexts);
    part(Part::decode_launch).seconds = launches(steps_);
    if (d_.design.baseline == Baseline::relayout && !multiplies_in_banks) read_moved_weights();
}

/// Weights that lie as the banks want them move before the NPU reads them: all of them once if a second copy of the
/// model stays, otherwise in every step, layer by layer.
void Request::read_moved_weights() {
    bool const stays = d_.design.staging == Staging::model;
    if (stays && !in_banks(Choice::prefill)) return;
    part(Part::decode_relayout) = relayout().times(stays ? 1.0 : steps_);
}

Cost Request::decode_product(Matrix const& m, double steps) {
    if (in_banks(Choice::decode)) return costs_.gemv(m, batch_, m.active * steps);
    return product(m, batch_, steps);
}

/// All layers of `count` steps behind `done` others.
Cost Request::decode_attention(double done, double count) {
    Contexts const contexts{d_.design.input + sim::whole_part(done) + 1, sim::whole_part(count)};
    if (in_banks(Choice::attention))
        return costs_.attention(contexts, sim::whole_part(kv_bytes()), queries_per_key(), layers_ * batch_);
    Cost cost = costs_.growing_reads(contexts, kv_bytes(), layers_ * batch_);
    cost += costs_.attention_on_npu(1.0, contexts).times(batch_ * layers_);
    return cost;
}

Bounded Request::attention_alone() const {
    Bounded alone = cost_.at(Part::decode_attention).seconds + cost_.at(Part::decode_switch).seconds;
    if (fidelity_ == Fidelity::cycle || !in_banks(Choice::attention)) return alone;
    // not more of them begin within a layer's attention than the estimate has on average, and one
    alone.high += layers_ * batch_ * steps_ * costs_.longest_refresh();
    return alone;
}

/// Turns cost a mode switch each way; side by side, only what outlasts products in the banks is seen.
void Request::share_memory() {
    bool const multiplies_in_banks = in_banks(Choice::decode), attends_in_banks = in_banks(Choice::attention);
    bool const exclusive = d_.design.concurrency == Concurrency::exclusive;
    if (!multiplies_in_banks) {  // the NPU waits for attention of all requests, once a layer
        if (attends_in_banks && exclusive) switch_modes(Part::decode_switch, layers_ * steps_);
        return;
    }
    if (exclusive) {
        switch_modes(Part::decode_switch, layers_ * batch_ * steps_ * (attends_in_banks ? 1.0 : 2.0));
        return;
    }
    Bounded pim = part(Part::decode_weights).seconds + part(Part::decode_head).seconds;
    if (attends_in_banks) pim += part(Part::decode_attention).seconds;
    auto& beside = part(attends_in_banks ? Part::decode_kv : Part::decode_attention).seconds;
    Bounded const traffic = attends_in_banks ? beside : beside + part(Part::decode_kv).seconds;
    part(Part::decode_kv).seconds = {};
    // The ends are those that add up, with PIM's, to the longer of both.
    beside = {std::max(0.0, traffic.value - pim.value), std::max(0.0, traffic.low - pim.low),
              std::max(0.0, traffic.high - pim.high), traffic.kinds.weaker(pim.kinds)};
}

}  // namespace pimdse::models::umdam
