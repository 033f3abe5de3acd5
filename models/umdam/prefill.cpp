#include "models/umdam/prefill.hpp"

#include "sim/base/counting.hpp"

namespace pimdse::models::umdam {

void Prefill::layers() {
    if (s_.in_banks(Choice::prefill)) {
        in_banks();
    } else {
        if (s_.system.design.baseline == Baseline::relayout) s_.part(Part::relayout) = s_.relayout();
        on_npu();
    }
    s_.part(Part::prefill_kv) = s_.costs.write(s_.prompt * s_.batch * s_.kv_bytes()).times(s_.layers);
    double const scores = static_cast<double>(s_.system.model->heads) * s_.prompt * (s_.prompt + 1) / 2;
    s_.part(Part::prefill_vector) = s_.vector_work(s_.prompt, scores);
    s_.part(Part::prefill_launch).seconds = s_.launches(1.0);
}

void Prefill::head() {
    for (auto const& m : s_.system.matrices) {
        if (m.head) head(m);
    }
}

void Prefill::on_npu() {
    for (auto const& m : s_.system.matrices) {
        if (!m.head) s_.part(Part::prefill_weights) += s_.product(m, s_.batch * s_.prompt);
    }
    s_.part(Part::prefill_attention) = s_.costs.causal_attention(s_.system.design.input).times(s_.batch * s_.layers);
}

/// Token after token, as in decode; matrices meet all tokens before the next one is opened.
void Prefill::in_banks() {
    for (auto const& m : s_.system.matrices) {
        if (!m.head) s_.part(Part::prefill_weights) += s_.costs.gemv(m, s_.batch * s_.prompt, m.active);
    }
    Contexts const contexts{1, s_.system.design.input};
    s_.part(Part::prefill_attention) =
        s_.costs.attention(contexts, sim::whole_part(s_.kv_bytes()), s_.queries_per_key(), s_.layers * s_.batch);
    s_.part(Part::prefill_weights).seconds += s_.costs.pim_ends();
    if (s_.takes_turns()) s_.switch_modes(Part::prefill_switch, s_.layers * s_.batch * s_.prompt);
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
