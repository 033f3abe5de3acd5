#include "models/upmem/dpu_part.hpp"

#include "models/contract/toml_file.hpp"
#include "models/llm/request_passes.hpp"
#include "models/upmem/ledger.hpp"
#include "models/upmem/parameters.hpp"
#include "models/upmem/passes.hpp"
#include "models/upmem/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
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
    DpuPart(Prepared const& p, Design const& d, Fidelity fidelity)
        : p_(p), d_(d), rest_(standby_of(p.machine, d)), passes_(p, d, fidelity) {
        if (d.speculation.has_model()) proposing_.emplace(p, of_draft(d), fidelity);
    }

    [[nodiscard]] text::PartCost pass(text::WholePass const& pass) const override {
        auto const& passes = pass.request.model == d_.model ? passes_ : *proposing_;
        auto const cost = mean(passes, pass);
        text::PartCost all{cost.seconds, cost.joules};
        rest_.each(cost.seconds, all_wait,
                   [&](EnergyPart part, sim::Bounded const& waiting) { all.joules[part.row] -= waiting.value; });
        return all;
    }
    [[nodiscard]] std::vector<Share> areas() const override { return area_shares(areas_of(p_.machine, d_)); }
    [[nodiscard]] double memory_area() const override { return areas_of(p_.machine, d_).memory.si; }
    void add_rest(Standby& to) const override {
        rest_.each(1.0, all_wait, [&](EnergyPart part, sim::Bounded const& watts) { to.add(part, watts.value); });
    }
    void set_engine(ServiceEngine& engine) const override {
        auto d = d_;
        d.batch = d.input = d.output = 1;
        set_cache(engine, p_, d);
    }
    [[nodiscard]] std::optional<Infeasible> broken_rule(text::LlmRequest const& request) const override {
        if (double const bytes = p_.kernels[d_.kernel].mac_bytes; request.weight_bytes != bytes)
            return infeasible("weights", "DPUs multiply values of {:g} B, not of {:g}", bytes, request.weight_bytes);
        if (request.diffuses())
            return infeasible("generation", "DPUs denoise no blocks (models of tokens, one after the other)");
        if (d_.loading == Loading::once)
            return infeasible("loading", "every pass begins anew: loading = none or each_launch");
        if (auto rule = check_design(p_, d_)) return rule;
        return check_memory(p_, d_, request_parts(p_, d_).front().plan);
    }

  private:
    static constexpr std::array all_wait{0.0};

    /// Of passes at each of several contexts, their mean, in groups as those of a batch of `upmem` (plan.cpp).
    [[nodiscard]] DpuCost mean(DpuPasses const& passes, text::WholePass const& pass) const {
        auto const heads = std::llround(pass.positions.heads);
        auto equal = pass.sequences.front();
        auto& contexts = equal.shape.contexts;
        auto const count = std::llround(contexts.last - contexts.first) + 1;
        if (pass.sequences.size() > 1 || !equal.shape.decodes || count == 1) {
            std::vector<NewPositions> tokens, prompts;
            for (auto const& each : pass.sequences)
                (each.shape.decodes ? tokens : prompts).push_back(positions_of(each));
            return passes.of(tokens, std::move(prompts), heads);
        }
        contexts.last = contexts.first;
        auto const begin = positions_of(equal);
        auto const groups = std::min<std::int64_t>(p_.machine.allowance.pass_groups, count);
        DpuCost sum;
        for (std::int64_t g = 0; g < groups; ++g) {
            auto const first = g * count / groups, last = (g + 1) * count / groups - 1;
            auto middle = begin;
            middle.before += (first + last) / 2;
            sum += passes.of({middle}, {}, heads).times(sim::as_double(last - first + 1) / sim::as_double(count));
        }
        return sum;
    }

    Prepared const& p_;
    Design d_;
    Standby rest_;
    DpuPasses passes_;
    std::optional<DpuPasses> proposing_;  ///< of the draft model, if there is one
};

}  // namespace

text::PartKind dpu_kind() {
    text::PartKind kind;
    kind.name = "dpu";
    kind.process = AreaProcess::dram;
    kind.keys = dpu_keys();
    kind.constants = [] { return Constants::load(data_directory() / "models" / "upmem" / "constants.toml"); };
    kind.constant_rules = constant_rules;
    kind.constants_without_slopes = constants_without_slopes;
    kind.prepare = [](Constants const& constants, Parameters const&) -> std::shared_ptr<void const> {
        return prepared_with(parameters(), MachineConstants{constants});
    };
    kind.at = [](void const* prepared, text::PartValues const& values, text::LlmRequest const& request,
                 Fidelity fidelity) -> std::shared_ptr<text::PartLaw const> {
        auto const& p = *static_cast<Prepared const*>(prepared);
        return std::make_shared<DpuPart const>(p, read_dpu(p, values, request), fidelity);
    };
    auto const own = ledger();
    auto const has_none = [](LedgerEntry const& entry) { return entry.account == Account::none; };
    std::ranges::remove_copy_if(own.energy, std::back_inserter(kind.energy), has_none);
    std::ranges::remove_copy_if(own.area, std::back_inserter(kind.area), has_none);
    return kind;
}

}  // namespace pimdse::models::upmem
