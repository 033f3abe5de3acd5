#include "models/cim_mesh/layer/tree_layer.hpp"

#include "models/cim_mesh/layer/analytic.hpp"
#include "models/cim_mesh/layer/stage_cost.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/memo.hpp"
#include "sim/noc/closed_form.hpp"

namespace pimdse::models::cim_mesh {
namespace {

/// A token's stages on the mesh at one fidelity: what stays fixed while the context grows.
struct Coster {
    TreeProgram const& program;
    sim::noc::RouterTiming timing;
    MeshAllowances const& allowed;
    Fidelity fidelity;
    Ruler ruler;

    /// The network knows no borders: they are added to the longest way.
    [[nodiscard]] StageCost of(Stage const& stage) const {
        auto cost = fidelity == Fidelity::analytic ? closed_cost(allowed, program.mesh(), timing, stage)
                                                   : simulated_cost(allowed, program.mesh(), timing, stage, fidelity);
        auto const per_hop = static_cast<double>(sim::noc::closed_form::per_hop(timing));
        cost.first += sim::Bounded(per_hop * ruler.border_hops * borders_of(ruler, stage));
        return cost;
    }
};

/// What the stages with the cache depend on.
struct AppendKey {
    std::int64_t place = 0;
    auto operator<=>(AppendKey const&) const = default;
};
struct HoldersKey {
    std::int64_t count = 0;
    auto operator<=>(HoldersKey const&) const = default;
};

/// Costs the stages of a token; stages that are the same at many contexts are built and simulated once.
class TreeCosts {
  public:
    explicit TreeCosts(Coster const& coster) : coster_(coster) {
        for (auto const& stage : coster_.program.fixed_stages()) {
            auto const c = coster_.of(stage);
            weights_ += c.first;
            slowest_ = larger(slowest_, c.further);
        }
    }

    [[nodiscard]] sim::Bounded weights() const { return weights_; }

    /// Stages with the cache of `context` tokens.
    [[nodiscard]] sim::Bounded cache(std::int64_t context) const {
        return append(context).first + query(context).first + sum(context).first;
    }

    /// What every further token of a prompt adds: the slowest stage.
    [[nodiscard]] sim::Bounded interval(std::int64_t context) const {
        return larger(larger(larger(slowest_, append(context).further), query(context).further), sum(context).further);
    }

    [[nodiscard]] double products(std::int64_t context, std::int64_t cycles_per_product) const {
        return 2.0 * static_cast<double>(coster_.program.keys_per_router(context) * cycles_per_product);
    }

  private:
    [[nodiscard]] StageCost append(std::int64_t context) const {
        return appends_.get(
            {coster_.program.append_place(context)},
            [](AppendKey const& key, Coster const& coster) { return coster.of(coster.program.append(key.place)); },
            coster_);
    }
    [[nodiscard]] StageCost query(std::int64_t context) const {
        return queries_.get(
            {coster_.program.holder_count(context)},
            [](HoldersKey const& key, Coster const& coster) { return coster.of(coster.program.query(key.count)); },
            coster_);
    }
    [[nodiscard]] StageCost sum(std::int64_t context) const {
        return sums_.get(
            {coster_.program.holder_count(context)},
            [](HoldersKey const& key, Coster const& coster) {
                return coster.of(coster.program.attention_sum(key.count));
            },
            coster_);
    }

    Coster coster_;
    sim::Bounded weights_, slowest_;
    sim::Memo<AppendKey, StageCost> appends_;
    sim::Memo<HoldersKey, StageCost> queries_, sums_;
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
                     TreeProgram const& program, MeshCounts const& counts, Fidelity fidelity) {
    ClosedForm const form(machine, design, p, counts);
    Ruler const ruler{program.mesh(), design.mesh_cols, machine.border_hops};
    TreeCosts const costs({program, router_timing(machine, design), machine.allowance, fidelity, ruler});
    std::int64_t const tokens = prompt_tokens(design);
    double const context = static_cast<double>(design.input) + static_cast<double>(design.output) / 2.0;
    auto const services = form.decode(context);
    std::int64_t const product = sim::divide_up(design.crossbar, design.dmacs);
    auto const products = [&](std::int64_t c) { return costs.products(c, product); };
    LayerTime t;
    // Tokens of a prompt follow each other as fast as the slowest stage, and the busiest link of all stages, let them.
    double const link = saturated_cycles(counts.prompt_link, program.flits());
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
