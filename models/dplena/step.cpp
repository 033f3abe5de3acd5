#include "models/dplena/step.hpp"

#include "models/dplena/analytic.hpp"
#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/ledger.hpp"
#include "models/dplena/metrics.hpp"
#include "models/dplena/model_phase.hpp"
#include "models/dplena/parameters.hpp"
#include "models/dplena/pass.hpp"
#include "models/llm/state.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/memo.hpp"
#include "sim/serving/step.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace pimdse::models::dplena {
namespace {

using sim::as_double;
using sim::serving::StepCost;
using sim::serving::StepWork;

/// The design with so many sequences, in whole groups of `preload`.
Design with_sequences(Design design, std::int64_t sequences) {
    bool const in_groups = design.mode == Mode::performance && design.sampler == Sampler::npu;
    design.batch = in_groups ? sim::round_up(sequences, design.preload) : sequences;
    return design;
}

/// All positions of a sequence attend to all.
Positions denoised(double queries, std::int64_t positions) {
    auto const all = as_double(positions);
    return {queries, {all, all}, all};
}

/// The smallest request of the design.
Design with_smallest_request(Design design) {
    design.prompt = 1;
    design.generation_length = design.block_length;
    return design;
}

/// Costs of the steps of a serving engine on the NPU, from the laws of a pass (pass.hpp) and of the sampling of a
/// block. All sequences of a step go through the weights together, each attends to its own keys, and the logits of
/// those that yield tokens are sampled together.
///
/// Autoregressive: a step is one pass, with the sampling of a position of every sequence that yields. Diffusion: a step
/// is all denoising steps of a block of every sequence that yields: a pass over all of its positions, then `steps` - 1
/// passes over those that `model_cache` leaves, each with its sampling. `batch` is the number of sequences for which
/// memories are built, the most of a step; `input` and `output` of the design do not matter. Preconditions:
/// broken_step_rule is nullopt; `prepared` lives longer.
class NpuSteps {
  public:
    NpuSteps(Design const& design, Prepared const& prepared, Fidelity fidelity);
    [[nodiscard]] StepCost one(StepWork const& work) const;
    /// As StepLaw::many. Takes constant time per step where the cost is linear in the contexts.
    void many(StepWork const& first, std::span<StepCost> costs) const;
    /// A lower bound of the seconds of a step at cycle level.
    [[nodiscard]] double min_seconds(StepWork const& work) const;
    [[nodiscard]] double idle_watts() const { return idle_; }  ///< between steps

  private:
    /// The sampling of a block of so many sequences.
    struct Sampling {
        Design design;
        Result result;
        double seconds = 0.0, min_seconds = 0.0;
    };
    /// Sums over the sequences of a pass; `attended` by kinds of layers.
    struct Pass {
        double tokens = 0.0;
        std::vector<Attended> attended;
    };
    /// The passes of a step: the first, and the sum of the others.
    struct Passes {
        ModelPass first, rest;
    };
    [[nodiscard]] bool by_diffusion() const { return design_.generation == TokenOrder::diffusion; }
    [[nodiscard]] Pass nothing() const { return {0.0, std::vector<Attended>(law_.kinds().size())}; }
    void add(Pass& pass, Positions const& positions) const;
    [[nodiscard]] ModelPass cost_of(Pass const& pass, std::int64_t heads) const;
    /// `in_tiles`: parts of prompts are computed in whole tiles of queries; otherwise, as far as no division into parts
    /// can do with less.
    [[nodiscard]] Pass pass_of_tokens(StepWork const& work, bool in_tiles) const;
    [[nodiscard]] Pass first_denoising(StepWork const& work) const;
    [[nodiscard]] Pass later_denoising(StepWork const& work) const;
    [[nodiscard]] Passes passes_of(StepWork const& work) const;
    [[nodiscard]] bool grows_linearly(std::int64_t longest) const;
    [[nodiscard]] Sampling const& sampling(std::int64_t sequences) const;
    [[nodiscard]] StepCost with_sampling(Passes const& passes, std::int64_t heads) const;
    void many_tokens(StepWork const& first, std::span<StepCost> costs) const;

    Design design_;
    Prepared const& prepared_;
    Fidelity fidelity_;
    PassLaw law_;
    IdlePower power_;
    double idle_;
    sim::Memo<std::int64_t, Sampling> samplings_;
};

NpuSteps::NpuSteps(Design const& design, Prepared const& prepared, Fidelity fidelity)
    : design_(design),
      prepared_(prepared),
      fidelity_(fidelity),
      law_(design, prepared.machine, prepared.models[design.model]),
      power_(idle_power(design, prepared.machine)),
      idle_(power_.sum() + prepared.machine.host.si) {
    sim::expects(!broken_step_rule(design, prepared), "the steps of the design are modelled");
}

NpuSteps::Sampling const& NpuSteps::sampling(std::int64_t sequences) const {
    auto const compute = [](std::int64_t count, Design const& design, MachineConstants const& machine,
                            Fidelity fidelity) {
        auto const d = with_sequences(design, count);
        Program const program(d, machine.costs);
        auto const clock = unit_clock(d, machine);
        auto const cost = sampling_of(program, machine, fidelity);
        double const min =
            d.sampler == Sampler::host ? cost.total.value : sampling_lower_bound(program, machine.hbm.timing).total;
        return Sampling{d,
                        {.sampling = cost,
                         .clock = clock,
                         .silicon = silicon_of(d, machine),
                         .accuracy = {},
                         .model = std::nullopt,
                         .fifo = {}},
                        cost.total.value / clock.si,
                        min / clock.si};
    };
    return samplings_.get(sequences, compute, design_, prepared_.machine, fidelity_);
}

void NpuSteps::add(Pass& pass, Positions const& positions) const {
    pass.tokens += positions.queries;
    auto const kinds = law_.kinds();
    for (std::size_t i = 0; i < kinds.size(); ++i) law_.add(1.0, positions, kinds[i], pass.attended[i]);
}

ModelPass NpuSteps::cost_of(Pass const& pass, std::int64_t heads) const {
    auto const rows = heads * design_.block_length;
    return law_.of(law_.layers(pass.tokens), pass.attended, as_double(rows),
                   logit_bytes(design_, prepared_.models[design_.model], rows));
}

NpuSteps::Pass NpuSteps::pass_of_tokens(StepWork const& work, bool in_tiles) const {
    auto pass = nothing();
    auto const kinds = law_.kinds();
    for (auto const& chunk : work.chunks) {
        double const first = as_double(chunk.cached) + 1.0, tokens = as_double(chunk.tokens);
        pass.tokens += tokens;
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            double const before = std::max(0.0, keys_of(kinds[i], first) - 1.0);
            law_.add(1.0, {tokens, {first, first + tokens - 1.0}, before + tokens}, kinds[i], pass.attended[i]);
        }
    }
    // A tile that is not full multiplies by the mean of the keys: other parts may have fuller tiles where keys are
    // many.
    for (auto& attended : pass.attended)
        if (!in_tiles) attended.tiles = attended.products / as_double(design_.matrix_block);
    for (auto const context : work.contexts) {
        auto const at = as_double(context);
        add(pass, {1.0, {at, at}, at, true});
    }
    return pass;
}

/// The first pass of a block. A part of a prompt attends to what there is before it; the part that ends the prompt is
/// computed with all positions of the output.
NpuSteps::Pass NpuSteps::first_denoising(StepWork const& work) const {
    sim::expects(work.ahead.size() == work.contexts.size(), "sequences of blocks have an end");
    auto pass = nothing();
    bool const caches = design_.cache != ModelCache::none;
    for (auto const& chunk : work.chunks) {
        auto const all = chunk.cached + chunk.tokens + chunk.ahead;
        add(pass, denoised(as_double(caches ? chunk.tokens + chunk.ahead : all), all));
    }
    for (std::size_t i = 0; i < work.contexts.size(); ++i) {
        auto const all = work.contexts[i] - 1 + work.ahead[i];
        add(pass, denoised(as_double(all), all));
    }
    return pass;
}

NpuSteps::Pass NpuSteps::later_denoising(StepWork const& work) const {
    auto pass = nothing();
    auto const add_block = [&](std::int64_t before, std::int64_t ahead) {
        auto const all = before + ahead;
        auto const queries = design_.cache == ModelCache::none     ? all
                             : design_.cache == ModelCache::prefix ? ahead
                                                                   : design_.block_length;
        add(pass, denoised(as_double(queries), all));
    };
    for (auto const& chunk : work.chunks)
        if (chunk.ahead > 0) add_block(chunk.cached + chunk.tokens, chunk.ahead);
    for (std::size_t i = 0; i < work.contexts.size(); ++i) add_block(work.contexts[i] - 1, work.ahead[i]);
    return pass;
}

NpuSteps::Passes NpuSteps::passes_of(StepWork const& work) const {
    if (!by_diffusion()) return {cost_of(pass_of_tokens(work, true), work.heads), {}};
    Passes passes{cost_of(first_denoising(work), work.heads), {}};
    if (work.heads > 0 && design_.steps > 1)
        passes.rest = cost_of(later_denoising(work), work.heads).times(as_double(design_.steps - 1));
    return passes;
}

StepCost NpuSteps::with_sampling(Passes const& passes, std::int64_t heads) const {
    auto const& sampled = sampling(std::max<std::int64_t>(heads, 1));
    double const samplings = heads > 0 ? 1.0 : 0.0;
    Work work{samplings, passes.first};
    *work.model += passes.rest;
    double const first = passes.first.time.si;
    StepCost cost{(first + passes.rest.time.si) + samplings * sampled.seconds,
                  energy_of(sampled.result, sampled.design, prepared_.machine, power_, work).value};
    if (by_diffusion() && heads > 0 && design_.steps > 1)
        cost.first_tokens = first + sampled.seconds / as_double(design_.steps);
    return cost;
}

StepCost NpuSteps::one(StepWork const& work) const { return with_sampling(passes_of(work), work.heads); }

double NpuSteps::min_seconds(StepWork const& work) const {
    auto const passes = by_diffusion() ? passes_of(work) : Passes{cost_of(pass_of_tokens(work, false), work.heads), {}};
    double const sampled = work.heads > 0 ? sampling(work.heads).min_seconds : 0.0;
    return (passes.first.time.si + passes.rest.time.si) + sampled;
}

/// Whether contexts up to `longest` attend to one key more per step in every layer.
bool NpuSteps::grows_linearly(std::int64_t longest) const {
    return std::ranges::all_of(law_.kinds(), [&](LanguageModel const& kind) {
        return kind.kv_rank == 0 && exceeded_window(kind, longest) == 0;
    });
}

/// Sums of whole numbers below 2^53 are exact, so this is what `one` adds up sequence by sequence.
void NpuSteps::many_tokens(StepWork const& first, std::span<StepCost> costs) const {
    auto const sequences = as_double(static_cast<std::int64_t>(first.contexts.size()));
    auto const layers = law_.layers(sequences);
    auto const logits = logit_bytes(design_, prepared_.models[design_.model], first.heads);
    auto const kinds = law_.kinds();
    std::vector<Attended> attended(kinds.size());
    double keys = 0.0;
    for (auto const context : first.contexts) keys += as_double(context);
    for (auto& cost : costs) {
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            attended[i] = {};
            law_.add_tokens(sequences, keys, kinds[i], attended[i]);
        }
        cost = with_sampling({law_.of(layers, attended, as_double(first.heads), logits), {}}, first.heads);
        keys += sequences;
    }
}

void NpuSteps::many(StepWork const& first, std::span<StepCost> costs) const {
    sim::expects(first.chunks.empty() && !first.contexts.empty(), "all sequences of several steps decode");
    auto const steps = static_cast<std::int64_t>(costs.size());
    auto const longest = std::ranges::max(first.contexts) + steps;
    if (!by_diffusion() && grows_linearly(longest)) {
        many_tokens(first, costs);
        return;
    }
    auto const tokens = by_diffusion() ? design_.block_length : 1;
    bool const alike = by_diffusion() && design_.cache != ModelCache::prefix;  // what is computed does not change
    auto work = first;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        costs[i] = alike && i > 0 ? costs[0] : one(work);
        for (auto& context : work.contexts) context += tokens;
        for (auto& positions : work.ahead) positions -= tokens;
    }
}

}  // namespace

std::optional<Infeasible> broken_step_rule(Design const& d, Prepared const& prepared) {
    if (d.scope == Scope::sampling)
        return Infeasible{"traffic", "the sampling of a block serves no requests: scope = end_to_end"};
    if (d.draft > 0) return Infeasible{"traffic", "steps that verify proposed tokens are not modelled: draft = 0"};
    if (d.host_fifo > 0) {
        return Infeasible{"traffic",
                          "tokens that reach the host over a FIFO while the next step runs are not modelled: "
                          "host_fifo = 0"};
    }
    if (d.generation == TokenOrder::diffusion && d.block_length == 1)
        return Infeasible{"traffic", "steps that denoise single tokens are not modelled: block_length of 2 or more"};
    return broken_rule(with_smallest_request(d), prepared);
}

std::variant<ServiceEngine, Infeasible> service_engine(Design const& d, Prepared const& prepared, Fidelity fidelity) {
    if (auto rule = broken_step_rule(d, prepared)) return *std::move(rule);
    auto const costs = std::make_shared<NpuSteps const>(d, prepared, fidelity);
    auto const& model = prepared.models[d.model];
    ServiceEngine engine;
    engine.law = {[costs](StepWork const& work) { return costs->one(work); },
                  [costs](StepWork const& first, std::span<StepCost> many) { costs->many(first, many); }};
    engine.min_seconds = [costs](StepWork const& work) { return costs->min_seconds(work); };
    engine.bounds_requests = true;
    engine.idle_power = costs->idle_watts();
    engine.cache_bytes = room_for_cache(d, prepared).si;
    engine.position_bytes = PassLaw(d, prepared.machine, model).position_bytes();
    engine.windows =
        windows_of(model, [&](LanguageModel const& alike) { return cache_bytes(alike, prepared.machine.model, 1.0); });
    engine.chunk = chunk_of(model);
    engine.state_bytes = sequence_state_bytes(model);
    engine.moved = {engine.position_bytes, engine.state_bytes};
    engine.max_context = model.maximum_context;
    engine.max_sequences = d.batch;
    if (d.generation == TokenOrder::diffusion) {
        engine.tokens_per_step = d.block_length;
        engine.reserves_output = true;
    }
    return engine;
}

}  // namespace pimdse::models::dplena
