#include "models/upmem/dpu_part.hpp"

#include "models/contract/toml_file.hpp"
#include "models/llm/request_passes.hpp"
#include "models/text/result.hpp"
#include "models/upmem/metrics.hpp"
#include "models/upmem/parameters.hpp"
#include "models/upmem/passes.hpp"
#include "models/upmem/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace pimdse::models::upmem {
namespace {

/// The positions that a pass computes of equal sequences; of means, the nearest whole ones.
NewPositions positions_of(text::PartSequences const& equal) {
    auto const& [queries, contexts, cached, heads, decodes] = equal.shape;
    double const before = std::midpoint(contexts.first, contexts.last) - std::midpoint(1.0, queries);
    return {std::max<std::int64_t>(0, std::llround(before)), std::llround(queries), std::llround(equal.count)};
}

/// A point of the part.
class DpuPart : public text::PartLaw {
  public:
    DpuPart(Prepared const& p, Design const& d, Fidelity fidelity) : p_(p), d_(d), passes_(p, d, fidelity) {
        if (d.speculation.has_model()) proposing_.emplace(p, of_draft(d), fidelity);
    }

    [[nodiscard]] text::PartCost pass(text::WholePass const& pass) const override {
        auto const& passes = pass.request.model == d_.model ? passes_ : *proposing_;
        auto const heads = std::llround(pass.positions.heads);
        auto const& shape = pass.sequences.front().shape;
        if (auto const others = std::llround(shape.contexts.last - shape.contexts.first - shape.queries) + 1;
            shape.decodes && others > 0 && pass.sequences.size() == 1) {
            auto first = positions_of(pass.sequences.front());
            first.before = std::llround(shape.contexts.first) - 1;
            return passes.mean_of({{first}, others + 1}, heads);
        }
        std::vector<NewPositions> tokens, prompts;
        tokens.reserve(pass.sequences.size());
        for (auto const& each : pass.sequences) (each.shape.decodes ? tokens : prompts).push_back(positions_of(each));
        if (prompts.empty()) return passes.mean_of({std::move(tokens)}, heads);
        return passes.of(std::move(tokens), std::move(prompts), heads);
    }
    [[nodiscard]] std::optional<sim::serving::StepCost> step(sim::serving::StepWork const& work,
                                                             bool least) const override {
        std::vector<NewPositions> tokens, prompts;
        tokens.reserve(work.contexts.size());
        for (auto const context : work.contexts) tokens.push_back({context - 1, 1, 1});
        for (auto const& chunk : work.chunks) prompts.push_back({chunk.cached, chunk.tokens, 1});
        auto const sums = prompts.empty() ? passes_.mean_of({std::move(tokens)}, work.heads)
                                          : passes_.of(std::move(tokens), std::move(prompts), work.heads);
        return sim::serving::StepCost{least ? sums.seconds.lower : sums.seconds.value, models::sum_of(sums.joules)};
    }
    [[nodiscard]] BesidePasses beside_passes(text::LlmRequest const&) const override { return {passes_.loading(), {}}; }
    [[nodiscard]] std::optional<Infeasible> broken_step_rule() const override {
        if (d_.loading == Loading::once)
            return Infeasible{"traffic",
                              "an engine serves once its executable is loaded: loading = none or each_launch"};
        return check_memory(p_, of_one(), held_plan(p_, of_one(), true));
    }
    [[nodiscard]] std::vector<Share> areas() const override { return area_shares(areas_of(p_.machine, d_)); }
    [[nodiscard]] double memory_area() const override { return areas_of(p_.machine, d_).memory.si; }
    void add_rest(Standby& to) const override {
        passes_.rest().each(1.0, std::array{0.0},
                            [&](EnergyPart part, sim::Bounded const& watts) { to.add(part, watts.value); });
    }
    /// Steps fill rounds of tasklets, so that parts of a prompt beside tokens may take less than alone.
    void set_engine(ServiceEngine& engine) const override {
        engine.bounds_requests = false;
        set_cache(engine, p_, of_one());
    }
    void refine(RequestResult& common, text::Result const& request) const override {
        common.footprint += footprint(p_, d_, plan(p_, d_));
        request.add_package_power(common, *this, [&](std::vector<double> const& amounts) {
            return package_power(p_, d_, RequestAmounts(amounts));
        });
    }
    [[nodiscard]] Metrics metrics(text::Result const& result, RequestResult const&) const override {
        return metrics_of(p_, d_, RequestAmounts(result.amounts_on(*this, result.all())));
    }
    bool explain(std::string const& phase, std::vector<double> const& amounts, Breakdown& to) const override {
        auto const of = RequestAmounts(amounts);
        auto const [t, cycles, joules, watts] = case_of(d_, of);
        append_times(to.time, phase, t);
        to.limits.push_back(
            limit_of(d_, phase, t, {cycles, of[Amount::issue_cycles], of[Amount::dma_cycles], of[Amount::mram_bytes]}));
        return true;
    }
    [[nodiscard]] std::optional<Infeasible> broken_rule(text::LlmRequest const& request) const override {
        if (double const bytes = p_.kernels[d_.kernel].mac_bytes; request.weight_bytes != bytes)
            return infeasible("weights", "DPUs multiply values of {:g} B, not of {:g}", bytes, request.weight_bytes);
        if (request.diffuses())
            return infeasible("generation", "DPUs denoise no blocks (models of tokens, one after the other)");
        auto d = d_;
        static_cast<ModelRequest&>(d) = request;
        if (auto rule = check_design(p_, d)) return rule;
        return check_memory(p_, d, plan(p_, d));
    }

  private:
    /// The same for a sequence of an engine.
    [[nodiscard]] Design of_one() const {
        auto d = d_;
        d.batch = d.input = d.output = 1;
        return d;
    }

    Prepared const& p_;
    Design d_;
    DpuPasses passes_;
    std::optional<DpuPasses> proposing_;  ///< of the draft model, if there is one
};

}  // namespace

text::PartKind dpu_kind() {
    text::PartKind kind;
    kind.name = "dpu";
    kind.process = AreaProcess::dram;
    kind.results_version = 4;
    kind.keys = dpu_keys();
    kind.constants = [] { return Constants::load(data_directory() / "models" / "upmem" / "constants.toml"); };
    kind.constant_rules = constant_rules;
    kind.constants_without_slopes = constants_without_slopes;
    kind.prepare = [](Constants const& constants, Parameters const&,
                      Assumptions const& assumptions) -> std::shared_ptr<void const> {
        return prepared_with(parameters(), constants, assumptions);
    };
    kind.metrics = own_metrics();
    kind.at = [](void const* prepared, text::PartValues const& values, text::LlmRequest const& request,
                 Fidelity fidelity) -> std::shared_ptr<text::PartLaw const> {
        auto const& p = *static_cast<Prepared const*>(prepared);
        return std::make_shared<DpuPart const>(p, read_dpu(p, values, request), fidelity);
    };
    auto own = ledger();
    kind.energy = std::move(own.energy);
    kind.area = std::move(own.area);
    return kind;
}

}  // namespace pimdse::models::upmem
