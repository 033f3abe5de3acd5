#include "models/upmem/passes.hpp"

#include "models/llm/step_passes.hpp"
#include "models/text/part_sums.hpp"
#include "models/upmem/parameters.hpp"
#include "models/upmem/plan.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::models::upmem {
namespace {

using sim::as_double;

/// The passes of prompts, of which the first has the tokens, too.
std::vector<PassRun> runs_of(std::vector<NewPositions> tokens, std::vector<NewPositions> left, std::int64_t at_once) {
    std::vector<PassRun> runs;
    runs.push_back({std::move(tokens)});
    while (!left.empty()) {
        auto& run = runs.back();
        std::int64_t const others = run.positions();
        std::int64_t const queries = std::max<std::int64_t>(1, (at_once - others) / PassRun{left}.sequences());
        auto const shortest = std::ranges::min(left, {}, &NewPositions::queries).queries;
        if (others == 0) run.count = std::max<std::int64_t>(1, shortest / queries);
        run.apart = queries;
        for (auto& prompt : left) {
            std::int64_t const now = std::min(queries, prompt.queries);
            run.first.push_back({prompt.before, now, prompt.sequences});
            prompt.queries -= now * run.count;
            prompt.before += now * run.count;
        }
        std::erase_if(left, [](NewPositions const& prompt) { return prompt.queries == 0; });
        if (!left.empty()) runs.emplace_back();
    }
    return runs;
}

std::int64_t longest_context(LanguageModel const& model) {
    constexpr std::int64_t any = std::int64_t{1} << 40;
    return model.maximum_context > 0 ? model.maximum_context : any;
}

/// Positions of one sequence that the DPUs hold beside the weights: the largest number that check_memory accepts.
std::int64_t positions_held(Prepared const& p, Design d) {
    auto const fits = [&](std::int64_t positions) {
        d.input = positions;
        return !check_memory(p, d, held_plan(p, d, true));
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

DpuPasses::DpuPasses(Prepared const& p, Design const& d, Fidelity fidelity)
    : p_(p), d_(d), kinds_(alike_within(*d.model, longest_context(*d.model))), launches_{p_, d_, fidelity} {
    Timeline t;
    t.host = t.total = host_time(p.machine, 1.0);
    operation_.seconds = t.total.si;
    auto const joules = energy_rows_of(p_, d_, launches_.powers, {.pipelined = false, .continues = true}, t, {});
    operation_.joules = beyond_rest(p_, rest(), joules, t.total.si);
    operation_.amounts.resize(Amount::size);
    operation_.amounts[Amount::host] = t.host.si;
}

text::PartCost DpuPasses::of(std::vector<NewPositions> tokens, std::vector<NewPositions> prompts,
                             std::int64_t heads) const {
    auto const sequences = PassRun{tokens}.sequences() + PassRun{prompts}.sequences();
    text::PartCost all;
    auto const runs = runs_of(std::move(tokens), std::move(prompts), p_.machine.allowance.call_positions);
    for (auto const& run : runs) {
        auto const last = &run == &runs.back() ? 1 : 0;
        if (run.count > last) add(all, of_matrices({run.positions(), 0}), as_double(run.count - last));
        if (last > 0) add(all, of_matrices({run.positions(), heads}));
        add_attention(run, sequences, 1.0, all);
    }
    return all;
}

text::PartCost DpuPasses::mean_of(PassRun const& run, std::int64_t heads) const {
    auto mean = of_matrices({run.positions(), heads});
    add_attention(run, run.sequences(), 1.0 / as_double(run.count), mean);
    return mean;
}

void DpuPasses::add_attention(PassRun const& run, std::int64_t sequences, double times, text::PartCost& to) const {
    auto const groups = std::min(p_.machine.allowance.pass_groups, run.count);
    double operations = 0.0;
    for (std::int64_t g = 0; g < groups; ++g) {
        auto const skipped = g * run.count / groups, size = (g + 1) * run.count / groups - skipped;
        for (std::size_t k = 0; k < kinds_.size(); ++k) {
            auto const load = attention_load(kinds_[k], run, {skipped, size}, sequences, d_.dpus);
            auto const& launches = attention_.get(
                {k, load.rows, load.queries, load.added},
                [](AttentionKey const& key, DpuPasses const& of) { return of.attention(key); }, *this);
            add(to, launches, times * as_double(size));
            operations +=
                as_double(size * kinds_[k].layers) * (load.softmax * p_.machine.softmax_operations + load.sums);
        }
    }
    add(to, operation_, times * operations);
}

text::PartCost const& DpuPasses::of_matrices(MatrixKey const& positions) const {
    return matrices_.get(
        positions, [](MatrixKey const& key, DpuPasses const& of) { return of.matrices(key); }, *this);
}

text::PartCost DpuPasses::attention(AttentionKey const& key) const {
    PassPlan plan(p_, d_);
    plan.add_attention(kinds_[key.kind], {key.rows, key.queries, key.added, 0.0, 0.0});
    return of_plan(std::move(plan).plan());
}

text::PartCost DpuPasses::matrices(MatrixKey const& key) const {
    PassPlan plan(p_, d_);
    for (auto const& kind : kinds_) plan.add_products(kind, key.positions);
    if (key.heads > 0) plan.add_head(key.heads);
    return of_plan(std::move(plan).plan());
}

}  // namespace pimdse::models::upmem
