#include "models/cim_mesh/step.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/ledger.hpp"
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

/// Cost of a decoded token in all layers of a kind: services look up millions of them.
struct TokenCost {
    sim::Bounded cycles;  ///< of one layer
    double joules = 0.0;  ///< of the events in all layers
};

namespace {

/// A token that attends to so many keys.
LayerPass token_at(std::int64_t keys) { return {{{keys, 1.0}}, 1.0, static_cast<double>(keys)}; }

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
    PlacedKind placed;
    KvCache cache;
    double layers;
    TokenTable tokens;

    Kind(MachineConstants const& machine, KindOnMesh const& kind, Floor const& floor, Fidelity fidelity)
        : placed(machine, kind, floor, fidelity, true),
          cache(machine, kind.design, kind.partition),
          layers(placed.layers()),
          tokens(kind.design.longest_context(), [this](std::int64_t keys) {
              auto const pass = token_at(keys);
              return TokenCost{sum_of(placed.parts(pass).parts), joules(pass, placed.held())};
          }) {}
    [[nodiscard]] double joules(LayerPass const& pass, HeldQueries const& held) const {
        return models::sum_of(joules_of(placed.each(), placed.events(pass, held)));
    }
    [[nodiscard]] TokenCost const& token(std::int64_t context, TokenCost& beyond) const {
        return tokens.at(keys_at(placed.design(), context), beyond);
    }
};

MeshSteps::~MeshSteps() = default;

MeshSteps::MeshSteps(MachineConstants const& machine, PlacedDesign const& on_mesh, Fidelity fidelity)
    : machine_(&machine), swap_(swap_of(machine, on_mesh.kinds)) {
    auto const& design = on_mesh.design();
    sim::expects(!broken_step_rule(design), "the steps of the design are modelled");
    frequency_ = design.frequency;
    head_ = head_cycles(machine, design, on_mesh.parts(), 1.0) / frequency_;
    adapter_every_ = design.adapter_every;
    for (std::size_t i = 0; i < on_mesh.kinds.size(); ++i) {
        auto const& [d, p] = on_mesh.kinds[i];
        auto const& kind =
            *kinds_.emplace_back(std::make_unique<Kind>(machine, on_mesh.kinds[i], on_mesh.layouts[i], fidelity));
        layers_.push_back(static_cast<std::size_t>(d.model->layers));
        auto const head = joules_of(kind.placed.each(), head_events(machine, d, p, kind.placed.counts()));
        head_joules_ += models::sum_of(head) + head_ * kind.placed.power().head;
        adapter_joules_ += models::sum_of(adapter_joules(machine, d, p, kind.placed.each()));
    }
}

/// A token of one sequence follows its last one as soon as it is there, through all layers and the head; and each of
/// these works for one sequence at a time.
StepCost MeshSteps::round(StepWork const& work, End end) const {
    StepCost t;
    TokenCost beyond;
    std::vector<double> busy(kinds_.size(), 0.0);
    double longest = 0.0;
    for (auto const context : work.contexts) {
        double route = 0.0;
        for (std::size_t k = 0; k < kinds_.size(); ++k) {
            auto const& cost = kinds_[k]->token(context, beyond);
            busy[k] += cost.cycles.*end;
            route += kinds_[k]->layers * (cost.cycles.*end);
            t.joules += cost.joules;
        }
        longest = std::max(longest, route);
    }
    t.seconds = longest / frequency_ + (work.heads > 0 ? head_ : 0.0);
    t.seconds = std::max(t.seconds, static_cast<double>(work.heads) * head_);
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
        double const seconds = busy[k] / frequency_;
        t.seconds = std::max(t.seconds, seconds);
        t.joules += kinds_[k]->placed.power().layer * kinds_[k]->layers * seconds;
    }
    return t;
}

/// Tokens go ahead, prompts follow; the first prompts are those that are complete.
StepCost MeshSteps::with_prompts(StepWork const& work, End end) const {
    StepCost t;
    LayerPipeline pipeline(layers_, head_ > 0.0);
    std::vector<double> now(kinds_.size()), first;
    TokenCost beyond;
    auto heads = work.heads;
    auto const follow = [&](auto const& cycles_of) {
        for (std::size_t k = 0; k < kinds_.size(); ++k) {
            now[k] = cycles_of(*kinds_[k]) / frequency_;
            t.joules += kinds_[k]->placed.power().layer * kinds_[k]->layers * now[k];
        }
        pipeline.follow(now, heads > 0 ? head_ : 0.0);
        --heads;
    };
    for (auto const context : work.contexts) {
        follow([&](Kind const& kind) {
            auto const& cost = kind.token(context, beyond);
            t.joules += cost.joules;
            return cost.cycles.*end;
        });
    }
    std::vector<HeldQueries> held;
    for (auto const& kind : kinds_) {
        std::int64_t others = 0;
        for (auto const context : work.contexts) others += max_keys(kind->placed.design(), context);
        held.push_back(kind->placed.held().beside(static_cast<std::int64_t>(work.chunks.size()), others));
    }
    std::int64_t begun = 0;
    for (auto const& chunk : work.chunks) {
        auto at = held.begin();
        follow([&, tokens = chunk.tokens, cached = chunk.cached](Kind const& kind) {
            auto const& queries = *at++;
            auto const pass = prompt_pass(kind.placed.design(), tokens, cached);
            t.joules += kind.joules(pass, queries);
            return sum_of(kind.placed.parts(pass, queries).parts).*end;
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
    t.joules += adapter_joules_ / swap.batches;
    return t;
}

StepCost MeshSteps::cost(StepWork const& work, End end) const {
    auto cost = work.chunks.empty() ? round(work, end) : with_prompts(work, end);
    cost.joules += static_cast<double>(work.heads) * head_joules_;
    if (end == &sim::Bounded::lower) cost.seconds *= 1.0 - machine_->allowance.rounding_share;
    return cost;
}

void MeshSteps::add_rest(Standby& to) const {
    for (auto const& kind : kinds_) kind->placed.add_rest(to);
}

void MeshSteps::set_cache(ServiceEngine& engine) const {
    auto positions = std::int64_t{1} << 53;  // of the fullest kind
    engine.position_bytes = 0.0;
    for (auto const& kind : kinds_) {
        auto const slots = kind->cache.needed_by_all(1);
        positions = std::min(positions, kind->cache.capacity() / slots);
        engine.position_bytes += kind->layers * static_cast<double>(slots) * kind->cache.slot_bytes();
    }
    auto const& d = kinds_.front()->placed.design();
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

}  // namespace pimdse::models::cim_mesh
