#include "models/cim_mesh/step.hpp"

#include "models/cim_mesh/events.hpp"
#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/serial_layer.hpp"
#include "models/cim_mesh/layer/tree_layer.hpp"
#include "models/llm/step_passes.hpp"
#include "sim/base/check.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace pimdse::models::cim_mesh {

using sim::serving::StepCost;
using sim::serving::StepWork;
using End = MeshSteps::End;

/// Cost of a decoded token in all layers of a kind.
struct TokenCost {
    sim::Bounded cycles;   ///< of one layer
    double sum = 0.0;      ///< J of the events in all layers
    EnergyByRow joules{};  ///< and by row
};

namespace {

/// Joules by row of the ledger, or in sum.
void add(EnergyByRow& to, EnergyByRow const& more, double times = 1.0) {
    for (std::size_t row = 0; row < to.size(); ++row) to[row] += times * more[row];
}
void add(double& to, EnergyByRow const& more, double times = 1.0) { to += times * models::sum_of(more); }
void add(EnergyByRow& to, TokenCost const& more) { add(to, more.joules); }
void add(double& to, TokenCost const& more) { to += more.sum; }
double& at_rest(EnergyByRow& joules) { return joules[energy_row("idle_units")]; }
double& at_rest(double& joules) { return joules; }

}  // namespace

/// Costs of tokens by their number of keys, from a pure function: those of neighbouring numbers are computed together
/// when one of them is needed, and kept for all threads.
class TokenTable {
  public:
    using Cost = std::function<TokenCost(std::int64_t keys)>;
    /// Keeps the costs of 1 to `most` keys.
    TokenTable(std::int64_t most, Cost cost)
        : cost_(std::move(cost)), blocks_(static_cast<std::size_t>((most + size - 1) / size)) {}

    /// Precondition: keys >= 1. What is not kept goes to `beyond`.
    [[nodiscard]] TokenCost const& at(std::int64_t keys, TokenCost& beyond) const {
        auto const at = static_cast<std::size_t>((keys - 1) / size);
        if (at >= blocks_.size()) return beyond = cost_(keys);
        auto const* block = blocks_[at].load(std::memory_order_acquire);
        return (block == nullptr ? make(at) : *block)[static_cast<std::size_t>((keys - 1) % size)];
    }

  private:
    static constexpr std::int64_t size = 64;
    using Block = std::vector<TokenCost>;

    [[nodiscard]] Block const& make(std::size_t at) const {
        auto block = std::make_unique<Block>();
        for (std::int64_t i = 1; i <= size; ++i) block->push_back(cost_(static_cast<std::int64_t>(at) * size + i));
        std::scoped_lock const lock(mutex_);
        if (auto const* known = blocks_[at].load(std::memory_order_relaxed)) return *known;
        blocks_[at].store(owned_.emplace_back(std::move(block)).get(), std::memory_order_release);
        return *owned_.back();
    }

    Cost cost_;
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<Block>> owned_;
    mutable std::vector<std::atomic<Block const*>> blocks_;
};

struct MeshSteps::Kind {
    KindOnMesh on;
    std::shared_ptr<PlacedLayer const> layer;
    MeshCounts counts;
    KvCache cache;
    HeldQueries held;  ///< with the keys of one request alone
    EventEnergy each;
    StaticPower power;
    LayerPasses passes{};
    double layers = 0.0;
    double start = 0.0;  ///< cycles of every pass in a layer: the host, and the issue of commands
    std::unique_ptr<TokenTable> tokens{};

    Kind(MachineConstants const& machine, KindOnMesh const& kind, std::shared_ptr<PlacedLayer const> placed)
        : on(kind),
          layer(std::move(placed)),
          counts(count_mesh(machine, on.design, on.partition, *layer)),
          cache(machine, on.design, on.partition),
          held(cache, on.design.context_tile),
          each(event_energy(machine, on.design, on.partition)),
          power(static_power(machine, on.design, on.partition,
                             powered(machine, on.design, on.partition, layer->placement().used_cols))),
          layers(static_cast<double>(on.design.model->layers)) {}
    [[nodiscard]] TokenCost const& token(std::int64_t context, TokenCost& beyond) const {
        return tokens->at(keys_at(on.design, context), beyond);
    }
    [[nodiscard]] EnergyByRow joules(Events const& events) const { return joules_of(each, events); }
};

MeshSteps::~MeshSteps() = default;

MeshSteps::MeshSteps(MachineConstants const& machine, std::vector<KindOnMesh> const& kinds,
                     std::vector<Floor> const& layouts, Fidelity fidelity)
    : machine_(&machine) {
    auto const& d = kinds.front().design;
    sim::expects(!broken_step_rule(d), "the steps of the design are modelled");
    frequency_ = d.frequency;
    head_ = head_cycles(machine, d, kinds.front().partition) / frequency_;
    adapter_every_ = d.adapter_every;
    for (std::size_t i = 0; i < kinds.size(); ++i)
        prepare(*kinds_.emplace_back(std::make_unique<Kind>(machine, kinds[i], layouts[i].layer)), fidelity);
}

void MeshSteps::prepare(Kind& kind, Fidelity fidelity) {
    auto const& machine = *machine_;
    auto const& [d, p] = kind.on;
    auto const passes = d.schedule == Schedule::serial ? serial_passes : tree_passes;
    kind.passes = passes(machine, d, p, *kind.layer, kind.counts, fidelity);
    // Commands that repeat are the same for every pass.
    kind.start = d.layer_overhead * d.frequency + issue_cycles(machine, d, commands_of(d, p, 1.0), 1.0);
    kind.tokens = std::make_unique<TokenTable>(d.longest_context(), [&machine, &kind](std::int64_t keys) {
        auto const& [design, parts] = kind.on;
        auto const joules = kind.joules(token_events(machine, design, parts, kind.counts, keys));
        return TokenCost{kind.passes.token(keys) + kind.start, models::sum_of(joules), joules};
    });
    layers_.push_back(static_cast<std::size_t>(d.model->layers));
    add(head_joules_, kind.joules(head_events(machine, d, p, kind.counts)));
    at_rest(head_joules_) += head_ * kind.power.head;
    swap_.times.push_back(reprogram_time(machine, d, p));
    swap_.layers.push_back(kind.layers);
    adapter_joules_[energy_row("in_memory_logic")] += adapter_bytes(d, p) * kind.each.scratchpad;
    adapter_joules_[energy_row("host_transfer")] += adapter_bytes(d, p) * machine.host_transfer.si;
}

/// A round of `compose`: a token of one sequence follows its last one as soon as it is there, through all layers and
/// the head; and each of these works for one sequence at a time.
template <class Of>
Of MeshSteps::round(StepWork const& work, End end) const {
    Of t;
    TokenCost beyond;
    std::vector<double> busy(kinds_.size(), 0.0);
    double longest = 0.0;
    for (auto const context : work.contexts) {
        double route = 0.0;
        for (std::size_t k = 0; k < kinds_.size(); ++k) {
            auto const& cost = kinds_[k]->token(context, beyond);
            busy[k] += cost.cycles.*end;
            route += kinds_[k]->layers * (cost.cycles.*end);
            add(t.joules, cost);
        }
        longest = std::max(longest, route);
    }
    t.seconds = longest / frequency_ + (work.heads > 0 ? head_ : 0.0);
    t.seconds = std::max(t.seconds, static_cast<double>(work.heads) * head_);
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
        double const seconds = busy[k] / frequency_;
        t.seconds = std::max(t.seconds, seconds);
        at_rest(t.joules) += kinds_[k]->power.layer * kinds_[k]->layers * seconds;
    }
    return t;
}

/// Tokens go ahead, prompts follow; the first prompts are those that are complete.
template <class Of>
Of MeshSteps::with_prompts(StepWork const& work, End end) const {
    Of t;
    LayerPipeline pipeline(layers_, head_ > 0.0);
    std::vector<double> now(kinds_.size()), first;
    TokenCost beyond;
    auto heads = work.heads;
    auto const follow = [&](auto const& cycles_of) {
        for (std::size_t k = 0; k < kinds_.size(); ++k) {
            now[k] = cycles_of(*kinds_[k]) / frequency_;
            at_rest(t.joules) += kinds_[k]->power.layer * kinds_[k]->layers * now[k];
        }
        pipeline.follow(now, heads > 0 ? head_ : 0.0);
        --heads;
    };
    for (auto const context : work.contexts) {
        follow([&](Kind const& kind) {
            auto const& cost = kind.token(context, beyond);
            add(t.joules, cost);
            return cost.cycles.*end;
        });
    }
    std::vector<HeldQueries> held;
    for (auto const& kind : kinds_) {
        std::int64_t others = 0;
        for (auto const context : work.contexts) others += max_keys(kind->on.design, context);
        held.push_back(kind->held.beside(static_cast<std::int64_t>(work.chunks.size()), others));
    }
    std::int64_t begun = 0;
    for (auto const& chunk : work.chunks) {
        auto at = held.begin();
        follow([&, tokens = chunk.tokens, cached = chunk.cached](Kind const& kind) {
            auto const& queries = *at++;
            auto const& [d, p] = kind.on;
            auto const earlier = tokens_of_prompt(d, tokens - 1, cached);
            add(t.joules, kind.joules(prompt_events(*machine_, d, p, kind.counts, queries, tokens, cached)));
            return kind.passes.prompt(max_keys(d, cached + tokens), earlier, queries).*end + kind.start;
        });
        if (chunk.cached > 0) continue;
        if (begun++ == 0) first = now;
    }
    t.seconds = pipeline.end();
    if (begun == 0) return t;
    auto swap = swap_;
    if (adapter_every_ > 0) swap.batches = static_cast<double>(adapter_every_) / static_cast<double>(begun);
    t.seconds += swap.first();
    // A longer prompt hides more: the lower bound is without this part.
    if (end != &sim::Bounded::lower) t.seconds += swap.later([&](std::size_t k) { return first[k]; });
    add(t.joules, adapter_joules_, 1.0 / swap.batches);
    return t;
}

template <class Of>
Of MeshSteps::of(StepWork const& work, End end) const {
    auto cost = work.chunks.empty() ? round<Of>(work, end) : with_prompts<Of>(work, end);
    add(cost.joules, head_joules_, static_cast<double>(work.heads));
    if (end == &sim::Bounded::lower) cost.seconds *= 1.0 - machine_->allowance.rounding_share;
    return cost;
}

MeshSteps::Cost MeshSteps::cost(StepWork const& work, End end) const { return of<Cost>(work, end); }
StepCost MeshSteps::total(StepWork const& work, End end) const { return of<StepCost>(work, end); }

MeshSteps::Cost MeshSteps::mean_token(std::int64_t first, std::int64_t last, std::int64_t sequences, End end) const {
    Cost mean;
    auto const take = [&](std::int64_t context, double weight) {
        auto const one = cost({{}, std::vector(static_cast<std::size_t>(sequences), context), sequences}, end);
        mean.seconds += weight * one.seconds;
        add(mean.joules, one.joules, weight);
    };
    auto const max = static_cast<std::int64_t>(machine_->allowance.contexts), count = last - first + 1;
    if (count <= max)
        for (auto context = first; context <= last; ++context) take(context, 1.0 / static_cast<double>(count));
    else
        for (auto const& [context, weight] : sampled_contexts(first - 1, count + 1, max)) take(context, weight);
    return mean;
}

void MeshSteps::add_rest(Standby& to) const {
    for (auto const& kind : kinds_)
        kind->power.rest.each(1.0, {}, [&](EnergyPart part, sim::Bounded const& watts) { to.add(part, watts.value); });
}

void MeshSteps::set_cache(ServiceEngine& engine) const {
    auto positions = std::int64_t{1} << 53;  // of the fullest kind
    engine.position_bytes = 0.0;
    for (auto const& kind : kinds_) {
        auto const slots = kind->cache.needed_by_all(1);
        positions = std::min(positions, kind->cache.capacity() / slots);
        engine.position_bytes += kind->layers * static_cast<double>(slots) * kind->cache.slot_bytes();
    }
    auto const& d = kinds_.front()->on.design;
    engine.cache_bytes = static_cast<double>(positions) * engine.position_bytes;
    engine.moved = {engine.position_bytes, 0.0};
    engine.max_context = d.model->maximum_context;
    engine.max_sequences = d.is_leap() ? max_on_leap : 0;
}

std::optional<Infeasible> broken_step_rule(Design const& d) {
    auto const because = [](char const* why) { return Infeasible{"traffic", why}; };
    if (d.diffuses()) return because("steps of denoised blocks are not modelled: generation = autoregressive");
    if (auto rule = models::broken_step_rule(d)) return rule;
    if (d.searches_schedule())
        return because("which schedule is faster depends on the request: schedule = serial or schedule = tree");
    if (d.searches_placement() || d.hubs == Hubs::searched)
        return because("a search places the crossbars for one request: placement = packed or genes, a rule for hubs");
    if (!d.multiplies_in_routers())
        return because(
            "arrays and buffers for keys, values and scores are as large as one request needs: dynamic_products = "
            "routers");
    if (d.keeps_scores()) return because("the room for kept scores is that of one request: scores = used");
    if (d.controller == MainController::unrolled)
        return because("the memory for commands that do not repeat is that of one request: controller = repeating");
    if (d.weight_load == CellProgramming::once)
        return because("an engine serves once its cells are programmed: weight_load = none");
    return std::nullopt;
}

PlacedDesign placed_for_steps(Prepared const& prepared, Design d, Fidelity fidelity) {
    constexpr std::int64_t any = std::int64_t{1} << 20;
    d.batch = 1;
    d.output = 1;
    d.input = std::max<std::int64_t>(2, d.model->maximum_context > 0 ? d.model->maximum_context : any) - 1;
    return placed(prepared, d, fidelity, [](Design shortest) {
        shortest.input = shortest.output = 1;
        return shortest;
    });
}

ServiceEngine service_engine(MachineConstants const& machine, std::vector<KindOnMesh> const& kinds,
                             std::vector<Floor> const& layouts, Fidelity fidelity) {
    auto const costs = std::make_shared<MeshSteps const>(machine, kinds, layouts, fidelity);
    ServiceEngine engine;
    Standby rest;
    costs->add_rest(rest);
    engine.stand_by(rest, machine.host.si);
    engine.law.one = [costs, idle = engine.idle_power](StepWork const& work) -> StepCost {
        auto const cost = costs->total(work);
        return {cost.seconds, idle * cost.seconds + cost.joules};
    };
    engine.min_seconds = [costs](StepWork const& work) { return costs->total(work, &sim::Bounded::lower).seconds; };
    costs->set_cache(engine);
    return engine;
}

}  // namespace pimdse::models::cim_mesh
