#include "models/umdam/prefill.hpp"

#include "sim/base/counting.hpp"

namespace pimdse::models::umdam {

Prefill::Prefill(Serving& serving) : s_(serving) {
    auto const unit = s_.cost.units[Choice::prefill];
    on_npu_ = unit == PhaseUnit::npu ? s_.prompt : unit == PhaseUnit::both ? s_.whole_rows() : 0.0;
    in_banks_ = s_.prompt - on_npu_;
}

Part Prefill::weights_of_rest() const { return on_npu_ > 0.0 ? Part::prefill_rest_weights : Part::prefill_weights; }

void Prefill::layers() {
    if (on_npu_ > 0.0 && s_.system.design.baseline == Baseline::relayout) s_.part(Part::relayout) = s_.relayout();
    for (auto const& m : s_.system.matrices) {
        if (m.head) continue;
        if (on_npu_ > 0.0) s_.part(Part::prefill_weights) += s_.product(m, s_.batch * on_npu_);
        if (in_banks_ > 0.0) s_.part(weights_of_rest()) += s_.costs.gemv(m, s_.batch * in_banks_, m.active);
    }
    s_.part(Part::prefill_kv) = s_.costs.write(s_.prompt * s_.batch * s_.kv_bytes()).times(s_.layers);
    double const scores = static_cast<double>(s_.system.model->heads) * s_.prompt * (s_.prompt + 1) / 2;
    s_.part(Part::prefill_vector) = s_.vector_work(s_.prompt, scores);
    s_.part(Part::prefill_launch).seconds = s_.launches((on_npu_ > 0.0 ? 1.0 : 0.0) + (in_banks_ > 0.0 ? 1.0 : 0.0));
}

/// The cubes attend to all at once that they have multiplied, keys and values being there; or to whole blocks of it,
/// the banks to the rest.
void Prefill::attention() {
    if (in_banks_ == 0.0 && s_.in_banks(Choice::prompt_attention)) {
        attend_to_whole_blocks();
        return;
    }
    if (on_npu_ > 0.0)
        s_.part(Part::prefill_attention) =
            s_.costs.causal_attention(sim::whole_part(on_npu_)).times(s_.layers * s_.batch);
    if (in_banks_ > 0.0) attend_to_rest();
}

/// The NPU waits for the banks once a layer, as in decode.
void Prefill::attend_to_whole_blocks() {
    double const whole = s_.whole_blocks(), rest = s_.prompt - whole, times = s_.layers * s_.batch;
    if (whole > 0.0) s_.part(Part::prefill_attention) = s_.costs.causal_attention(sim::whole_part(whole)).times(times);
    auto& cost = s_.part(Part::prefill_rest_attention);
    cost = s_.costs.attention({sim::whole_part(whole) + 1, sim::whole_part(rest)}, sim::whole_part(s_.kv_bytes()),
                              s_.queries_per_key(), times);
    cost.seconds += s_.costs.pim_ends();
    if (s_.takes_turns()) s_.switch_modes(Part::prefill_switch, s_.layers);
}

/// To what the banks have multiplied the cubes attend at once, too, with keys and values from memory; banks token after
/// token, as in decode.
void Prefill::attend_to_rest() {
    auto& cost = s_.part(on_npu_ > 0.0 ? Part::prefill_rest_attention : Part::prefill_attention);
    double const times = s_.layers * s_.batch;
    bool const attends_in_banks = s_.in_banks(Choice::prompt_attention);
    if (attends_in_banks) {
        Contexts const contexts{sim::whole_part(on_npu_) + 1, sim::whole_part(in_banks_)};
        cost = s_.costs.attention(contexts, sim::whole_part(s_.kv_bytes()), s_.queries_per_key(), times);
    } else {
        cost = s_.costs.read(s_.prompt * s_.kv_bytes()).times(times);
        cost += (on_npu_ > 0.0 ? s_.costs.attention_on_npu(in_banks_, {s_.system.design.input, 1})
                               : s_.costs.causal_attention(s_.system.design.input))
                    .times(times);
    }
    s_.part(weights_of_rest()).seconds += s_.costs.pim_ends();
    if (s_.takes_turns()) s_.switch_modes(Part::prefill_switch, times * (attends_in_banks ? in_banks_ : 2.0));
}

void Prefill::head() {
    for (auto const& m : s_.system.matrices) {
        if (m.head) head(m);
    }
}

/// The LM head of the prefill sees the last position of each request only.
void Prefill::head(Matrix const& m) {
    auto& cost = s_.part(Part::prefill_head);
    if (!s_.in_banks(Choice::head)) {
        cost = s_.costs.gemm(m, s_.batch, s_.head_stream);
        // where the prefill has moved no weights, these are as the banks want them
        if (s_.system.design.baseline == Baseline::relayout && s_.in_banks(Choice::prefill))
            cost += s_.costs.copy(m.weights() * s_.machine.element_bytes);
        return;
    }
    cost = s_.costs.gemv(m, s_.batch, 1.0);
    cost.seconds += s_.costs.pim_ends();
    if (s_.takes_turns()) s_.switch_modes(Part::prefill_head, s_.batch);
}

}  // namespace pimdse::models::umdam
