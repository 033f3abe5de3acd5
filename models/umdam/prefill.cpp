#include "models/umdam/prefill.hpp"

#include "sim/base/counting.hpp"

namespace pimdse::models::umdam {

void Prefill::layers() {
    bool const in_banks = s_.in_banks(Choice::prefill);
    if (!in_banks && s_.system.design.baseline == Baseline::relayout) s_.part(Part::relayout) = s_.relayout();
    for (auto const& m : s_.system.matrices) {
        if (m.head) continue;
        s_.part(Part::prefill_weights) +=
            in_banks ? s_.costs.gemv(m, s_.batch * s_.prompt, m.active) : s_.product(m, s_.batch * s_.prompt);
    }
    s_.part(Part::prefill_kv) = s_.costs.write(s_.prompt * s_.batch * s_.kv_bytes()).times(s_.layers);
    double const scores = static_cast<double>(s_.system.model->heads) * s_.prompt * (s_.prompt + 1) / 2;
    s_.part(Part::prefill_vector) = s_.vector_work(s_.prompt, scores);
    s_.part(Part::prefill_launch).seconds = s_.launches(1.0);
}

/// The cubes attend to all of a prompt at once; keys and values are there if the NPU has multiplied it, and come from
/// memory if the banks have. Banks attend token after token, as in decode.
void Prefill::attention() {
    auto& cost = s_.part(Part::prefill_attention);
    double const times = s_.layers * s_.batch;
    bool const multiplied_in_banks = s_.in_banks(Choice::prefill), in_banks = s_.in_banks(Choice::prompt_attention);
    if (in_banks) {
        Contexts const contexts{1, s_.system.design.input};
        cost = s_.costs.attention(contexts, sim::whole_part(s_.kv_bytes()), s_.queries_per_key(), times);
    } else {
        cost = s_.costs.causal_attention(s_.system.design.input).times(times);
        if (multiplied_in_banks) cost += s_.costs.read(s_.prompt * s_.kv_bytes()).times(times);
    }
    if (!multiplied_in_banks) return;
    s_.part(Part::prefill_weights).seconds += s_.costs.pim_ends();
    if (s_.takes_turns()) s_.switch_modes(Part::prefill_switch, times * (in_banks ? s_.prompt : 2.0));
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
