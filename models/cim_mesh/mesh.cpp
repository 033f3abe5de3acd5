#include "models/cim_mesh/mesh.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/ledger.hpp"
#include "models/cim_mesh/metrics.hpp"
#include "models/cim_mesh/parameters.hpp"
#include "models/cim_mesh/step.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/memo.hpp"

#include <cmath>
#include <mutex>
#include <utility>

namespace pimdse::models::cim_mesh {
namespace {

using text::PartCost;

/// A pass of every sequence of a batch.
struct BatchPass {
    std::vector<PlacedKind::Pass> kinds;
    BatchPasses times;
    sim::Bounded round{};
    EnergyByRow joules{};             ///< of events
    double below = 0.0, above = 0.0;  ///< J in sum that they may take less and more at cycle level
};

Constants shipped() { return Constants::load(data_directory() / "models" / "cim_mesh" / "constants.toml"); }
double shipped_bits() {
    static double const bits = shipped().number("value_bits");
    return bits;
}

/// A point of the part. What batches ask are equal passes; what engines ask are steps, on a mesh for any requests.
class MeshPart : public text::PartLaw {
  public:
    MeshPart(Prepared const& prepared, Design design, Fidelity fidelity)
        : prepared_(prepared),
          machine_(prepared.machine),
          design_(std::move(design)),
          fidelity_(fidelity),
          on_mesh_(placed(prepared, design_, fidelity)) {
        for (std::size_t i = 0; !on_mesh_.broken && i < on_mesh_.kinds.size(); ++i)
            kinds_.push_back(std::make_unique<PlacedKind>(machine_, on_mesh_.kinds[i], on_mesh_.layouts[i], fidelity));
    }

    [[nodiscard]] PartCost pass(text::WholePass const& pass) const override {
        if (pass.is_step) return of_step(pass);
        bool const fills = pass.phase == text::Phase::prefill && !design_.diffuses();
        return cost_of(at(pass.sequences.front().shape), fills);
    }
    /// The first step of a diffusion request finds the layers empty, its later ones follow each other.
    [[nodiscard]] BesidePasses beside_passes(text::LlmRequest const& request) const override {
        BesidePasses beside;
        auto const& [d, p] = on_mesh_.kinds.front();
        auto& cost = beside.first;
        if (d.weight_load == CellProgramming::once) {
            cost.seconds = programming(machine_, d, p).time;
            for (auto const& kind : kinds_)
                add(cost.joules, programming_joules(machine_, kind->design(), kind->partition(), kind->each()));
        }
        if (!d.diffuses()) return beside;
        auto const& first = at(passes_of(request).first.front().shape);
        auto const alone = cost_of(first, true), round = cost_of(first, false);
        cost.seconds += {alone.seconds.value - round.seconds.value, alone.seconds.lower - round.seconds.lower,
                         alone.seconds.upper - round.seconds.upper, alone.seconds.kinds};
        add(cost.joules, alone.joules, 1.0);
        add(cost.joules, round.joules, -1.0);
        return beside;
    }
    [[nodiscard]] std::optional<Infeasible> broken_step_rule() const override {
        if (auto rule = cim_mesh::broken_step_rule(design_)) return rule;
        return steps().placed.broken;
    }
    [[nodiscard]] std::optional<sim::serving::StepCost> step(sim::serving::StepWork const& work,
                                                             bool least) const override {
        return steps().costs->cost(work, least ? &sim::Bounded::lower : &sim::Bounded::value);
    }
    [[nodiscard]] std::vector<Share> areas() const override { return area_rows_of(machine_, on_mesh_.kinds); }
    void add_rest(Standby& to) const override {
        for (auto const& kind : kinds_) kind->add_rest(to);
        if (kinds_.empty() && !broken_step_rule()) steps().costs->add_rest(to);
    }
    void set_engine(ServiceEngine& engine) const override {
        steps().costs->set_cache(engine);
        engine.bounds_requests = false;  // parts of a prompt compute fewer pairs than the whole
    }
    [[nodiscard]] std::optional<Infeasible> broken_rule(text::LlmRequest const& request) const override {
        if (!weight_bytes(request))
            return infeasible("weights", "the routers of a mesh compute with values of {:g} bit, not of {:g}",
                              machine_.value_bits, MachineConstants::bits_per_byte * request.weight_bytes);
        if (request.batch == design_.batch && request.input == design_.input && request.output == design_.output)
            return on_mesh_.broken;
        auto asked = design_;
        static_cast<ModelRequest&>(asked) = request;
        return first_broken(machine_, kinds_of(asked, machine_.value_bits));
    }
    /// Weights are as wide as values, in the format of that width or, as these may be uncertain and drawn, of the
    /// shipped one.
    [[nodiscard]] std::optional<double> weight_bytes(text::LlmRequest const& request) const override {
        double const bits = MachineConstants::bits_per_byte * request.weight_bytes;
        for (double const width : {machine_.value_bits, shipped_bits()})
            if (std::round(std::log2(bits / width)) == 0.0)
                return machine_.value_bits / MachineConstants::bits_per_byte;
        return std::nullopt;
    }
    void refine(RequestResult& common, text::Result const& request) const override {
        constexpr double of_sums = 0x1p-44;  // of the same numbers in another order
        for (auto const& kind : kinds_) {
            common.footprint += adapter_bytes(kind->design(), kind->partition());
            if (!kind->floor().open) continue;
            auto const idle = kind->idle();
            for (auto* const watts : {&common.idle_power, &common.waiting_power}) {
                auto const is = *watts;
                double const rounding = of_sums * is.value;
                *watts = {is.value, is.lower - (idle.value - idle.lower) - rounding,
                          is.upper + (idle.upper - idle.value) + rounding, sim::Bound::proved};
            }
        }
        auto const& prepared = *request.design.prepared;
        if (prepared.machine().units().size() > 1 || !prepared.machine().memories().empty()) return;
        auto power = common.peak_power;  // of this mesh alone, and of the host
        for (auto* const end : {&power.value, &power.lower, &power.upper}) *end -= prepared.host();
        common.package_power = power / static_cast<double>(on_mesh_.parts().all_layer_tiles);
    }
    [[nodiscard]] Metrics metrics(text::Result const& result, RequestResult const& common) const override {
        auto const passes = passes_of(result.design.request);
        auto const& first = at(passes.first.front().shape);
        ServedMesh mesh{prepared_, on_mesh_, kinds_, first.times, first.kinds, {}, result, common};
        if (!design_.diffuses()) {
            mesh.later = at(passes.round.front().shape).kinds;
            return own_metrics_of(mesh);
        }
        std::vector<PlacedKind::Pass> mean;
        for (auto const& kind : kinds_) mean.push_back(kind->served(later_pass(machine_, kind->design())));
        mesh.later = mean;
        return own_metrics_of(mesh);
    }

  private:
    struct ShapeKey {
        double queries, first, last, heads;
        auto operator<=>(ShapeKey const&) const = default;
    };
    [[nodiscard]] BatchPass const& at(PassShape const& shape) const {
        return passes_.get(
            ShapeKey{shape.queries, shape.contexts.first, shape.contexts.last, shape.heads},
            [](ShapeKey const&, MeshPart const* part, PassShape const& asked) { return part->computed(asked); }, this,
            shape);
    }
    [[nodiscard]] BatchPass computed(PassShape const& shape) const {
        BatchPass batch;
        CyclesOfKinds cycles;
        double const requests = design_.sequences();
        for (auto const& kind : kinds_) {
            auto const& served = batch.kinds.emplace_back(kind->served(pass_of(machine_, kind->design(), shape)));
            cycles.push_back(sum_of(served.parts));
            auto joules = joules_of(kind->each(), served.events());
            auto const head =
                joules_of(kind->each(), head_events(machine_, kind->design(), kind->partition(), kind->counts()));
            double const sum = models::sum_of(joules);
            double const rounding = kind->floor().open ? machine_.allowance.rounding_share : 0.0;
            double least = sum, most = sum;
            for (auto const& [events, route] : served.alternatives) {
                auto other = joules_of(kind->each(), events);
                least = std::min(least, models::sum_of(other) * (1.0 - rounding));
                other[energy_row("interconnect")] *= route;
                most = std::max(most, models::sum_of(other));
            }
            add(joules, head, shape.heads);
            add(batch.joules, joules, requests);
            batch.below += requests * (sum - least);
            batch.above += requests * (most - sum);
        }
        batch.times = batch_of(machine_, on_mesh_.kinds, cycles, shape.heads);
        batch.round = round_of(shape, batch.times);
        return batch;
    }
    /// A round, or the mean of rounds of tokens at several contexts: that of their mean times unless what is longest
    /// changes between the first and the last of them.
    [[nodiscard]] sim::Bounded round_of(PassShape const& shape, BatchPasses const& mean) const {
        std::int64_t const first = std::llround(shape.contexts.first), last = std::llround(shape.contexts.last);
        bool const varies = shape.decodes && shape.queries == 1.0 && last > first;
        if (!varies || mean.requests == 1.0 || (kinds_.size() == 1 && mean.head == 0.0)) return mean.round();
        auto const at = [&](std::int64_t context) {
            CyclesOfKinds cycles;
            for (auto const& kind : kinds_)
                cycles.push_back(sum_of(kind->parts(token_pass(machine_, kind->design(), context, context)).parts));
            return batch_of(machine_, on_mesh_.kinds, cycles, shape.heads);
        };
        if (at(first).limits() == at(last).limits()) return mean.round();
        auto const most = sim::whole_part(machine_.allowance.contexts);
        sim::Bounded all;
        if (double const count = static_cast<double>(last - first + 1); last - first < most)
            for (auto context = first; context <= last; ++context) all += at(context).round() * (1.0 / count);
        else
            for (auto const& [context, weight] : sampled_contexts(first - 1, last - first + 2, most))
                all += at(context).round() * weight;
        return all;
    }
    /// `fills`: the layers are empty before the first request, and adapters are written.
    [[nodiscard]] PartCost cost_of(BatchPass const& batch, bool fills) const {
        auto const& times = batch.times;
        PartCost cost{fills ? times.alone() : batch.round, batch.joules};
        sim::Bounded at_work;
        for (std::size_t i = 0; i < kinds_.size(); ++i) {
            auto const& power = kinds_[i]->power();
            at_work += times.requests * power.layer * times.kinds[i].layers * times.kinds[i].layer +
                       times.requests * power.head * times.head;
        }
        if (fills) {
            auto const swap = swap_of(machine_, on_mesh_.kinds);
            cost.seconds += swap.before(times);
            for (auto const& kind : kinds_)
                add(cost.joules, adapter_joules(machine_, kind->design(), kind->partition(), kind->each()),
                    1.0 / swap.batches);
        }
        cost.joules[energy_row("idle_units")] += at_work.value;
        cost.joules_below = batch.below + at_work.value - at_work.lower;
        cost.joules_above = batch.above + at_work.upper - at_work.value;
        // The power at rest of a placement that is not yet known.
        for (auto const& kind : kinds_) {
            if (!kind->floor().open) continue;
            auto const idle = kind->idle();
            cost.joules_below += (idle.value - idle.lower) * cost.seconds.upper;
            cost.joules_above += (idle.upper - idle.value) * cost.seconds.upper;
        }
        return cost;
    }

    struct Steps {
        PlacedDesign placed;
        std::optional<MeshSteps> costs;
    };
    /// Precondition: cim_mesh::broken_step_rule is nullopt.
    [[nodiscard]] Steps const& steps() const {
        std::call_once(asked_for_steps_, [&] {
            steps_.placed = placed_for_steps(prepared_, design_, fidelity_);
            if (!steps_.placed.broken) steps_.costs.emplace(machine_, steps_.placed, fidelity_);
        });
        return steps_;
    }
    /// Of a machine with another unit for the other phase. Engines ask for the sum of the joules alone, whatever the
    /// row.
    [[nodiscard]] PartCost of_step(text::WholePass const& pass) const {
        sim::serving::StepWork work;
        work.heads = std::llround(pass.positions.heads);
        for (auto const& [shape, count] : pass.sequences) {
            auto const context = std::llround(shape.contexts.first);
            if (shape.decodes)
                work.contexts.push_back(context);
            else
                work.chunks.push_back({std::llround(shape.queries), context - 1});
        }
        auto const at = [&](MeshSteps::End end) { return steps().costs->cost(work, end); };
        auto const value = at(&sim::Bounded::value);
        PartCost cost{{value.seconds,
                       at(&sim::Bounded::lower).seconds,
                       at(&sim::Bounded::upper).seconds,
                       {sim::Bound::proved, sim::Bound::calibrated}}};
        cost.joules[energy_row("idle_units")] = value.joules;
        return cost;
    }

    Prepared const& prepared_;
    MachineConstants const& machine_;
    Design design_;
    Fidelity fidelity_;
    PlacedDesign on_mesh_;
    std::vector<std::unique_ptr<PlacedKind>> kinds_;  ///< none if a rule is broken
    sim::Memo<ShapeKey, BatchPass> passes_;
    mutable std::once_flag asked_for_steps_;
    mutable Steps steps_;
};

}  // namespace

text::PartKind mesh() {
    text::PartKind kind;
    kind.name = "mesh";
    kind.results_version = 2;
    kind.keys = machine_keys();
    kind.constants = shipped;
    kind.constant_rules = constant_rules;
    kind.metrics = own_metrics();
    kind.prepare = [](Constants const& constants, Parameters const& keys,
                      Assumptions const&) -> std::shared_ptr<void const> {
        auto table = parameters();
        for (auto const& key : keys)
            table[static_cast<std::size_t>(find_parameter(table, key.name))].choices = key.choices;
        return std::shared_ptr<Prepared const>(new Prepared{MachineConstants{constants}, bind_choices(table), {}});
    };
    kind.at = [](void const* prepared, text::PartValues const& values, text::LlmRequest const& request,
                 Fidelity fidelity) -> std::shared_ptr<text::PartLaw const> {
        auto const& inputs = *static_cast<Prepared const*>(prepared);
        auto design = on_its_machine(inputs.machine, read_design(inputs.bindings, values, request));
        return std::make_shared<MeshPart const>(inputs, std::move(design), fidelity);
    };
    auto own = ledger();
    kind.energy = std::move(own.energy);
    kind.area = std::move(own.area);
    return kind;
}

}  // namespace pimdse::models::cim_mesh
