#include "models/upmem/upmem.hpp"

#include "models/chips/group.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/llm/step_passes.hpp"
#include "models/upmem/costed_plan.hpp"
#include "models/upmem/listing_check.hpp"
#include "models/upmem/memory_map.hpp"
#include "models/upmem/metrics.hpp"
#include "models/upmem/parameters.hpp"
#include "models/upmem/pass_plan.hpp"
#include "models/upmem/plan.hpp"
#include "models/upmem/result.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/memo.hpp"
#include "sim/serving/step.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace pimdse::models::upmem {
namespace {

using sim::as_double;
using sim::serving::StepCost;
using sim::serving::StepWork;

using Pass = std::vector<NewPositions>;

/// The passes of a step: decoded tokens go with the first one, and as many positions of every prompt as a batch of
/// these prompts takes at once.
std::vector<Pass> passes_of(StepWork const& work, std::int64_t at_once) {
    std::vector<Pass> passes(1);
    for (auto const context : work.contexts) passes.front().push_back({context - 1, 1, 1});
    auto left = work.chunks;
    while (!left.empty()) {
        auto const others = std::ssize(passes.back());
        std::int64_t const queries = std::max<std::int64_t>(1, (at_once - others) / std::ssize(left));
        for (auto& chunk : left) {
            std::int64_t const now = std::min(queries, chunk.tokens);
            passes.back().push_back({chunk.cached, now, 1});
            chunk.tokens -= now;
            chunk.cached += now;
        }
        std::erase_if(left, [](sim::serving::PromptChunk const& chunk) { return chunk.tokens == 0; });
        if (!left.empty()) passes.emplace_back();
    }
    return passes;
}

/// Time and energy of launches, and a lower bound of the time at cycle level.
struct PlanCost {
    double seconds = 0.0, min_seconds = 0.0, joules = 0.0;

    PlanCost& operator+=(PlanCost const& more) {
        seconds += more.seconds;
        min_seconds += more.min_seconds;
        joules += more.joules;
        return *this;
    }
    [[nodiscard]] PlanCost times(double count) const { return {count * seconds, count * min_seconds, count * joules}; }
};

/// What the cost of the launches of attention depends on, besides the design; the work of the host comes on top.
struct AttentionKey {
    std::size_t kind = 0;
    std::int64_t rows = 0, queries = 0, added = 0;
    auto operator<=>(AttentionKey const&) const = default;
};
/// Positions in the matrices of all layers, or in the LM head.
struct PositionsKey {
    bool head = false;
    std::int64_t positions = 0;
    auto operator<=>(PositionsKey const&) const = default;
};

/// Costs of the steps of an engine. Thread-safe.
class Steps {
  public:
    Steps(Prepared const& p, Design const& d, Fidelity fidelity)
        : p_(p), d_(d), kinds_(alike_within(*d.model, longest_context(*d.model))), launches_{p_, d_, fidelity} {
        auto const time = host_time(p.machine, 1.0);
        Timeline t;
        t.host = t.total = time;
        operation_ = {time.si, time.si, sum_of(energy_rows_of(p_, d_, Plan{false}, t, {}))};
    }

    [[nodiscard]] PlanCost cost(StepWork const& work) const {
        auto const sequences = static_cast<std::int64_t>(work.contexts.size() + work.chunks.size());
        PlanCost all;
        for (auto const& pass : passes_of(work, p_.machine.allowance.call_positions)) all += of_pass(pass, sequences);
        if (work.heads > 0) all += of_positions({true, work.heads});
        return all;
    }
    [[nodiscard]] StepCost one(StepWork const& work) const {
        auto const all = cost(work);
        return {all.seconds, all.joules};
    }

  private:
    [[nodiscard]] static std::int64_t longest_context(LanguageModel const& model) {
        constexpr std::int64_t any = std::int64_t{1} << 40;
        return model.maximum_context > 0 ? model.maximum_context : any;
    }

    [[nodiscard]] PlanCost of_pass(Pass const& pass, std::int64_t sequences) const {
        std::int64_t positions = 0;
        for (auto const& each : pass) positions += each.queries;
        auto all = of_positions({false, positions});
        for (std::size_t k = 0; k < kinds_.size(); ++k) {
            auto const load = attention_load(kinds_[k], pass, sequences, d_.dpus);
            all += attention_.get(
                {k, load.rows, load.queries, load.added},
                [](AttentionKey const& key, Steps const& steps) { return steps.attention(key); }, *this);
            double const operations = load.softmax * p_.machine.softmax_operations + load.sums;
            all += operation_.times(as_double(kinds_[k].layers) * operations);
        }
        return all;
    }
    [[nodiscard]] PlanCost of_positions(PositionsKey const& positions) const {
        return positions_.get(
            positions, [](PositionsKey const& key, Steps const& steps) { return steps.products(key); }, *this);
    }

    [[nodiscard]] PlanCost attention(AttentionKey const& key) const {
        PassPlan plan(p_, d_);
        plan.add_attention(kinds_[key.kind], {key.rows, key.queries, key.added, 0.0, 0.0}, 1.0);
        return of_plan(std::move(plan).plan());
    }
    [[nodiscard]] PlanCost products(PositionsKey const& key) const {
        PassPlan plan(p_, d_);
        if (key.head) {
            plan.add_head(key.positions, 1.0);
        } else {
            for (auto const& kind : kinds_) plan.add_layers(kind, key.positions, 1.0, std::nullopt);
        }
        return of_plan(std::move(plan).plan());
    }
    [[nodiscard]] PlanCost of_plan(Plan const& plan) const {
        CostedPlan const costed(launches_, plan);
        auto const t = costed.timeline(&sim::Bounded::value);
        return {t.total.si, costed.timeline(&sim::Bounded::lower).total.si,
                sum_of(costed.energy(t, &sim::Bounded::value))};
    }

    Prepared const& p_;
    Design d_;
    std::vector<AlikeLayers> kinds_;
    PlanCost operation_;  // of one operation of the host
    sim::Memo<PositionsKey, PlanCost> positions_;
    sim::Memo<AttentionKey, PlanCost> attention_;
    LaunchCosts launches_;
};

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

Architecture architecture() {
    return answering(
        {.name = "upmem",
         .summary = "UPMEM DPUs: in-order pipelines next to DRAM banks, host transfers and stream pipelining",
         .results_version = 12,
         .fidelities = {Fidelity::analytic, Fidelity::cycle},
         .parameters = parameters,
         .metrics = metrics,
         .prepare = prepare_checked,
         .request = request,
         .trace = trace,
         .engine = engine,
         .weight_layouts = mram_layouts,
         .workload = {.implied = {{"scope", "end_to_end"}}, .only = {{"generation", "autoregressive"}}},
         .ledger = ledger,
         .proofs = proofs(),
         .one_of_many = {
             .models = [](Inputs const& inputs) -> ModelList const& { return inputs.as<Prepared>().models; },
             .first_model = 1,
             .host =
                 [](Inputs const& inputs) {
                     auto const& machine = inputs.as<Prepared>().machine;
                     return machine.host == Host::included ? machine.server.si : 0.0;
                 },
             .shares_hosts = false,
             .own_link = chips::joined_by<chips::link_kind("eth100")>,
             .resources = {"area", "memory_area", "silicon", "idle_power", "cost", "embodied_carbon"}}});
}

std::optional<Infeasible> broken_step_rule(Design const& d) {
    if (!d.is_request())
        return Infeasible{"traffic", "an engine serves requests of a language model: scope = end_to_end with an llm"};
    if (auto rule = models::broken_step_rule(d)) return rule;
    if (d.loading == Loading::once)
        return Infeasible{"traffic", "an engine serves once its executable is loaded: loading = none or each_launch"};
    return std::nullopt;
}

std::variant<ServiceEngine, Infeasible> engine(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& p = inputs.as<Prepared>();
    auto d = read_design(p, point);
    if (auto rule = broken_step_rule(d)) return *std::move(rule);
    d.kernel = p.products;
    d.batch = d.input = d.output = 1;
    if (auto verdict = check_design(p, d)) return *std::move(verdict);
    if (auto verdict = check_memory(p, d, whole_prompt(p, d))) return *std::move(verdict);
    auto const steps = std::make_shared<Steps const>(p, d, fidelity);
    ServiceEngine engine;
    engine.law.one = [steps](StepWork const& work) { return steps->one(work); };
    engine.min_seconds = [steps](StepWork const& work) { return steps->cost(work).min_seconds; };
    engine.stand_by(standby_of(p.machine, d), p.machine.server.si);
    set_sequences(engine, d, [&](LanguageModel const& alike) {
        auto const shape = attention_shape(alike);
        return as_double(alike.layers * shape.units * shape.cached) * p.kernels[d.kernel].mac_bytes;
    });
    engine.cache_bytes = as_double(positions_held(p, d)) * engine.position_bytes;
    return engine;
}

}  // namespace pimdse::models::upmem
