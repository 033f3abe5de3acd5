#include "models/cim_mesh/layer/layer_time.hpp"

#include "sim/base/counting.hpp"

#include <map>

namespace pimdse::models::cim_mesh {
namespace {

/// Costs the stages of a token; stages that are the same at many contexts are built and simulated once.
class TreeCosts {
  public:
    TreeCosts(sim::noc::RouterTiming timing, TreeProgram const& program, Fidelity fidelity)
        : program_(program), timing_(timing), fidelity_(fidelity) {
        for (auto const& stage : program_.fixed_stages()) {
            auto const c = cost(stage);
            weights_ = weights_ + c.first;
            slowest_ = slowest_.at_least(c.further);
        }
    }

    [[nodiscard]] Interval weights() const { return weights_; }

    /// Stages with the cache of `context` tokens.
    [[nodiscard]] Interval cache(std::int64_t context) {
        return append(context).first + query(context).first + sum(context).first;
    }

    /// What every further token of a prompt adds: the slowest stage.
    [[nodiscard]] Interval interval(std::int64_t context) {
        return slowest_.at_least(append(context).further)
            .at_least(query(context).further)
            .at_least(sum(context).further);
    }

    [[nodiscard]] double products(std::int64_t context, std::int64_t cycles_per_product) const {
        return 2.0 * static_cast<double>(program_.keys_per_router(context) * cycles_per_product);
    }

  private:
    using Known = std::map<std::int64_t, StageCost>;

    [[nodiscard]] StageCost cost(Stage const& stage) const {
        return fidelity_ == Fidelity::analytic ? closed_cost(program_.mesh(), timing_, stage)
                                               : simulated_cost(program_.mesh(), timing_, stage, fidelity_);
    }

    StageCost once(Known& known, std::int64_t state, auto&& stage) const {
        auto const found = known.find(state);
        return found != known.end() ? found->second : known.emplace(state, cost(stage())).first->second;
    }

    StageCost append(std::int64_t context) {
        return once(appends_, program_.append_place(context), [&] { return program_.append(context); });
    }
    StageCost query(std::int64_t context) {
        return once(queries_, program_.holder_count(context), [&] { return program_.query(context); });
    }
    StageCost sum(std::int64_t context) {
        return once(sums_, program_.holder_count(context), [&] { return program_.attention_sum(context); });
    }

    TreeProgram const& program_;
    sim::noc::RouterTiming timing_;
    Fidelity fidelity_;
    Interval weights_, slowest_;
    Known appends_, queries_, sums_;
};

/// Mean over the decoded tokens. Closed forms and hybrid take the middle; the ends, moved by their own margins, bound
/// it.
Interval mean_cache(TreeCosts& costs, Design const& design, Fidelity fidelity, auto&& products) {
    auto const at = [&](std::int64_t context) { return costs.cache(context) + Interval::exact(products(context)); };
    if (fidelity != Fidelity::cycle) {
        auto middle = at(design.input + design.output / 2);
        auto const start = at(design.input), end = at(design.input + design.output);
        middle.low = std::min({middle.low, start.low, end.low});
        middle.high = std::max({middle.high, start.high, end.high});
        if (fidelity == Fidelity::hybrid) {  // appending meets more or less traffic from one token to the next
            middle.low *= 0.9;
            middle.high *= 1.1;
        }
        return middle;
    }
    Interval mean;
    for (auto const& sample : sampled_contexts(design.input, design.output))
        mean = mean + at(sample.context) * sample.weight;
    return mean;
}

}  // namespace

LayerTime tree_layer(Machine const& machine, Design const& design, Partition const& p, TreeProgram const& program,
                     Fidelity fidelity) {
    ClosedForm const form(machine, design, p);
    TreeCosts costs(router_timing(machine, design), program, fidelity);
    bool const diffusion = design.model->attention == sim::Attention::bidirectional;
    std::int64_t const tokens = diffusion ? design.longest_context() : design.input;
    double const context = static_cast<double>(design.input) + static_cast<double>(design.output) / 2.0;
    auto const services = form.decode(context);
    auto const prompt = form.prefill(static_cast<double>(tokens));
    std::int64_t const product = sim::divide_up(design.crossbar, design.dmacs);
    auto const products = [&](std::int64_t c) { return costs.products(c, product); };
    LayerTime t;
    // Tokens of a prompt follow each other as fast as the slowest stage, and the busiest link of all stages, let them.
    double const link =
        saturated_cycles(static_cast<double>(busiest_link(link_loads(program, tokens))), program.flits());
    auto const pace = costs.interval(tokens).at_least(Interval::exact(link / machine.open_loop_share));
    auto const filling = costs.weights() + costs.cache(tokens) + pace * static_cast<double>(tokens - 1);
    t.prefill = {{"collectives", filling},
                 {"adapters", Interval::exact(prompt.adapters)},
                 {"attention", Interval::exact(prompt.attention)}};
    if (diffusion) {
        t.decode = t.prefill;
        return t;
    }
    t.decode = {{"collectives", costs.weights()},
                {"keys and values", mean_cache(costs, design, fidelity, products)},
                {"softmax", Interval::exact(services.softmax)},
                {"adapters", Interval::exact(services.adapters)},
                {"crossbars", Interval::exact(services.crossbars)}};
    return t;
}

}  // namespace pimdse::models::cim_mesh
