#include "models/cim_mesh/layer/tree_layer.hpp"

#include "models/cim_mesh/layer/analytic.hpp"
#include "models/cim_mesh/layer/stage_cost.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/memo.hpp"
#include "sim/noc/closed_form.hpp"

#include <optional>

namespace pimdse::models::cim_mesh {
namespace {

/// A token's stages on the mesh at one fidelity: what stays fixed while the context grows.
struct Coster {
    PlacedLayer const& layer;
    std::int32_t flits;
    sim::noc::RouterTiming timing;
    MeshAllowances const& allowed;
    Fidelity fidelity;

    [[nodiscard]] StageCost closed(StageShape const& shape) const {
        return over_borders(closed_cost(allowed, timing, shape, flits), shape.borders);
    }
    [[nodiscard]] StageCost simulated(Stage const& stage) const {
        return over_borders(simulated_cost(allowed, layer.ruler().mesh, timing, stage, fidelity),
                            borders_of(layer.ruler(), stage));
    }

  private:
    /// The network knows no borders: they are added to the longest way.
    [[nodiscard]] StageCost over_borders(StageCost cost, double borders) const {
        auto const per_hop = static_cast<double>(sim::noc::closed_form::per_hop(timing));
        cost.first += sim::Bounded(per_hop * layer.ruler().border_hops * borders);
        return cost;
    }
};

/// Costs of the stages with the cache.
struct CacheCosts {
    StageCost append, query, sum;
};

/// The stages of a token by closed forms.
class ClosedStages {
  public:
    explicit ClosedStages(Coster const& coster) : coster_(coster) {}

    [[nodiscard]] std::vector<StageCost> fixed() const {
        std::vector<StageCost> costs;
        for (auto const& shape : coster_.layer.fixed()) costs.push_back(coster_.closed(shape));
        return costs;
    }
    [[nodiscard]] CacheCosts cache(std::int64_t context) const {
        auto const& holders = coster_.layer.holders(context);
        return {coster_.closed(coster_.layer.append(context)), coster_.closed(holders.query),
                coster_.closed(holders.sum)};
    }

  private:
    Coster coster_;
};

/// The same on the simulated mesh; stages that are the same at many contexts are built and simulated once.
class SimulatedStages {
  public:
    explicit SimulatedStages(Coster const& coster)
        : coster_(coster), program_(coster.layer.program().carrying(coster.flits)) {}

    [[nodiscard]] std::vector<StageCost> fixed() const {
        std::vector<StageCost> costs;
        for (auto const& stage : program_.fixed_stages()) costs.push_back(coster_.simulated(stage));
        return costs;
    }
    [[nodiscard]] CacheCosts cache(std::int64_t context) const {
        HoldersKey const holders{program_.holder_count(context)};
        return {appends_.get(
                    {program_.append_place(context)},
                    [](AppendKey const& key, Coster const& coster, TreeProgram const& program) {
                        return coster.simulated(program.append(key.place));
                    },
                    coster_, program_),
                queries_.get(
                    holders,
                    [](HoldersKey const& key, Coster const& coster, TreeProgram const& program) {
                        return coster.simulated(program.query(key.count));
                    },
                    coster_, program_),
                sums_.get(
                    holders,
                    [](HoldersKey const& key, Coster const& coster, TreeProgram const& program) {
                        return coster.simulated(program.attention_sum(key.count));
                    },
                    coster_, program_)};
    }

  private:
    Coster coster_;
    TreeProgram program_;
    sim::Memo<AppendKey, StageCost> appends_;
    sim::Memo<HoldersKey, StageCost> queries_, sums_;
};

/// Costs the stages of a token.
class TreeCosts {
  public:
    explicit TreeCosts(Coster const& coster) : coster_(coster), closed_(coster) {
        if (coster.fidelity != Fidelity::analytic) simulated_.emplace(coster);
        for (auto const& c : simulated_ ? simulated_->fixed() : closed_.fixed()) {
            weights_ += c.first;
            slowest_ = larger(slowest_, c.further);
        }
    }

    [[nodiscard]] sim::Bounded weights() const { return weights_; }

    /// Stages with the cache of `context` tokens.
    [[nodiscard]] sim::Bounded cache(std::int64_t context) const {
        auto const c = stages(context);
        return c.append.first + c.query.first + c.sum.first;
    }

    /// What every further token of a prompt adds: the slowest stage.
    [[nodiscard]] sim::Bounded interval(std::int64_t context) const {
        auto const c = stages(context);
        return larger(larger(larger(slowest_, c.append.further), c.query.further), c.sum.further);
    }

    [[nodiscard]] double products(std::int64_t context, std::int64_t cycles_per_product) const {
        return 2.0 * static_cast<double>(coster_.layer.program().keys_per_router(context) * cycles_per_product);
    }

  private:
    [[nodiscard]] CacheCosts stages(std::int64_t context) const {
        return simulated_ ? simulated_->cache(context) : closed_.cache(context);
    }

    Coster coster_;
    ClosedStages closed_;
    std::optional<SimulatedStages> simulated_;
    sim::Bounded weights_, slowest_;
};

/// Mean over the decoded tokens. Closed forms and hybrid take the middle; the ends, moved by their own margins, bound
/// it.
sim::Bounded mean_cache(TreeCosts const& costs, MeshAllowances const& allowed, Design const& design, Fidelity fidelity,
                        auto&& products) {
    auto const at = [&](std::int64_t context) { return costs.cache(context) + sim::Bounded(products(context)); };
    if (fidelity != Fidelity::cycle) {
        auto const middle = at(design.input + design.output / 2);
        auto const start = at(design.input), end = at(design.input + design.output);
        double const low = std::min({middle.low, start.low, end.low});
        double const high = std::max({middle.high, start.high, end.high});
        // Simulated, appending meets more or less traffic from one token to the next; closed forms allow for it.
        double const spread = fidelity == Fidelity::hybrid ? allowed.append_spread : 0.0;
        return sim::Bounded::within(middle.value, low * (1.0 - spread), high * (1.0 + spread), sim::Bound::calibrated);
    }
    sim::Bounded mean;
    auto const most = static_cast<std::int64_t>(allowed.contexts);
    for (auto const& sample : sampled_contexts(design.input, design.output, most))
        mean += at(sample.context) * sample.weight;
    return mean;
}

}  // namespace

LayerTime tree_layer(MachineConstants const& machine, Design const& design, Partition const& p,
                     PlacedLayer const& layer, MeshCounts const& counts, Fidelity fidelity) {
    ClosedForm const form(machine, design, p, counts);
    auto const flits = vector_flits(machine, design);
    TreeCosts const costs({layer, flits, router_timing(machine, design), machine.allowance, fidelity});
    std::int64_t const tokens = prompt_tokens(design);
    double const context = static_cast<double>(design.input) + static_cast<double>(design.output) / 2.0;
    auto const services = form.decode(context);
    std::int64_t const product = sim::divide_up(design.crossbar, design.dmacs);
    auto const products = [&](std::int64_t c) { return costs.products(c, product); };
    LayerTime t;
    // Tokens of a prompt follow each other as fast as the slowest stage, and the busiest link of all stages, let them.
    double const link = saturated_cycles(counts.prompt_link, flits);
    auto const pace = larger(costs.interval(tokens), link / machine.open_loop_share);
    auto const pass_of = [&](double queries) -> std::vector<LayerPart> {
        auto const pass = form.pass(queries, static_cast<double>(tokens));
        return {{"collectives", costs.weights() + costs.cache(tokens) + pace * (queries - 1.0)},
                {"adapters", pass.adapters},
                {"attention", pass.attention}};
    };
    t.prefill = pass_of(static_cast<double>(tokens));
    if (design.diffuses()) {
        t.decode = pass_of(later_queries(design));
        return t;
    }
    double const walk_back = form.way(counts.walk_back) / static_cast<double>(design.model->layers);
    t.decode = {{"collectives", costs.weights()},
                {"walk back to the first layer", walk_back},
                {"keys and values", mean_cache(costs, machine.allowance, design, fidelity, products)},
                {"softmax", services.softmax},
                {"adapters", services.adapters},
                {"crossbars", services.crossbars}};
    return t;
}

}  // namespace pimdse::models::cim_mesh
