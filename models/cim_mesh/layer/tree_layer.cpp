#include "models/cim_mesh/layer/tree_layer.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/coster.hpp"
#include "models/cim_mesh/layer/spaced_contexts.hpp"
#include "sim/base/check.hpp"
#include "sim/base/memo.hpp"
#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace pimdse::models::cim_mesh {
namespace {

/// The parts of the time of a layer that the network determines, in cycles.
struct TreeTimes {
    sim::Bounded weights;     ///< stages of a token with weights
    sim::Bounded full_cache;  ///< stages with the cache if all routers of the pool hold keys, without products
    sim::Bounded pace;        ///< time that every other token of a prompt adds
};

/// Cycles per token of a prompt: those of the slowest stage, or of the busiest link over all stages.
sim::Bounded pace_of(MachineConstants const& machine, Design const& design, Partition const& partition,
                     MeshCounts const& counts, sim::Bounded const& slowest) {
    double const link = Services(machine, design, partition).busiest_link(counts.prompt_link);
    return larger(slowest, link / machine.open_loop_share);
}

/// A layer as the times of the network, which do not depend on the request, and everything that no message carries.
class TreeLayer {
  public:
    TreeLayer(MachineConstants const& machine, Design const& design, Partition const& p, MeshCounts const& counts,
              TreeTimes const& times)
        : form_(machine, design, p, counts),
          weights_(times.weights),
          pace_(times.pace),
          walk_back_(form_.route(counts.walk_back) / static_cast<double>(p.all_layers)),
          // The sums of gate and up are there at the same time, so that none hides the activation.
          activations_(form_.activations(0.0)) {
        alone_ = times.weights + times.full_cache +
                 sim::Bounded(walk_back_ + still_.adapters + still_.crossbars + activations_);
    }

    /// Replaces `parts` with those of a token that attends to `keys` keys; its stages with the cache take `cache`.
    void token(std::int64_t keys, sim::Bounded const& cache, LayerParts& parts) const {
        parts.clear();
        parts.reserve(max_parts);
        parts.push_back({"collectives", weights_});
        parts.push_back({"walk back to the first layer", walk_back_, true});
        add_activations(parts, activations_);
        parts.push_back({"keys and values", cache});
        parts.push_back({"softmax", form_.softmax(static_cast<double>(keys)), true});
        parts.push_back({"adapters", still_.adapters, true});
        parts.push_back({"crossbars", still_.crossbars, true});
    }
    /// A pass: its last token, and the tokens before it, whose time `before_last` gives from the units.
    [[nodiscard]] LayerParts pass(LayerParts const& last, Before const& before_last) const {
        auto const without_vectors = form_.units(0.0);
        auto const before = [&](double sim::Bounded::*end) {
            auto units = without_vectors;
            units.vectors += pace_.*end;
            units.link = 0.0;  // part of the pace
            units.alone = std::max(pace_.*end, alone_.*end);
            units.alone_per_key = units.softmax + units.products;
            return before_last(units);
        };
        auto const value = before(&sim::Bounded::value);
        bool const exact = pace_.is_exact() && alone_.is_exact();
        auto const total = [&](double sim::Bounded::*end) { return (exact ? value : before(end)).total(); };
        return pipelined(last, value, total(&sim::Bounded::lower), total(&sim::Bounded::upper),
                         pace_.kinds.weaker(alone_.kinds));
    }

  private:
    ClosedForm form_;
    DecodeTime still_ = form_.without_keys();
    sim::Bounded weights_, pace_, alone_;
    double walk_back_, activations_;
};

/// Where keys and values are multiplied in place, no stage of the network carries queries and sums: the same closed
/// form at every fidelity.
struct InPlace {
    ClosedForm form;
    double keys;  ///< at the end of the prompt

    InPlace(MachineConstants const& machine, Design const& design, Partition const& p, MeshCounts const& counts)
        : form(machine, design, p, counts), keys(static_cast<double>(max_keys(design, prompt_tokens(design)))) {}
    [[nodiscard]] double full() const { return form.in_place(keys).fixed(); }
    [[nodiscard]] double at(std::int64_t now) const {
        auto const dynamic = form.in_place(static_cast<double>(now));
        return dynamic.fixed() + dynamic.pairs;
    }
};

/// Costs of the stages of a token: in closed form or, at cycle level, by simulation where that is not exact. Stages
/// that are equal at several contexts are simulated once.
class TreeCosts {
  public:
    TreeCosts(Coster const& coster, Fidelity fidelity) : coster_(coster) {
        if (fidelity == Fidelity::cycle) program_.emplace(coster.layer.program().carrying(coster.flits));
        fixed_ = program_ ? sum_of_stages()
                          : coster.layer.closed_costs().get(
                                {coster.flits, coster.timing.fifo_flits, coster.slower},
                                [](auto const&, TreeCosts const& costs) { return costs.sum_of_stages(); }, *this);
    }

    /// The stages without the cache, in the order of a token.
    [[nodiscard]] std::vector<StageCost> stages() const {
        auto const stages = program_ ? program_->fixed_stages() : std::vector<Stage>{};
        std::vector<StageCost> costs;
        costs.reserve(coster_.layer.fixed().size());
        for (auto const& shape : coster_.layer.fixed())
            costs.push_back(simulates(shape.kind) ? coster_.simulated(stages[costs.size()]) : coster_.closed(shape));
        return costs;
    }
    /// All of them, and the time that a token of a prompt adds in the slowest of them.
    [[nodiscard]] StageCost const& fixed() const { return fixed_; }

    /// The stages with the cache of a token at this context. The later stages need the gathered queries. Keys and
    /// values go to other places with every token, so that they count as a lone transfer to the farthest filled place.
    [[nodiscard]] sim::Bounded cache(std::int64_t context) const {
        return larger(queries().first, sim::Bounded(coster_.farthest_key(context))) + query(context).first +
               sum(context).first;
    }

    /// The stages with the cache of a token with keys on every router of the pool, and the time that it adds to a
    /// prompt: that of the slowest of all its stages.
    [[nodiscard]] StageCost full() const {
        std::int64_t const all = coster_.layer.program().filling_context();
        return {cache(all),
                larger(larger(larger(fixed_.further, queries().further), query(all).further), sum(all).further)};
    }

    [[nodiscard]] double products(std::int64_t context, std::int64_t cycles_per_key) const {
        return static_cast<double>(coster_.layer.program().keys_per_router(context) * cycles_per_key);
    }

  private:
    using Known = sim::Memo<std::int64_t, StageCost>;

    [[nodiscard]] bool simulates(StageKind kind) const { return program_ && !is_exact(coster_.timing, kind); }
    [[nodiscard]] StageCost sum_of_stages() const {
        StageCost all;
        for (auto const& c : stages()) {
            all.first += c.first;
            all.further = larger(all.further, c.further);
        }
        return all;
    }
    [[nodiscard]] StageCost queries() const {
        if (!gathered_)
            gathered_ =
                program_ ? coster_.simulated(program_->gather_queries()) : coster_.closed(coster_.layer.query_gather());
        return *gathered_;
    }
    [[nodiscard]] StageCost query(std::int64_t context) const {
        return of_holders<&TreeProgram::query>(context, StageKind::broadcast, &HolderShapes::query, queries_);
    }
    [[nodiscard]] StageCost sum(std::int64_t context) const {
        return of_holders<&TreeProgram::attention_sum>(context, StageKind::reduction, &HolderShapes::sum, sums_);
    }
    template <auto stage>
    [[nodiscard]] StageCost of_holders(std::int64_t context, StageKind kind, StageShape HolderShapes::*shape,
                                       Known const& known) const {
        if (!simulates(kind)) return coster_.closed(coster_.layer.owners(context).*shape);
        return known.get(
            program_->holder_count(context),
            [](std::int64_t count, TreeCosts const& costs) {
                return costs.coster_.simulated(((*costs.program_).*stage)(count));
            },
            *this);
    }

    Coster coster_;
    std::optional<TreeProgram> program_;  ///< of what is simulated
    StageCost fixed_;
    mutable std::optional<StageCost> gathered_;
    Known queries_, sums_;
};

/// Prepares sums of closed forms as results: bounds allow for rounding, and an estimate is at least its lower bound.
void settle(LayerParts& parts, double rounding, std::size_t from = 0) {
    for (auto at = from; at < parts.size(); ++at) {
        auto& c = parts[at].cycles;
        double const value = std::max(c.value, c.lower);
        c = {value, c.lower * (1.0 - rounding), std::max(c.upper, value) * (1.0 + rounding), c.kinds};
    }
}

/// Passes of any length through a placed layer. All that is not made in the constructor is cached for all threads.
class TreePasses {
  public:
    TreePasses(MachineConstants const& machine, Design const& design, Partition const& p, PlacedLayer const& layer,
               MeshCounts const& counts, Fidelity fidelity, bool spaced)
        : costs_(coster_of(machine, design, layer), fidelity),
          cycles_per_key_(products_of_a_key(design, p)),
          // With the serial schedule, tree collectives are only for comparison and the same at every fidelity.
          rounding_(fidelity == Fidelity::analytic && design.schedule == Schedule::tree
                        ? machine.allowance.rounding_share
                        : 0.0) {
        if (design.multiplies_in_place()) in_place_.emplace(machine, design, p, counts);
        auto const timing = router_timing(machine, design);
        bool const exact = is_exact(timing, StageKind::broadcast) && is_exact(timing, StageKind::reduction);
        if (spaced && fidelity == Fidelity::cycle && !exact) {
            closed_.emplace(coster_of(machine, design, layer), Fidelity::analytic);
            spaced_.emplace(layer.program().filling_context(), static_cast<std::int64_t>(machine.allowance.contexts));
            static_cast<void>(closed_->cache(1));  // the gather of queries, once for all threads
        }
        layer_.emplace(machine, design, p, counts, times(machine, design, p, counts));
    }

    void position(std::int64_t keys, LayerParts& parts) const {
        layer_->token(keys, in_place_ ? sim::Bounded(in_place_->at(keys)) : cache(keys), parts);
        settle(parts, rounding_);
    }
    [[nodiscard]] LayerParts pipeline(LayerParts const& last, Before const& before) const {
        auto parts = layer_->pass(last, before);
        settle(parts, rounding_, 1);
        return parts;
    }

  private:
    [[nodiscard]] TreeTimes times(MachineConstants const& machine, Design const& design, Partition const& p,
                                  MeshCounts const& counts) const {
        auto const full = in_place_ ? StageCost{in_place_->full(), costs_.fixed().further} : costs_.full();
        return {costs_.fixed().first, full.first, pace_of(machine, design, p, counts, full.further)};
    }
    /// The stages with the cache, and products; simulated trees may be interpolated between some contexts.
    [[nodiscard]] sim::Bounded cache(std::int64_t keys) const {
        auto const products = sim::Bounded(costs_.products(keys, cycles_per_key_));
        if (!spaced_) return costs_.cache(keys) + products;
        auto const simulated = [this](std::int64_t at) { return costs_.cache(at); };
        return sim::Bounded(spaced_->at(keys, simulated, closed_->cache(keys))) + products;
    }

    TreeCosts costs_;
    std::int64_t cycles_per_key_;
    double rounding_;
    std::optional<InPlace> in_place_;
    std::optional<TreeCosts> closed_;
    std::optional<SpacedContexts> spaced_;
    std::optional<TreeLayer> layer_;
};

/// Lower bounds for every placement: of simulated stages, or of the values of their closed forms.
class TreeLowerBound {
  public:
    TreeLowerBound(MachineConstants const& machine, Design const& design, Partition const& partition,
                   LayerLowerBound const& layer)
        : allowed_(machine.allowance),
          design_(design),
          partition_(partition),
          cycles_per_key_(products_of_a_key(design, partition)),
          layer_(layer),
          flits_(vector_flits(machine, design)),
          timing_(router_timing(machine, design)),
          simulates_(design.schedule == Schedule::tree) {}

    [[nodiscard]] TreeTimes times(MachineConstants const& machine, MeshCounts const& counts) const {
        TreeTimes t;
        sim::Bounded slowest;
        for (auto const& shape : layer_.fixed()) {
            t.weights += first(shape);
            slowest = larger(slowest, further(shape));
        }
        if (design_.multiplies_in_place()) {
            t.full_cache = InPlace(machine, design_, partition_, counts).full();
        } else {
            std::int64_t const full = layer_.filling_context();
            for (auto const& shape : {layer_.append(), layer_.query(full), layer_.sum(full)})
                slowest = larger(slowest, further(shape));
            t.full_cache = stages(full);
        }
        t.pace = pace_of(machine, design_, partition_, counts, slowest);
        return t;
    }
    /// The stages with the cache, and products, of a token.
    [[nodiscard]] double cache(std::int64_t keys) const {
        return stages(keys) + static_cast<double>(layer_.keys_per_router(keys) * cycles_per_key_);
    }

  private:
    [[nodiscard]] double min(sim::Bounded const& cost) const { return simulates_ ? cost.lower : cost.value; }
    [[nodiscard]] double first(StageShape const& shape) const {
        return min(closed_cost(allowed_, timing_, shape, flits_).first);
    }
    [[nodiscard]] double further(StageShape const& shape) const {
        return min(closed_cost(allowed_, timing_, shape, flits_).further);
    }
    [[nodiscard]] double stages(std::int64_t context) const {
        return first(layer_.append()) + first(layer_.query(context)) + first(layer_.sum(context));
    }

    MeshAllowances const& allowed_;
    Design const& design_;
    Partition const& partition_;
    std::int64_t cycles_per_key_;
    LayerLowerBound const& layer_;
    std::int32_t flits_;
    sim::noc::RouterTiming timing_;
    bool simulates_;
};

}  // namespace

LayerPasses tree_passes(MachineConstants const& machine, Design const& design, Partition const& p,
                        PlacedLayer const& layer, MeshCounts const& counts, Fidelity fidelity, bool spaced) {
    auto const all = std::make_shared<TreePasses const>(machine, design, p, layer, counts, fidelity, spaced);
    return {[all](std::int64_t keys, LayerParts& parts) { all->position(keys, parts); },
            [all](LayerParts const& last, Before const& before) { return all->pipeline(last, before); }};
}

std::vector<TreeStageTime> tree_stages(MachineConstants const& machine, Design const& design,
                                       PlacedLayer const& layer) {
    auto const coster = coster_of(machine, design, layer);
    auto const costs = TreeCosts(coster, Fidelity::analytic).stages();
    auto const stages = layer.program().carrying(coster.flits).fixed_stages();
    sim::expects(costs.size() == stages.size(), "every stage has a cost");
    std::vector<TreeStageTime> times;
    for (std::size_t i = 0; i < stages.size(); ++i) times.push_back({stages[i].name, costs[i].first.value});
    return times;
}

LayerPasses tree_lower_bound(MachineConstants const& machine, Design const& design, Partition const& p,
                             LayerLowerBound const& layer, MeshCounts const& counts) {
    struct Least {
        TreeLowerBound network;
        TreeLayer layer;
        std::optional<InPlace> in_place;
    };
    TreeLowerBound const network(machine, design, p, layer);
    auto const least = std::make_shared<Least>(
        Least{network, {machine, design, p, counts, network.times(machine, counts)}, std::nullopt});
    if (design.multiplies_in_place()) least->in_place.emplace(machine, design, p, counts);
    return {[least](std::int64_t keys, LayerParts& parts) {
                auto const cache = least->in_place ? least->in_place->at(keys) : least->network.cache(keys);
                least->layer.token(keys, cache, parts);
            },
            [least](LayerParts const& last, Before const& before) { return least->layer.pass(last, before); }};
}

}  // namespace pimdse::models::cim_mesh
