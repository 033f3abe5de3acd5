#include "models/umdam/schedule.hpp"

#include "models/llm/workload.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pimdse::models::umdam {
namespace {

using sim::Bound;
using sim::Bounded;

Matrix const& value_matrix(System const& system) {
    auto const found = std::ranges::find_if(system.matrices, [&](Matrix const& m) {
        return !m.head && m.experts == nullptr && m.inputs == system.model->hidden &&
               m.outputs == system.model->kv_width();
    });
    sim::ensures(found != system.matrices.end(), "every layer has a matrix of values");
    return *found;
}

}  // namespace

DecodeSchedule::DecodeSchedule(Serving& serving) : s_(serving) {
    if (s_.system.design.concurrency != Concurrency::scheduled || !s_.in_banks(Choice::decode)) return;
    if (has_latent_attention(*s_.system.model)) return;
    value_matrix_ = &value_matrix(s_.system);
    attends_on_npu_ = !s_.in_banks(Choice::attention);
    step_.sets = s_.costs.set_shares(*value_matrix_, s_.batch);
    double const together = std::min(s_.batch, static_cast<double>(s_.system.design.pim_vectors));
    step_.longest = std::floor(static_cast<double>(s_.system.design.npu_buffer) / (together * s_.kv_bytes()));
    if (!attends_on_npu_) {
        step_.longest = std::numeric_limits<double>::infinity();
        step_.turn = another_turn();
    }
}

Bounded DecodeSchedule::another_turn() const {
    auto const one = s_.costs.write(s_.kv_bytes()).seconds, half = s_.costs.write(s_.kv_bytes() / 2.0).seconds;
    double const switches = 2.0 * s_.machine.pim.mode_switch * s_.system.standard.clock.si;
    auto const longer = [&](double halves, double whole) { return switches + std::max(0.0, 2.0 * halves - whole); };
    Bounded const turn{longer(half.value, one.value), longer(half.lower, one.upper), longer(half.upper, one.lower),
                       half.kinds.weaker(one.kinds.swapped())};
    return turn * Bounded(s_.layers * s_.batch);
}

void DecodeSchedule::product(Matrix const& m, Bounded const& seconds) {
    if (&m == value_matrix_) products_ = seconds;
}

HideableWork npu_work(Serving const& s, bool attends_on_npu, Contexts const& contexts, double layers) {
    double const count = static_cast<double>(contexts.count);
    double const positions = static_cast<double>(contexts.first) + (count - 1.0) / 2.0;
    HideableWork work;
    work.softmax =
        layers / s.layers * s.vector_work(0.0, static_cast<double>(s.system.model->heads) * positions).seconds.value;
    constexpr double of_scores = 0.5;  // the other half of the products are weighted sums of values
    if (attends_on_npu)
        work.scores = of_scores / count * layers * s.batch * s.costs.attention_on_npu(1.0, contexts).seconds.value;
    return work;
}

/// The sets of requests that the banks multiply together follow each other, each with the work of its requests.
double StepOverlap::saved(double products, double work, double another) const {
    double hidden = 0.0;
    for (auto const& set : sets) hidden += std::min(set.time * products, set.vectors * work);
    return std::max(0.0, hidden - another);
}

Bounded StepOverlap::saved_in(double share, double first, double mean, double last) const {
    return {saved(values.value * share, mean, turn.value * share),
            saved(values.upper * share, first, turn.upper * share),
            std::min(mean, saved(values.lower * share, last, turn.lower * share)), values.kinds};
}

void DecodeSchedule::add(RepeatedContexts const& keys, double layers, StepOverlap const& step) {
    auto const& contexts = keys.contexts;
    double const count = static_cast<double>(contexts.count) * keys.times, share = layers / s_.layers;
    auto const mean_of = [&](Contexts const& in) { return npu_work(s_, attends_on_npu_, in, layers); };
    auto const mean = mean_of(contexts);
    double const first = mean_of({contexts.first, 1}).seconds(),
                 last = mean_of({contexts.first + contexts.count - 1, 1}).seconds(), work = mean.seconds();
    hideable_.scores += count * mean.scores;
    hideable_.softmax += count * mean.softmax;
    saved_ += step.saved_in(share, first, work, last) * count;
    constexpr double any = std::numeric_limits<double>::max();
    unlimited_ += count * std::min(work, step.saved(any, last, step.turn.lower * share));
}

StepOverlap DecodeSchedule::of_step(double steps) const {
    if (value_matrix_ == nullptr) return {};
    auto const& m = *value_matrix_;
    double const adds = static_cast<double>(m.outputs * (m.locality.split - 1)) * s_.batch * s_.layers;
    double const on_npu = s_.costs.vector(adds).seconds.value, share = s_.layers / m.active / steps;
    auto const in_banks = [&](double seconds) { return std::max(0.0, seconds * share - on_npu); };
    auto step = step_;
    step.values = {in_banks(products_.value), in_banks(products_.lower), in_banks(products_.upper), products_.kinds};
    return step;
}

/// An NPU that attends hides the work of the contexts, from the first, that leave room in its buffer.
void DecodeSchedule::overlap(Contexts const& contexts) {
    if (value_matrix_ == nullptr) return;
    auto const step = of_step(static_cast<double>(contexts.count));
    for (auto const& span : s_.system.spans)
        for (auto const& [keys, times] : span.attended(contexts)) {
            double const room = step.longest - static_cast<double>(keys.first) + 1.0;
            auto const count = sim::whole_part(std::clamp(room, 0.0, static_cast<double>(keys.count)));
            for (auto const& set : counted_together({keys.first, count})) add({set, times}, span.layers(), step);
        }
}

void DecodeSchedule::apply(Bounded const& refreshed) {
    double const work = hideable_.seconds();
    if (work == 0.0) return;
    s_.cost.rest.unsure_behind = (products_.upper - products_.lower) * s_.layers / value_matrix_->active;
    // products that refreshes prolong by some time hide as much more at most
    double const most = std::min(saved_.upper + refreshed.lower, unlimited_);
    auto const hide = [&](Bounded& part, double of) {
        Bounded const left{part.value - of / work * saved_.value, part.lower - of / work * most,
                           part.upper - of / work * saved_.lower,
                           part.kinds.weaker({Bound::proved, Bound::calibrated})};
        part = left.is_exact() ? Bounded(left.value) : left;
    };
    hide(s_.cost.rest[Part::attention].seconds, hideable_.scores);
    hide(s_.cost.rest[Part::vector].seconds, hideable_.softmax);
}

}  // namespace pimdse::models::umdam
