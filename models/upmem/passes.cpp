#include "models/upmem/passes.hpp"

#include "models/llm/step_passes.hpp"
#include "models/upmem/parameters.hpp"
#include "models/upmem/plan.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::models::upmem {
namespace {

using sim::as_double;
using Pass = std::vector<NewPositions>;

std::int64_t sequences_of(Pass const& pass) {
    std::int64_t sequences = 0;
    for (auto const& each : pass) sequences += each.sequences;
    return sequences;
}

std::int64_t positions_of(Pass const& pass) {
    std::int64_t positions = 0;
    for (auto const& each : pass) positions += each.sequences * each.queries;
    return positions;
}

std::vector<Pass> passes_of(Pass const& tokens, Pass left, std::int64_t at_once) {
    std::vector<Pass> passes{tokens};
    while (!left.empty()) {
        auto const others = positions_of(passes.back());
        std::int64_t const queries = std::max<std::int64_t>(1, (at_once - others) / sequences_of(left));
        for (auto& prompt : left) {
            std::int64_t const now = std::min(queries, prompt.queries);
            passes.back().push_back({prompt.before, now, prompt.sequences});
            prompt.queries -= now;
            prompt.before += now;
        }
        std::erase_if(left, [](NewPositions const& prompt) { return prompt.queries == 0; });
        if (!left.empty()) passes.emplace_back();
    }
    return passes;
}

std::int64_t longest_context(LanguageModel const& model) {
    constexpr std::int64_t any = std::int64_t{1} << 40;
    return model.maximum_context > 0 ? model.maximum_context : any;
}

/// Positions of one sequence that the DPUs hold beside the weights: the largest number that check_memory accepts.
std::int64_t positions_held(Prepared const& p, Design d) {
    auto const fits = [&](std::int64_t positions) {
        d.input = positions;
        return !check_memory(p, d, whole_prompt(p, d));
    };
    constexpr std::int64_t most = std::int64_t{1} << 40;
    std::int64_t last = 1, above = 2;
    while (above < most && fits(above)) {
        last = above;
        above *= 2;
    }
    while (above - last > 1) {
        std::int64_t const middle = last + (above - last) / 2;
        (fits(middle) ? last : above) = middle;
    }
    return last;
}

}  // namespace

void set_cache(ServiceEngine& engine, Prepared const& p, Design const& d) {
    set_sequences(engine, d, [&](LanguageModel const& alike) {
        auto const shape = attention_shape(alike);
        return sim::as_double(alike.layers * shape.units * shape.cached) * p.kernels[d.kernel].mac_bytes;
    });
    engine.cache_bytes = sim::as_double(positions_held(p, d)) * engine.position_bytes;
}

DpuCost& DpuCost::operator+=(DpuCost const& more) {
    seconds += more.seconds;
    for (std::size_t row = 0; row < joules.size(); ++row) joules[row] += more.joules[row];
    return *this;
}

DpuCost DpuCost::times(double count) const {
    DpuCost all{seconds * count, joules};
    for (auto& row : all.joules) row *= count;
    return all;
}

DpuPasses::DpuPasses(Prepared const& p, Design const& d, Fidelity fidelity)
    : p_(p), d_(d), kinds_(alike_within(*d.model, longest_context(*d.model))), launches_{p_, d_, fidelity} {
    Timeline t;
    t.host = t.total = host_time(p.machine, 1.0);
    operation_ = {t.total.si, energy_rows_of(p_, d_, Plan{false}, t, {})};
}

DpuCost DpuPasses::of(Pass const& tokens, Pass prompts, std::int64_t heads) const {
    auto const sequences = sequences_of(tokens) + sequences_of(prompts);
    DpuCost all;
    for (auto const& pass : passes_of(tokens, std::move(prompts), p_.machine.allowance.call_positions))
        all += of_pass(pass, sequences);
    if (heads > 0) all += of_positions({true, heads});
    return all;
}

DpuCost DpuPasses::of(sim::serving::StepWork const& work) const {
    Pass tokens, prompts;
    for (auto const context : work.contexts) tokens.push_back({context - 1, 1, 1});
    for (auto const& chunk : work.chunks) prompts.push_back({chunk.cached, chunk.tokens, 1});
    return of(tokens, std::move(prompts), work.heads);
}

DpuCost DpuPasses::of_pass(Pass const& pass, std::int64_t sequences) const {
    auto all = of_positions({false, positions_of(pass)});
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
        auto const load = attention_load(kinds_[k], pass, sequences, d_.dpus);
        all += attention_.get(
            {k, load.rows, load.queries, load.added},
            [](AttentionKey const& key, DpuPasses const& of) { return of.attention(key); }, *this);
        double const operations = load.softmax * p_.machine.softmax_operations + load.sums;
        all += operation_.times(as_double(kinds_[k].layers) * operations);
    }
    return all;
}

DpuCost DpuPasses::of_positions(PositionsKey const& positions) const {
    return positions_.get(
        positions, [](PositionsKey const& key, DpuPasses const& of) { return of.products(key); }, *this);
}

DpuCost DpuPasses::attention(AttentionKey const& key) const {
    PassPlan plan(p_, d_);
    plan.add_attention(kinds_[key.kind], {key.rows, key.queries, key.added, 0.0, 0.0}, 1.0);
    return of_plan(std::move(plan).plan());
}

DpuCost DpuPasses::products(PositionsKey const& key) const {
    PassPlan plan(p_, d_);
    if (key.head) {
        plan.add_head(key.positions, 1.0);
    } else {
        for (auto const& kind : kinds_) plan.add_layers(kind, key.positions, 1.0, std::nullopt);
    }
    return of_plan(std::move(plan).plan());
}

DpuCost DpuPasses::of_plan(Plan const& plan) const {
    CostedPlan const costed(launches_, plan);
    auto const t = costed.timeline(&sim::Bounded::value);
    auto const seconds = [&](End end) { return costed.timeline(end).total.si; };
    return {sim::Bounded::within(t.total.si, seconds(&sim::Bounded::lower), seconds(&sim::Bounded::upper),
                                 costed.costs().kinds),
            costed.energy(t, &sim::Bounded::value)};
}

}  // namespace pimdse::models::upmem
