#include "models/cim_mesh/step.hpp"

#include "models/cim_mesh/events.hpp"
#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/serial_layer.hpp"
#include "models/cim_mesh/layer/tree_layer.hpp"
#include "models/llm/step_passes.hpp"
#include "sim/base/check.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace pimdse::models::cim_mesh {
namespace {

using sim::serving::StepCost;
using sim::serving::StepWork;

/// Cost of a decoded token in all layers of a kind.
struct TokenCost {
    double cycles = 0.0;  ///< of one layer
    double min = 0.0;     ///< a lower bound of them at cycle level
    double joules = 0.0;  ///< of the events in all layers
};

/// Costs of tokens by their number of keys, from a pure function: those of neighbouring numbers are computed together
/// when one of them is needed, and kept for all threads.
class TokenTable {
  public:
    using Cost = std::function<TokenCost(std::int64_t keys)>;
    /// Keeps the costs of 1 to `most` keys.
    TokenTable(std::int64_t most, Cost cost)
        : cost_(std::move(cost)), blocks_(static_cast<std::size_t>((most + size - 1) / size)) {}

    /// Precondition: keys >= 1.
    [[nodiscard]] TokenCost at(std::int64_t keys) const {
        auto const at = static_cast<std::size_t>((keys - 1) / size),
                   place = static_cast<std::size_t>((keys - 1) % size);
        if (at >= blocks_.size()) return cost_(keys);
        auto const* block = blocks_[at].load(std::memory_order_acquire);
        return (block == nullptr ? make(at) : *block)[place];
    }

  private:
    static constexpr std::int64_t size = 64;
    using Block = std::array<TokenCost, static_cast<std::size_t>(size)>;

    [[nodiscard]] Block const& make(std::size_t at) const {
        auto block = std::make_unique<Block>();
        for (std::size_t i = 0; i < block->size(); ++i)
            (*block)[i] = cost_(static_cast<std::int64_t>(at) * size + static_cast<std::int64_t>(i) + 1);
        std::scoped_lock const lock(mutex_);
        if (auto const* known = blocks_[at].load(std::memory_order_relaxed)) return *known;
        owned_.push_back(std::move(block));
        blocks_[at].store(owned_.back().get(), std::memory_order_release);
        return *owned_.back();
    }

    Cost cost_;
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<Block>> owned_;
    mutable std::vector<std::atomic<Block const*>> blocks_;
};

double of(sim::Bounded const& cycles, bool lower) { return lower ? cycles.lower : cycles.value; }

/// Costs of the steps of an engine. Thread-safe.
class MeshSteps {
  public:
    MeshSteps(MachineConstants const& machine, std::vector<KindOnMesh> const& kinds, std::vector<Floor> const& layouts,
              Fidelity fidelity)
        : machine_(&machine) {
        auto const& d = kinds.front().design;
        sim::expects(!broken_step_rule(d), "the steps of the design are modelled");
        frequency_ = d.frequency;
        head_ = head_cycles(machine, d, kinds.front().partition) / frequency_;
        adapter_every_ = d.adapter_every;
        rounding_ = machine.allowance.rounding_share;
        idle_ = machine.host.si;
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            auto const& [design, partition] = kinds[i];
            kinds_.push_back(std::unique_ptr<Kind>(new Kind{kinds[i],
                                                            layouts[i].layer,
                                                            count_mesh(machine, design, partition, *layouts[i].layer),
                                                            {},
                                                            event_energy(machine, design, partition),
                                                            {},
                                                            {KvCache(machine, design, partition), design.context_tile},
                                                            static_cast<double>(design.model->layers),
                                                            0.0,
                                                            {}}));
            prepare(*kinds_.back(), fidelity);
        }
    }

    [[nodiscard]] sim::serving::StepCost one(StepWork const& work) const {
        auto const t = times(work, End::value);
        return {t.seconds, idle_ * t.seconds + t.working + t.joules + static_cast<double>(work.heads) * head_joules_};
    }
    /// A lower bound of the seconds at cycle level.
    [[nodiscard]] double min_seconds(StepWork const& work) const {
        return times(work, End::lower).seconds * (1.0 - rounding_);
    }
    [[nodiscard]] double idle_watts() const { return idle_; }  ///< machine and host
    /// Positions whose keys and values the fullest kind of layers holds, and their bytes in all layers.
    [[nodiscard]] std::int64_t positions() const {
        std::int64_t all = std::int64_t{1} << 53;
        for (auto const& kind : kinds_) {
            KvCache const cache(*machine_, kind->on.design, kind->on.partition);
            all = std::min(all, cache.capacity() / cache.needed_by_all(1));
        }
        return all;
    }
    [[nodiscard]] double position_bytes() const {
        double bytes = 0.0;
        for (auto const& kind : kinds_) {
            KvCache const cache(*machine_, kind->on.design, kind->on.partition);
            bytes += kind->layers * static_cast<double>(cache.needed_by_all(1)) * cache.slot_bytes();
        }
        return bytes;
    }

  private:
    struct Kind {
        KindOnMesh on;
        std::shared_ptr<PlacedLayer const> layer;
        MeshCounts counts;
        LayerPasses passes;
        EventEnergy each;
        StaticPower power;
        HeldQueries held;  ///< with the keys of one request alone
        double layers = 0.0;
        double start = 0.0;  ///< cycles of every pass in a layer: the host, and the issue of commands
        std::unique_ptr<TokenTable> tokens;

        [[nodiscard]] std::int64_t keys(std::int64_t context) const { return keys_at(on.design, context); }
        [[nodiscard]] double joules(Events const& events) const { return event_joules({each, events, {}, power}, 1.0); }
    };
    /// Of all passes of a step.
    struct Times {
        double seconds = 0.0;
        double working = 0.0;  ///< J: static power of the layers at work
        double joules = 0.0;   ///< of events
    };
    enum class End : std::uint8_t { value, lower };

    void prepare(Kind& kind, Fidelity fidelity) {
        auto const& machine = *machine_;
        auto const& [d, p] = kind.on;
        auto const passes = d.schedule == Schedule::serial ? serial_passes : tree_passes;
        kind.passes = passes(machine, d, p, *kind.layer, kind.counts, fidelity);
        kind.power = static_power(machine, d, p, powered(machine, d, p, kind.layer->placement().used_cols));
        // Commands that repeat are the same for every pass.
        kind.start = d.layer_overhead * d.frequency + issue_cycles(machine, d, commands_of(d, p, 1.0), 1.0);
        kind.tokens = std::make_unique<TokenTable>(d.longest_context(), [&machine, &kind](std::int64_t keys) {
            auto const& [design, parts] = kind.on;
            auto const cycles = kind.passes.token(keys);
            return TokenCost{cycles.value + kind.start, cycles.lower + kind.start,
                             kind.joules(token_events(machine, design, parts, kind.counts, keys))};
        });
        layers_.push_back(static_cast<std::size_t>(d.model->layers));
        idle_ += kind.power.rest.idle();
        head_joules_ += kind.joules(head_events(machine, d, p, kind.counts)) + head_ * kind.power.head;
        swap_.times.push_back(reprogram_time(machine, d, p));
        swap_.layers.push_back(kind.layers);
        adapter_joules_ += adapter_bytes(d, p) * (kind.each.scratchpad + machine.host_transfer.si);
    }
    /// A round of `compose`: a token of one sequence follows its last one as soon as it is there, through all layers
    /// and the head; and each of these works for one sequence at a time.
    [[nodiscard]] Times round(StepWork const& work, End end) const {
        Times t;
        std::vector<double> busy(kinds_.size(), 0.0);
        double longest = 0.0;
        for (auto const context : work.contexts) {
            double route = 0.0;
            for (std::size_t k = 0; k < kinds_.size(); ++k) {
                auto const& kind = *kinds_[k];
                auto const cost = kind.tokens->at(kind.keys(context));
                double const cycles = end == End::value ? cost.cycles : cost.min;
                busy[k] += cycles;
                route += kind.layers * cycles;
                t.joules += cost.joules;
            }
            longest = std::max(longest, route);
        }
        t.seconds = longest / frequency_ + (work.heads > 0 ? head_ : 0.0);
        t.seconds = std::max(t.seconds, static_cast<double>(work.heads) * head_);
        for (std::size_t k = 0; k < kinds_.size(); ++k) {
            double const seconds = busy[k] / frequency_;
            t.seconds = std::max(t.seconds, seconds);
            t.working += kinds_[k]->power.layer * kinds_[k]->layers * seconds;
        }
        return t;
    }
    /// Tokens go ahead, prompts follow; the first prompts are those that are complete.
    [[nodiscard]] Times with_prompts(StepWork const& work, End end) const {
        Times t;
        bool const lower = end == End::lower;
        LayerPipeline pipeline(layers_, head_ > 0.0);
        std::vector<double> now(kinds_.size()), first;
        auto heads = work.heads;
        auto const follow = [&](auto const& cycles_of) {
            for (std::size_t k = 0; k < kinds_.size(); ++k) {
                now[k] = cycles_of(*kinds_[k]) / frequency_;
                t.working += kinds_[k]->power.layer * kinds_[k]->layers * now[k];
            }
            pipeline.follow(now, heads > 0 ? head_ : 0.0);
            --heads;
        };
        for (auto const context : work.contexts) {
            follow([&](Kind const& kind) {
                auto const cost = kind.tokens->at(kind.keys(context));
                t.joules += cost.joules;
                return lower ? cost.min : cost.cycles;
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
                t.joules += kind.joules(prompt_events(*machine_, d, p, kind.counts, queries, tokens, cached));
                return of(kind.passes.prompt(max_keys(d, cached + tokens), earlier, queries), lower) + kind.start;
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
        if (!lower) t.seconds += swap.later([&](std::size_t k) { return first[k]; });
        t.joules += adapter_joules_ / swap.batches;
        return t;
    }
    [[nodiscard]] Times times(StepWork const& work, End end) const {
        return work.chunks.empty() ? round(work, end) : with_prompts(work, end);
    }

    MachineConstants const* machine_;
    std::vector<std::unique_ptr<Kind>> kinds_;
    std::vector<std::size_t> layers_;
    double frequency_ = 1.0;
    double head_ = 0.0;  ///< s of the LM head for a position
    double head_joules_ = 0.0;
    AdapterSwap swap_;
    std::int64_t adapter_every_ = 0;
    double adapter_joules_ = 0.0;
    double idle_ = 0.0;
    double rounding_ = 0.0;
};

}  // namespace

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

Design with_longest_request(Design d) {
    constexpr std::int64_t any = std::int64_t{1} << 20;
    d.batch = 1;
    d.output = 1;
    d.input = std::max<std::int64_t>(2, d.model->maximum_context > 0 ? d.model->maximum_context : any) - 1;
    return d;
}

ServiceEngine service_engine(MachineConstants const& machine, std::vector<KindOnMesh> const& kinds,
                             std::vector<Floor> const& layouts, Fidelity fidelity) {
    auto const costs = std::make_shared<MeshSteps const>(machine, kinds, layouts, fidelity);
    auto const& d = kinds.front().design;
    ServiceEngine engine;
    engine.law.one = [costs](StepWork const& work) { return costs->one(work); };
    engine.min_seconds = [costs](StepWork const& work) { return costs->min_seconds(work); };
    engine.idle_power = engine.waiting_power = costs->idle_watts();
    engine.position_bytes = costs->position_bytes();
    engine.cache_bytes = static_cast<double>(costs->positions()) * engine.position_bytes;
    engine.moved = {engine.position_bytes, 0.0};
    engine.max_context = d.model->maximum_context;
    engine.max_sequences = d.is_leap() ? max_on_leap : 0;
    return engine;
}

}  // namespace pimdse::models::cim_mesh
