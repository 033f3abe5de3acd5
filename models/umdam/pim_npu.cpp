#include "models/umdam/pim_npu.hpp"

#include "models/contract/common_metrics.hpp"
#include "models/contract/toml_file.hpp"
#include "models/llm/step_passes.hpp"
#include "models/text/part_sums.hpp"
#include "models/text/result.hpp"
#include "models/umdam/classes.hpp"
#include "models/umdam/ledger.hpp"
#include "models/umdam/metrics.hpp"
#include "models/umdam/parameters.hpp"
#include "models/umdam/pass_law.hpp"
#include "models/umdam/spans.hpp"
#include "models/umdam/weight_layouts.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace pimdse::models::umdam {
namespace {

using sim::serving::StepWork;
using text::PartCost;

constexpr double bits_per_byte = 8;

/// A request of one token, or of one block.
ModelRequest smallest(ModelRequest request) {
    request.batch = request.input = request.output = 1;
    if (request.diffuses()) request.output = request.block_length;
    return request;
}

bool same_lengths(ModelRequest const& a, ModelRequest const& b) {
    return a.batch == b.batch && a.input == b.input && a.output == b.output;
}

/// Why the steps of a design are not modelled; nullopt if they are.
std::optional<Infeasible> step_rule(Design const& d) {
    auto const refused = [](char const* reason) { return Infeasible{"traffic", reason}; };
    if (d.diffuses()) return refused("steps of denoised blocks are not modelled: generation = autoregressive");
    if (auto rule = models::broken_step_rule(ModelRequest{.speculation = {d.speculation.draft}})) return rule;
    if (!d.count_first) return refused("the first token of a request is that of its prompt: count_first = true");
    if (d.weight_load == WeightLoad::once)
        return refused("weights are loaded before the first step and not in it: weight_load = none");
    if (d.moves_weights() && d.staging == Staging::model)
        return refused("what a step takes would depend on whether an earlier one moved the weights: staging = layer");
    if (d.ignore_capacity)
        return refused("the cache of an engine is what the weights leave of the memory: ignore_capacity = false");
    return std::nullopt;
}

/// The ends of an interval allow for the rounding of sums.
PartCost cost_of(Spending const& spent) {
    PartCost cost{rounded(spent.seconds)};
    for (std::size_t i = 0; i < spent.joules.size(); ++i) cost.joules[Spending::rows[i]] = spent.joules[i];
    double const slack = spent.joules_below + spent.joules_above > 0.0 ? rounding_of_sums * spent.all_joules() : 0.0;
    cost.joules_below = spent.joules_below + slack;
    cost.joules_above = spent.joules_above + slack;
    if (!cost.seconds.is_exact()) cost.seconds.kinds = {sim::Bound::proved, sim::Bound::calibrated};
    return cost;
}

/// A point of the part. What batches ask are the first pass of a request and the mean of its later ones, on the units
/// that are the fastest for all of these together; what engines ask are steps, each on the fastest units.
class PimNpu : public PimNpuLaw {
  public:
    PimNpu(Prepared const& prepared, text::PartValues const& values, text::LlmRequest const& request, Fidelity fidelity)
        : prepared_(prepared),
          request_(request),
          fidelity_(fidelity),
          design_(read_pim_npu(values, request, prepared.machine)) {
        auto made = made_of(design_, hardware_of);
        if (auto const* refused = std::get_if<Infeasible>(&made)) broken_ = *refused;
        if (auto* const system = std::get_if<System>(&made)) hardware_ = std::move(*system);
        if (!broken_) energy_.emplace(hardware_, prepared.machine);
    }

    [[nodiscard]] PartCost pass(text::WholePass const& pass) const override {
        if (pass.is_step) return of_step(pass);
        auto const& all = served();
        bool const is_of_draft = all.draft && !pass.request.speculation.has_model();
        auto const& of = is_of_draft ? *all.draft : all.own;
        if (!pass.is_later) return of.first;
        return of.later > 0.0 ? times(of.rest, 1.0 / of.later) : PartCost{};
    }
    /// Weights are loaded before the first token. Without the token of the prompt, a request has one step more than its
    /// passes.
    [[nodiscard]] BesidePasses beside_passes(text::LlmRequest const& request) const override {
        auto const& all = served();
        BesidePasses beside{all.own.load, {}};
        if (all.draft) add(beside.first, all.draft->load);
        if (hardware_.design.count_first || request.diffuses()) return beside;
        auto const asked = passes_of(request);
        for (auto const& passes : asked.round) {
            auto const& of = passes.of_draft ? *all.draft : all.own;
            if (of.later > 0.0) add(beside.rest, of.rest, 1.0 - passes.times * asked.rounds / of.later);
        }
        return beside;
    }
    [[nodiscard]] std::optional<Infeasible> broken_step_rule() const override { return step_rule(hardware_.design); }
    [[nodiscard]] std::optional<sim::serving::StepCost> step(StepWork const& work, bool least) const override {
        if (least) return sim::serving::StepCost{umdam::cost_of(steps().closed_form->of(work)).seconds.lower, 0.0};
        auto const cost = steps().law->of(work);
        return sim::serving::StepCost{cost.seconds.value, cost.all_joules()};
    }
    [[nodiscard]] std::vector<Share> areas() const override {
        return broken_ ? std::vector<Share>{} : area_of(hardware_, prepared_.machine);
    }
    [[nodiscard]] double memory_area() const override {
        return broken_ ? 0.0 : memory_area_of(hardware_, prepared_.machine).si;
    }
    void add_rest(Standby& to) const override {
        if (energy_) energy_->add_rest(to);
    }
    /// Keys and values have the width of the constants.
    void set_engine(ServiceEngine& engine) const override {
        auto const& system = std::get<System>(one_token());
        set_sequences(engine, request_,
                      [&](LanguageModel const& alike) { return text::position_bytes(alike, system.design); });
        engine.cache_bytes = std::max(0.0, system.room_for_caches());
        if (system.design.tier_capacity > 0) engine.tier = steps().law->tier();
    }
    void refine(RequestResult& common, text::Result const& request) const override {
        if (auto const* system = std::get_if<System>(&asked()))
            common.footprint += system->all_weights() + system->all_caches();
        request.add_package_power(common, *this, [&](std::vector<double> const& amounts) {
            PassAmounts const of(amounts);
            return energy_->package_power(of.package_joules, of.seconds);
        });
        auto const& d = hardware_.design;
        sim::Bounded const stored = bits_per_byte * d.weight_bytes;  // another unit may multiply fewer bits
        bool const is_alone = request.design.prepared->machine().whole_unit() != text::no_component;
        common.precision = is_alone ? stored : smaller(common.precision, stored);
        if (request.seconds_on(*this, request.rest) > 0.0) common.later_tokens = static_cast<double>(d.decode_steps());
    }
    bool explain(std::string const& phase, std::vector<double> const& amounts, Breakdown& to) const override {
        PassAmounts const of(amounts);
        for (std::size_t i = 0; i < part_count; ++i)
            if (of.parts[i] > 0.0) to.time.push_back({phase + "/" + std::string(part_names[i]), of.parts[i]});
        for (std::size_t i = 0; i < of.joules.size(); ++i) {
            auto const row = EnergyLaw::explained[i];
            bool const is_spared = row.find('/') != std::string_view::npos;
            if (of.joules[i] != 0.0)
                to.energy.push_back({std::string(row) + (is_spared ? "" : "/" + phase), of.joules[i]});
        }
        to.limits.push_back(limit_of(hardware_, prepared_.machine, phase, of));
        return true;
    }
    [[nodiscard]] std::optional<Infeasible> broken_rule(text::LlmRequest const& request) const override {
        if (broken_) return broken_;
        if (same_lengths(request, request_)) return refusal(asked());
        if (same_lengths(request, smallest(request_))) return refusal(one_token());
        return refusal(made_for(request));
    }
    void name_units(std::span<TraceEvent> bars) const override {
        auto const cost = run_request(prepared_, std::get<System>(asked()), fidelity_).front();
        std::string_view const first = request_.diffuses() ? "first step" : "prefill";
        for (auto& bar : bars) {
            auto const slash = bar.what.find('/');
            auto const at = std::ranges::find(part_names, std::string_view(bar.what).substr(slash + 1));
            auto const part = static_cast<Part>(at - part_names.begin());
            auto const& phase = std::string_view(bar.what).substr(0, slash) == first ? cost.first : cost.rest;
            bar.unit = part == Part::draft ? "npu and pim" : phase[part].commands.macs > 0.0 ? "pim" : "npu";
        }
    }
    [[nodiscard]] std::string products() const override {
        constexpr std::array<std::string_view, 3> stored{"fp16", "int8", "int4"};
        auto const& d = hardware_.design;
        return fmt::format("{} x {}", stored.at(static_cast<std::size_t>(d.weight_bits)),
                           d.multiplies_bytes() ? "int8" : "fp16");
    }
    [[nodiscard]] WeightLayouts weight_layouts() const override {
        return umdam::weight_layouts(std::get<System>(asked()));
    }
    [[nodiscard]] std::variant<Design, Infeasible> const& design() const override { return design_; }
    [[nodiscard]] std::variant<System, Infeasible> const& system() const override { return asked(); }
    [[nodiscard]] Metrics metrics(text::Result const& result, RequestResult const& common) const override {
        return own_metrics_of({std::get<System>(asked()), prepared_.machine, served().own.npu_bandwidth,
                               PassAmounts(result.amounts_on(*this, result.first)),
                               PassAmounts(result.amounts_on(*this, result.rest)), common});
    }

  private:
    /// The passes of a model in a request.
    struct OfModel {
        PartCost load, first, rest;  ///< rest: all `later` ones
        double later = 0.0;
        sim::Bounded npu_bandwidth;
    };
    struct Served {
        OfModel own;
        std::optional<OfModel> draft;
    };
    struct Steps {
        std::shared_ptr<PassLaw const> law, closed_form;  ///< of its fidelity, and analytic
    };
    using Made = std::variant<System, Infeasible>;

    static std::optional<Infeasible> refusal(Made const& made) {
        auto const* refused = std::get_if<Infeasible>(&made);
        return refused == nullptr ? std::nullopt : std::optional(*refused);
    }
    /// The system of a design that is asked for, as `make` makes it.
    [[nodiscard]] Made made_of(std::variant<Design, Infeasible> const& asked,
                               Made (*make)(Prepared const&, Design const&)) const {
        if (auto const* refused = std::get_if<Infeasible>(&asked)) return *refused;
        return make(prepared_, std::get<Design>(asked));
    }
    [[nodiscard]] Made made_for(ModelRequest const& request) const {
        auto asked = design_;
        if (auto* const design = std::get_if<Design>(&asked)) static_cast<ModelRequest&>(*design) = request;
        return made_of(asked, make_system);
    }
    /// The system of the request, and that of the smallest one.
    [[nodiscard]] Made const& asked() const { return made(made_asked_, asked_, request_); }
    [[nodiscard]] Made const& one_token() const { return made(made_one_token_, one_token_, smallest(request_)); }
    [[nodiscard]] Made const& made(std::once_flag& flag, Made& to, ModelRequest const& request) const {
        std::call_once(flag, [&] { to = made_for(request); });
        return to;
    }
    /// Precondition: no rule is broken.
    [[nodiscard]] Served const& served() const {
        std::call_once(made_served_, [&] {
            auto const& system = std::get<System>(asked());
            served_.own = of_model(system, false);
            if (system.draft != nullptr) served_.draft = of_model(*system.draft, true);
        });
        return served_;
    }
    [[nodiscard]] OfModel of_model(System const& system, bool proposes) const {
        auto const possible = run_request(prepared_, system, fidelity_);
        std::vector<PhaseCost> firsts, rests;
        for (auto const& cost : possible) {
            firsts.push_back(proposes ? PhaseCost::of(Part::draft, cost.first.passes()) : cost.first);
            firsts.back()[Part::load] = {};
            rests.push_back(proposes ? PhaseCost::of(Part::draft, cost.rest.passes()) : cost.rest);
        }
        OfModel all{cost_of({PhaseCost::of(Part::load, possible.front().first[Part::load])}), cost_of(firsts),
                    cost_of(rests), system.passes.passes, rounded(possible.front().npu_bandwidth)};
        if (!system.design.diffuses()) return all;
        auto const passes = passes_of(system.design);
        all.later = passes.rounds * static_cast<double>(passes.round.size());
        return all;
    }
    /// Any of these, of which the first one is the most likely.
    [[nodiscard]] PartCost cost_of(std::vector<PhaseCost> const& possible) const {
        Spending spent;
        PassAmounts amounts;
        for (auto const& phase : possible) {
            auto const all = phase.all();
            auto const one = energy_->spending_of(all);
            auto const of_one = amounts_of(phase, all, one, *energy_);
            if (&phase == &possible.front()) {
                spent = one;
                amounts = of_one;
                continue;
            }
            spent.include(one);
            widen(spent.seconds, one.seconds);
            amounts.include(of_one);
        }
        auto cost = umdam::cost_of(spent);
        cost.amounts = amounts.flat();
        return cost;
    }

    [[nodiscard]] Steps const& steps() const {
        std::call_once(made_steps_, [&] {
            auto system = std::get<System>(one_token());
            // a window may be exceeded by any request
            system.spans = spans_of(*system.model, std::numeric_limits<std::int64_t>::max());
            steps_.closed_form = pass_law(prepared_, system, Fidelity::analytic);
            bool const is_analytic = fidelity_ == Fidelity::analytic;
            steps_.law = is_analytic ? steps_.closed_form : pass_law(prepared_, system, fidelity_);
        });
        return steps_;
    }
    /// Of a machine with another unit for the other phase, or a power limit.
    [[nodiscard]] PartCost of_step(text::WholePass const& pass) const {
        StepWork work;
        work.heads = sim::whole_part(pass.positions.heads);
        for (auto const& [shape, count] : pass.sequences) {
            auto const first = static_cast<std::int64_t>(shape.contexts.first);
            if (shape.decodes)
                work.contexts.push_back(first);
            else
                work.chunks.push_back({sim::whole_part(shape.queries), first - 1});
        }
        return umdam::cost_of(steps().law->of(work));
    }

    Prepared const& prepared_;
    text::LlmRequest request_;
    Fidelity fidelity_;
    std::variant<Design, Infeasible> design_;
    std::optional<Infeasible> broken_;
    System hardware_;                  ///< without matrices, as all below unless a rule is broken
    std::optional<EnergyLaw> energy_;  ///< of it
    mutable std::once_flag made_asked_, made_one_token_, made_served_, made_steps_;
    mutable Made asked_, one_token_;
    mutable Served served_;
    mutable Steps steps_;
};

}  // namespace

text::PartKind pim_npu() {
    text::PartKind kind;
    kind.name = "pim_npu";
    kind.keys = pim_npu_keys();
    kind.denoises_any_model = true;
    kind.shows_layouts = true;
    kind.results_version = 4;
    kind.constants = [] { return Constants::load(data_directory() / "models" / "umdam" / "constants.toml"); };
    kind.constant_rules = constant_rules;
    kind.constants_without_slopes = constants_without_slopes;
    kind.metrics = own_metrics();
    kind.metric_notes = metric_notes();
    kind.key_rows = key_rows();
    kind.directions = directions();
    kind.classes = classes;
    kind.prepare = [](Constants const& constants, Parameters const& keys,
                      Assumptions const&) -> std::shared_ptr<void const> {
        return prepared_with(keys, MachineConstants::from(constants));
    };
    kind.at = [](void const* prepared, text::PartValues const& values, text::LlmRequest const& request,
                 Fidelity fidelity) -> std::shared_ptr<text::PartLaw const> {
        return std::make_shared<PimNpu const>(*static_cast<Prepared const*>(prepared), values, request, fidelity);
    };
    auto own = ledger();
    kind.energy = std::move(own.energy);
    kind.area = std::move(own.area);
    return kind;
}

}  // namespace pimdse::models::umdam
