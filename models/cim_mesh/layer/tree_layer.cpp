#include "models/cim_mesh/layer/tree_layer.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/coster.hpp"
#include "models/cim_mesh/layer/spaced_contexts.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/memo.hpp"
#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace pimdse::models::cim_mesh {
namespace {

/// The parts of the time of a layer that the network determines, in cycles.
struct TreeTimes {
    sim::Bounded weights;          ///< stages of a token with weights
    sim::Bounded prompt_cache;     ///< stages with the cache, and products, of the last token of the prompt
    sim::Bounded full_cache;       ///< stages with the cache if all routers of the pool hold keys, without products
    sim::Bounded pace;             ///< time that every other token of the prompt adds
    sim::Bounded keys_and_values;  ///< stages with the cache, and products, mean over the decoded tokens
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
        auto const services = form_.decode(0.0);
        alone_ = times.weights + times.full_cache +
                 sim::Bounded(walk_back_ + services.adapters + services.crossbars + activations_);
    }

    [[nodiscard]] HeldQueries const& held() const { return form_.held(); }
    /// A token that attends to `context` keys (a mean number); its stages with the cache take `cache`.
    [[nodiscard]] std::vector<LayerPart> token(double context, sim::Bounded const& cache) const {
        auto const services = form_.decode(context);
        std::vector<LayerPart> parts{{"collectives", weights_}, {"walk back to the first layer", walk_back_, true}};
        add_activations(parts, activations_);
        parts.push_back({"keys and values", cache});
        parts.push_back({"softmax", services.softmax, true});
        parts.push_back({"adapters", services.adapters, true});
        parts.push_back({"crossbars", services.crossbars, true});
        return parts;
    }
    /// A pass: its last token, and the tokens before it, whose time `following_tokens` gives from the units.
    template <class FollowingTokens>
    [[nodiscard]] std::vector<LayerPart> pass(std::vector<LayerPart> const& last,
                                              FollowingTokens const& following_tokens) const {
        auto const before = [&](double pace, double token_alone) {
            auto units = form_.units(pace);
            units.link = 0.0;  // part of the pace
            units.alone = token_alone;
            units.alone_per_key = units.softmax + units.products;
            return following_tokens(units);
        };
        auto const value = before(pace_.value, std::max(pace_.value, alone_.value));
        double const lower = before(pace_.lower, std::max(pace_.lower, alone_.lower)).total();
        double const upper = before(pace_.upper, std::max(pace_.upper, alone_.upper)).total();
        return pipelined(last, value, lower, upper, pace_.kinds.weaker(alone_.kinds));
    }

  private:
    ClosedForm form_;
    sim::Bounded weights_, pace_, alone_;
    double walk_back_, activations_;
};

/// The time of a layer from the times of the network and of everything that no message carries.
LayerTime composed(MachineConstants const& machine, Design const& design, Partition const& p, MeshCounts const& counts,
                   TreeTimes const& times) {
    TreeLayer const layer(machine, design, p, counts, times);
    auto const& held = layer.held();
    std::int64_t const tokens = prompt_tokens(design), keys = max_keys(design, tokens);
    auto const last = layer.token(static_cast<double>(keys), times.prompt_cache);
    if (design.diffuses()) {
        auto const positions = [&](double queries) {
            return layer.pass(last,
                              [&](PromptUnits const& units) { return following(units, held, queries - 1.0, keys); });
        };
        return {positions(static_cast<double>(tokens)), positions(later_queries(design)), last};
    }
    auto const earlier = tokens_of_prompt(design, tokens - 1);
    auto decoded = layer.token(mean_decoded_keys(design), times.keys_and_values);
    if (design.verifies())
        decoded = layer.pass(decoded, [&](PromptUnits const& units) {
            return following(units, held, design.pass_positions() - 1.0, middle_keys(design));
        });
    return {layer.pass(last, [&](PromptUnits const& units) { return following(units, held, earlier); }),
            std::move(decoded), last};
}

/// Where keys and values are multiplied in place, no stage of the network carries queries and sums: the same closed
/// form at every fidelity. `slowest`: cost of the slowest stage of a token without the cache.
void multiply_in_place(TreeTimes& times, MachineConstants const& machine, Design const& design,
                       Partition const& partition, MeshCounts const& counts, sim::Bounded const& slowest) {
    ClosedForm const form(machine, design, partition, counts);
    auto const at = [&](double context) {
        auto const dynamic = form.in_place(context);
        return sim::Bounded(dynamic.fixed() + dynamic.pairs);
    };
    auto const tokens = static_cast<double>(max_keys(design, prompt_tokens(design)));
    times.prompt_cache = at(tokens);
    times.full_cache = form.in_place(tokens).fixed();
    times.pace = pace_of(machine, design, partition, counts, slowest);
    times.keys_and_values = at(mean_decoded_keys(design));
}

/// Costs of a prompt in the stages with the cache: its last token; a token with keys on every router of the pool; and
/// the time that every other token adds, which is that of the slowest of all stages with keys on every router.
struct PromptCosts {
    sim::Bounded last, full, further;
};

/// Costs of the stages of a token in closed form.
class ClosedStages {
  public:
    explicit ClosedStages(Coster const& coster) : coster_(coster) {}

    [[nodiscard]] std::vector<StageCost> fixed() const {
        std::vector<StageCost> costs;
        for (auto const& shape : coster_.layer.fixed()) costs.push_back(coster_.closed(shape));
        return costs;
    }
    [[nodiscard]] StageCost queries() const { return coster_.closed(coster_.layer.query_gather()); }
    [[nodiscard]] StageCost query(std::int64_t context) const {
        return coster_.closed(coster_.layer.owners(context).query);
    }
    [[nodiscard]] StageCost sum(std::int64_t context) const {
        return coster_.closed(coster_.layer.owners(context).sum);
    }

  private:
    Coster coster_;
};

/// The same by simulation, except for stages with an exact closed form. Stages that are equal at several contexts are
/// simulated once.
class SimulatedStages {
  public:
    explicit SimulatedStages(Coster const& coster)
        : coster_(coster), program_(coster.layer.program().carrying(coster.flits)) {}

    [[nodiscard]] std::vector<StageCost> fixed() const {
        std::vector<StageCost> costs;
        auto shape = coster_.layer.fixed().begin();
        for (auto const& stage : program_.fixed_stages()) {
            bool const exact = is_exact(coster_.timing, stage.kind);
            costs.push_back(exact ? coster_.closed(*shape) : coster_.simulated(stage));
            ++shape;
        }
        return costs;
    }
    [[nodiscard]] StageCost queries() const { return coster_.simulated(program_.gather_queries()); }
    [[nodiscard]] StageCost query(std::int64_t context) const {
        if (is_exact(coster_.timing, StageKind::broadcast)) return coster_.closed(coster_.layer.owners(context).query);
        return at<&TreeProgram::query>(context, queries_);
    }
    [[nodiscard]] StageCost sum(std::int64_t context) const {
        if (is_exact(coster_.timing, StageKind::reduction)) return coster_.closed(coster_.layer.owners(context).sum);
        return at<&TreeProgram::attention_sum>(context, sums_);
    }

  private:
    template <auto stage>
    [[nodiscard]] StageCost at(std::int64_t context, sim::Memo<HoldersKey, StageCost> const& known) const {
        return known.get(
            HoldersKey{program_.holder_count(context)},
            [](HoldersKey const& key, Coster const& coster, TreeProgram const& program) {
                return coster.simulated((program.*stage)(key.count));
            },
            coster_, program_);
    }

    Coster coster_;
    TreeProgram program_;
    sim::Memo<HoldersKey, StageCost> queries_, sums_;
};

/// Costs of all stages of a token.
class TreeCosts {
  public:
    TreeCosts(Coster const& coster, Fidelity fidelity) : coster_(coster), closed_(coster) {
        if (fidelity == Fidelity::cycle) simulated_.emplace(coster);
        for (auto const& c : simulated_ ? simulated_->fixed() : closed_.fixed()) {
            weights_ += c.first;
            slowest_ = larger(slowest_, c.further);
        }
    }

    [[nodiscard]] sim::Bounded weights() const { return weights_; }
    /// The time that a token of a prompt adds in the slowest stage without the cache.
    [[nodiscard]] sim::Bounded slowest_weights() const { return slowest_; }

    /// The stages with the cache of a token at this context. The later stages need the gathered queries. Keys and
    /// values go to other places with every token, so that they count as a lone transfer to the farthest filled place.
    [[nodiscard]] sim::Bounded cache(std::int64_t context) const {
        return larger(queries().first, sim::Bounded(coster_.farthest_key(context))) + query(context).first +
               sum(context).first;
    }

    /// Costs of the stages with the cache for a prompt whose last token attends to `keys` keys.
    [[nodiscard]] PromptCosts prompt(std::int64_t keys) const {
        std::int64_t const full = coster_.layer.program().filling_context();
        return {cache(keys), cache(full),
                larger(larger(larger(slowest_, queries().further), query(full).further), sum(full).further)};
    }

    /// Lower bound of cache(): the query to its farthest router, and the sum over the routers that hold keys at the
    /// earlier context `before`.
    [[nodiscard]] double min_cache(std::int64_t context, std::int64_t before) const {
        auto const& c = coster_;
        auto const reach = c.layer.query_reach(context);
        auto query = c.layer.owners(before).query;
        query.slowest = c.alone(reach);
        query.borders = reach.borders;
        return std::max(closed_.queries().first.lower, c.farthest_key(context)) + c.closed(query).first.lower +
               c.closed(c.layer.owners(before).sum).first.lower;
    }

    [[nodiscard]] double products(std::int64_t context, std::int64_t cycles_per_key) const {
        return static_cast<double>(coster_.layer.program().keys_per_router(context) * cycles_per_key);
    }

  private:
    [[nodiscard]] StageCost queries() const {
        if (!queries_) queries_ = simulated_ ? simulated_->queries() : closed_.queries();
        return *queries_;
    }
    [[nodiscard]] StageCost query(std::int64_t at) const {
        return simulated_ ? simulated_->query(at) : closed_.query(at);
    }
    [[nodiscard]] StageCost sum(std::int64_t at) const { return simulated_ ? simulated_->sum(at) : closed_.sum(at); }

    Coster coster_;
    ClosedStages closed_;
    std::optional<SimulatedStages> simulated_;
    sim::Bounded weights_, slowest_;
    mutable std::optional<StageCost> queries_;
};

/// Mean cost of the stages with the cache over the decoded tokens.
struct MeanCache {
    TreeCosts const& costs;
    MeshAllowances const& allowed;
    Design const& design;
    std::int64_t product;  ///< cycles of a key and its value

    [[nodiscard]] sim::Bounded at(std::int64_t context) const {
        return costs.cache(context) + sim::Bounded(costs.products(context, product));
    }
    [[nodiscard]] std::vector<Sample> samples() const {
        return sampled_keys(design, static_cast<std::int64_t>(allowed.contexts));
    }
    [[nodiscard]] std::int64_t middle() const { return middle_keys(design); }

    [[nodiscard]] sim::Bounded simulated() const {
        sim::Bounded mean;
        for (auto const& sample : samples()) mean += at(sample.context) * sample.weight;
        return mean;
    }
    /// The mean of the lower bounds over the same contexts, and the largest upper bound of three contexts: the middle,
    /// the fewest and the most keys.
    [[nodiscard]] sim::Bounded bounded() const {
        auto const here = at(middle());
        auto const sampled = samples();
        auto const [fewest, most] = std::ranges::minmax(sampled, {}, &Sample::context);
        double lower = 0.0;
        for (auto const& [context, weight] : sampled) {
            std::int64_t const before = context < middle() ? fewest.context : middle();
            lower += weight * (costs.min_cache(context, before) + costs.products(context, product));
        }
        double const upper = std::max({here.upper, at(fewest.context).upper, at(most.context).upper, here.value});
        return {here.value, lower, upper, {sim::Bound::proved, sim::Bound::calibrated}};
    }
};

/// Prepares sums of closed forms as results: bounds allow for rounding, and an estimate is at least its lower bound.
void settle(std::vector<LayerPart>& parts, double rounding) {
    for (auto& part : parts) {
        auto& c = part.cycles;
        double const value = std::max(c.value, c.lower);
        c = {value, c.lower * (1.0 - rounding), std::max(c.upper, value) * (1.0 + rounding), c.kinds};
    }
}

/// Passes of any length through a layer. All that is not made in the constructor is cached for all threads.
class TreePasses {
  public:
    TreePasses(MachineConstants const& machine, Design const& design, Partition const& p, PlacedLayer const& layer,
               MeshCounts const& counts, Fidelity fidelity)
        : costs_(coster_of(machine, design, layer), fidelity),
          closed_(coster_of(machine, design, layer), Fidelity::analytic),
          spaced_(layer.program().filling_context(), static_cast<std::int64_t>(machine.allowance.contexts)),
          simulates_trees_(fidelity == Fidelity::cycle &&
                           (!is_exact(router_timing(machine, design), StageKind::broadcast) ||
                            !is_exact(router_timing(machine, design), StageKind::reduction))),
          layer_(machine, design, p, counts, times(machine, design, p, counts)),
          cycles_per_key_(products_of_a_key(design, p)),
          bounded_(fidelity == Fidelity::analytic),
          rounding_(machine.allowance.rounding_share) {
        static_cast<void>(closed_.cache(1));  // the gather of queries, once for all threads
    }

    [[nodiscard]] sim::Bounded token(std::int64_t keys) const { return total(parts_of(keys)); }
    [[nodiscard]] sim::Bounded prompt(std::int64_t keys, PromptTokens const& earlier, HeldQueries const& held) const {
        return total(
            layer_.pass(parts_of(keys), [&](PromptUnits const& units) { return following(units, held, earlier); }));
    }

  private:
    [[nodiscard]] TreeTimes times(MachineConstants const& machine, Design const& design, Partition const& p,
                                  MeshCounts const& counts) const {
        auto const prompt = costs_.prompt(1);
        return {costs_.weights(), 0.0, prompt.full, pace_of(machine, design, p, counts, prompt.further), 0.0};
    }
    /// The stages with the cache; simulated trees are interpolated between some contexts.
    [[nodiscard]] sim::Bounded cache(std::int64_t keys) const {
        if (!simulates_trees_) return costs_.cache(keys);
        return spaced_.at(
            keys, [this](std::int64_t at) { return costs_.cache(at); }, closed_.cache(keys));
    }
    [[nodiscard]] std::vector<LayerPart> parts_of(std::int64_t keys) const {
        return layer_.token(static_cast<double>(keys),
                            cache(keys) + sim::Bounded(costs_.products(keys, cycles_per_key_)));
    }
    [[nodiscard]] sim::Bounded total(std::vector<LayerPart> parts) const {
        if (bounded_) settle(parts, rounding_);
        return sum_of(parts);
    }

    TreeCosts costs_, closed_;
    SpacedContexts spaced_;
    bool simulates_trees_;
    TreeLayer layer_;
    std::int64_t cycles_per_key_;
    bool bounded_;
    double rounding_;
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
        auto const keys = max_keys(design_, prompt_tokens(design_));
        for (auto const& shape : layer_.fixed()) {
            t.weights += first(shape);
            slowest = larger(slowest, further(shape));
        }
        if (design_.multiplies_in_place()) {
            multiply_in_place(t, machine, design_, partition_, counts, slowest);
            return t;
        }
        std::int64_t const full = layer_.filling_context();
        for (auto const& shape : {layer_.append(), layer_.query(full), layer_.sum(full)})
            slowest = larger(slowest, further(shape));
        t.prompt_cache = cache(keys) + products(keys);
        t.full_cache = cache(full);
        t.pace = pace_of(machine, design_, partition_, counts, slowest);
        t.keys_and_values = mean();
        return t;
    }

  private:
    [[nodiscard]] double min(sim::Bounded const& cost) const { return simulates_ ? cost.lower : cost.value; }
    [[nodiscard]] double first(StageShape const& shape) const {
        return min(closed_cost(allowed_, timing_, shape, flits_).first);
    }
    [[nodiscard]] double further(StageShape const& shape) const {
        return min(closed_cost(allowed_, timing_, shape, flits_).further);
    }
    [[nodiscard]] double cache(std::int64_t context) const {
        return first(layer_.append()) + first(layer_.query(context)) + first(layer_.sum(context));
    }
    [[nodiscard]] double products(std::int64_t context) const {
        return static_cast<double>(layer_.keys_per_router(context) * cycles_per_key_);
    }
    /// The mean over the decoded tokens. Costs increase with the number of keys: fewer than in the middle count as the
    /// fewest, others as those in the middle.
    [[nodiscard]] double mean() const {
        std::int64_t const middle = middle_keys(design_);
        if (!simulates_) return cache(middle) + products(middle);
        auto const samples = sampled_keys(design_, static_cast<std::int64_t>(allowed_.contexts));
        double const before = cache(std::ranges::min(samples, {}, &Sample::context).context), after = cache(middle);
        double sum = 0.0;
        for (auto const& [context, weight] : samples)
            sum += weight * ((context < middle ? before : after) + products(context));
        return sum;
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

LayerTime tree_layer(MachineConstants const& machine, Design const& design, Partition const& p,
                     PlacedLayer const& layer, MeshCounts const& counts, Fidelity fidelity) {
    TreeCosts const costs(coster_of(machine, design, layer), fidelity);
    // With the serial schedule, tree collectives are only for comparison and the same at every fidelity.
    bool const bounded = fidelity == Fidelity::analytic && design.schedule == Schedule::tree;
    auto const keys = max_keys(design, prompt_tokens(design));
    std::int64_t const cycles_per_key = products_of_a_key(design, p);
    MeanCache const mean{costs, machine.allowance, design, cycles_per_key};
    auto const prompt = costs.prompt(keys);
    TreeTimes times{costs.weights(), prompt.last + sim::Bounded(costs.products(keys, cycles_per_key)), prompt.full,
                    pace_of(machine, design, p, counts, prompt.further), 0.0};
    if (!design.diffuses())
        times.keys_and_values = fidelity == Fidelity::cycle ? mean.simulated()
                                : bounded                   ? mean.bounded()
                                                            : mean.at(mean.middle());
    if (design.multiplies_in_place()) multiply_in_place(times, machine, design, p, counts, costs.slowest_weights());
    auto t = composed(machine, design, p, counts, times);
    if (!bounded) return t;
    settle(t.prefill, machine.allowance.rounding_share);
    settle(t.decode, machine.allowance.rounding_share);
    settle(t.last, machine.allowance.rounding_share);
    return t;
}

LayerPasses tree_passes(MachineConstants const& machine, Design const& design, Partition const& p,
                        PlacedLayer const& layer, MeshCounts const& counts, Fidelity fidelity) {
    sim::expects(design.schedule == Schedule::tree && design.multiplies_in_routers(),
                 "trees carry queries to the keys");
    auto const all = std::make_shared<TreePasses const>(machine, design, p, layer, counts, fidelity);
    return {[all](std::int64_t keys) { return all->token(keys); },
            [all](std::int64_t keys, PromptTokens const& earlier, HeldQueries const& held) {
                return all->prompt(keys, earlier, held);
            }};
}

std::vector<TreeStageTime> tree_stages(MachineConstants const& machine, Design const& design,
                                       PlacedLayer const& layer) {
    auto const coster = coster_of(machine, design, layer);
    auto const costs = ClosedStages(coster).fixed();
    auto const stages = layer.program().carrying(coster.flits).fixed_stages();
    sim::expects(costs.size() == stages.size(), "every stage has a cost");
    std::vector<TreeStageTime> times;
    for (std::size_t i = 0; i < stages.size(); ++i) times.push_back({stages[i].name, costs[i].first.value});
    return times;
}

LayerTime tree_layer_lower_bound(MachineConstants const& machine, Design const& design, Partition const& p,
                                 LayerLowerBound const& layer, MeshCounts const& counts) {
    return composed(machine, design, p, counts, TreeLowerBound(machine, design, p, layer).times(machine, counts));
}

}  // namespace pimdse::models::cim_mesh
