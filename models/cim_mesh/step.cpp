#include "models/cim_mesh/step.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/ledger.hpp"
#include "models/llm/step_passes.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
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
        head_events_ += models::sum_of(head);
        head_power_ += kind.placed.power().head;
        adapter_joules_ += models::sum_of(adapter_joules(machine, d, p, kind.placed.each()));
    }
}

/// Passes of the sequences of a step, one behind the other.
struct MeshSteps::Queue {
    MeshSteps const& mesh;
    std::optional<LayerPipeline> pipeline{};  ///< if the layers are empty before the step
    std::vector<double> now, busy;            ///< s in a layer, by kind
    double longest = 0.0, in_head = 0.0, joules = 0.0;

    Queue(MeshSteps const& of, bool fills) : mesh(of), now(of.kinds_.size()), busy(of.kinds_.size(), 0.0) {
        if (fills) pipeline.emplace(of.layers_, of.head_ > 0.0);
    }
    /// The next pass: cycles_of(kind) in a layer, and s in the LM head.
    template <class CyclesOf>
    void follow(CyclesOf const& cycles_of, double head) {
        double route = head;
        for (std::size_t k = 0; k < mesh.kinds_.size(); ++k) {
            auto const& kind = *mesh.kinds_[k];
            now[k] = cycles_of(kind) / mesh.frequency_;
            busy[k] += now[k];
            route += kind.layers * now[k];
            joules += kind.placed.power().layer * kind.layers * now[k];
        }
        if (pipeline) pipeline->follow(now, head);
        in_head += head;
        longest = std::max(longest, route);
    }
    /// Otherwise a token of a sequence follows its last one as soon as it is there, through all layers and the head;
    /// and each of these works for one sequence at a time.
    [[nodiscard]] double seconds() const {
        return pipeline ? pipeline->end() : std::max({longest, in_head, std::ranges::max(busy)});
    }
};

/// Tokens go ahead, prompts follow; the first prompts are those that are complete.
StepCost MeshSteps::cost(StepWork const& work, End end) const {
    bool const fills = !work.chunks.empty();
    Queue queue(*this, fills);
    TokenCost beyond;
    auto heads = work.heads;
    auto const next_head = [&] { return heads-- > 0 ? head_ : 0.0; };
    for (auto const context : work.contexts)
        queue.follow(
            [&](Kind const& kind) {
                auto const& cost = kind.token(context, beyond);
                queue.joules += cost.joules;
                return cost.cycles.*end;
            },
            next_head());
    std::vector<HeldQueries> held;
    for (std::size_t k = 0; fills && k < kinds_.size(); ++k) {
        auto const& placed = kinds_[k]->placed;
        std::int64_t others = 0;
        for (auto const context : work.contexts) others += max_keys(placed.design(), context);
        held.push_back(placed.held().beside(static_cast<std::int64_t>(work.chunks.size()), others));
    }
    std::vector<double> first;  // s of the first prompt that begins
    std::int64_t begun = 0;
    for (auto const& chunk : work.chunks) {
        auto at = held.begin();
        queue.follow(
            [&, tokens = chunk.tokens, cached = chunk.cached](Kind const& kind) {
                auto const& queries = *at++;
                auto const pass = prompt_pass(kind.placed.design(), tokens, cached);
                queue.joules += kind.joules(pass, queries);
                return sum_of(kind.placed.parts(pass, queries).parts).*end;
            },
            next_head());
        if (chunk.cached == 0 && begun++ == 0) first = queue.now;
    }
    StepCost t{queue.seconds(), queue.joules};
    if (begun > 0) {
        auto swap = swap_;
        if (adapter_every_ > 0) swap.batches = static_cast<double>(adapter_every_) / static_cast<double>(begun);
        t.seconds += swap.first();
        // A longer prompt hides more: the lower bound is without this part.
        if (end != &sim::Bounded::lower) t.seconds += swap.later([&](std::size_t k) { return first[k]; });
        t.joules += adapter_joules_ / swap.batches;
    }
    t.joules += static_cast<double>(work.heads) * (head_events_ + head_ * head_power_);
    if (end == &sim::Bounded::lower) t.seconds *= 1.0 - machine_->allowance.rounding_share;
    return t;
}

StepCost MeshSteps::denoising(std::span<PassShape const> sequences, std::int64_t yielding, bool fills, End end) const {
    Queue queue(*this, fills);
    auto const& first = kinds_.front()->placed;
    auto const block = static_cast<double>(first.design().block_length);
    double const head = head_cycles(*machine_, first.design(), first.partition(), block) / frequency_;
    std::int64_t begun = 0;
    for (auto const& shape : sequences)
        queue.follow(
            [&](Kind const& kind) {
                auto const pass = pass_of(*machine_, kind.placed.design(), shape);
                auto const held = kind.placed.held().beside(static_cast<std::int64_t>(sequences.size()), 0);
                queue.joules += kind.joules(pass, held);
                return sum_of(kind.placed.parts(pass, held).parts).*end;
            },
            begun++ < yielding ? head : 0.0);
    StepCost t{queue.seconds(), queue.joules};
    t.joules += static_cast<double>(yielding) * (block * head_events_ + head * head_power_);
    if (end == &sim::Bounded::lower) t.seconds *= 1.0 - machine_->allowance.rounding_share;
    return t;
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
    if (d.diffuses() && !d.lora_targets.empty())
        return because(
            "adapters are written as prompts begin, and passes of denoised blocks do not say when: lora_targets = "
            "none");
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
    d.output = d.diffuses() ? d.block_length : 1;
    d.input = std::max(d.output + 1, d.model->maximum_context > 0 ? d.model->maximum_context : any) - d.output;
    return placed(prepared, d, fidelity, [](Design shortest) {
        shortest.input = 1;
        return shortest;
    });
}

}  // namespace pimdse::models::cim_mesh
