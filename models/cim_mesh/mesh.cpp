#include "models/cim_mesh/mesh.hpp"

#include "models/cim_mesh/ledger.hpp"
#include "models/cim_mesh/parameters.hpp"
#include "models/cim_mesh/result.hpp"
#include "models/cim_mesh/step.hpp"
#include "models/contract/toml_file.hpp"

#include <cmath>
#include <utility>

namespace pimdse::models::cim_mesh {
namespace {

using text::PartCost;

/// A point of the part. Its passes are steps of an engine, those of a batch, too.
class MeshPart : public text::PartLaw {
  public:
    MeshPart(Prepared const& prepared, Design design, Fidelity fidelity)
        : prepared_(prepared), design_(std::move(design)), fidelity_(fidelity) {
        broken_ = cim_mesh::broken_step_rule(design_);
        if (broken_) return;
        on_mesh_ = placed_for_steps(prepared, design_, fidelity);
        broken_ = on_mesh_.broken;
        if (!broken_) steps_.emplace(prepared.machine, on_mesh_.kinds, on_mesh_.layouts, fidelity);
    }

    [[nodiscard]] PartCost pass(text::WholePass const& pass) const override {
        using sim::Bounded;
        auto const value = cost(pass, &Bounded::value);
        if (fidelity_ == Fidelity::cycle) return {value.seconds, value.joules};
        auto const lower = cost(pass, &Bounded::lower), upper = cost(pass, &Bounded::upper);
        PartCost all{{value.seconds, lower.seconds, upper.seconds, {sim::Bound::proved, sim::Bound::calibrated}},
                     value.joules};
        all.joules_below = std::max(0.0, models::sum_of(value.joules) - models::sum_of(lower.joules));
        all.joules_above = std::max(0.0, models::sum_of(upper.joules) - models::sum_of(value.joules));
        return all;
    }
    [[nodiscard]] std::vector<Share> areas() const override { return area_rows_of(prepared_.machine, on_mesh_.kinds); }
    void add_rest(Standby& to) const override {
        if (steps_) steps_->add_rest(to);
    }
    void set_engine(ServiceEngine& engine) const override {
        steps_->set_cache(engine);
        engine.bounds_requests = false;  // parts of a prompt compute fewer pairs than the whole
    }
    [[nodiscard]] std::optional<Infeasible> broken_rule(text::LlmRequest const& request) const override {
        if (broken_) return broken_;
        // Of a value that is uncertain, and drawn, the nearest power of two counts.
        if (double const bits = MachineConstants::bits_per_byte * request.weight_bytes;
            std::round(std::log2(bits / prepared_.machine.value_bits)) != 0.0)
            return infeasible("weights", "the routers of a mesh compute with values of {:g} bit, not of {:g}",
                              prepared_.machine.value_bits, bits);
        auto asked = design_;
        static_cast<ModelRequest&>(asked) = request;
        if (auto rule = cim_mesh::broken_step_rule(asked)) return rule;
        for (auto const& [design, parts] : kinds_of(asked, prepared_.machine.value_bits))
            if (auto rule = cim_mesh::broken_rule(prepared_.machine, design, parts)) return rule;
        return std::nullopt;
    }

  private:
    [[nodiscard]] MeshSteps::Cost cost(text::WholePass const& pass, MeshSteps::End end) const {
        sim::serving::StepWork work;
        work.heads = std::llround(pass.positions.heads);
        for (auto const& [shape, count] : pass.sequences) {
            auto const first = std::llround(shape.contexts.first), last = std::llround(shape.contexts.last);
            auto const sequences = static_cast<std::size_t>(std::llround(count));
            if (shape.decodes && last > first) return steps_->mean_token(first, last, std::llround(count), end);
            if (shape.decodes)
                work.contexts.insert(work.contexts.end(), sequences, first);
            else
                work.chunks.insert(work.chunks.end(), sequences, {std::llround(shape.queries), first - 1});
        }
        return steps_->cost(work, end);
    }

    Prepared const& prepared_;
    Design design_;
    Fidelity fidelity_;
    std::optional<Infeasible> broken_;
    PlacedDesign on_mesh_;
    std::optional<MeshSteps> steps_;  ///< unless a rule is broken
};

}  // namespace

text::PartKind mesh() {
    text::PartKind kind;
    kind.name = "mesh";
    kind.keys = machine_keys();
    kind.constants = [] { return Constants::load(data_directory() / "models" / "cim_mesh" / "constants.toml"); };
    kind.constant_rules = constant_rules;
    kind.prepare = [](Constants const& constants, Parameters const&,
                      Assumptions const&) -> std::shared_ptr<void const> {
        return std::shared_ptr<Prepared const>(
            new Prepared{MachineConstants{constants}, bind_choices(parameters()), {}});
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
