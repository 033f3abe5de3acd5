#include "models/dplena/step.hpp"

#include "models/dplena/analytic.hpp"
#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/ledger.hpp"
#include "models/dplena/metrics.hpp"
#include "models/dplena/model_phase.hpp"
#include "models/dplena/parameters.hpp"
#include "models/dplena/pass.hpp"
#include "models/llm/step_passes.hpp"
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

/// The smallest request of the design.
Design with_smallest_request(Design design) {
    design.input = 1;
    design.output = design.block_length;
    return design;
}

/// Costs of the steps of a serving engine on the NPU, from the laws of a pass (pass.hpp) and of the sampling of a
/// block. All sequences of a step go through the weights together, each attends to its own keys, and the logits of
/// those that yield tokens are sampled together: a position of each, or the block in every denoising step (step_passes
/// of models/llm). `batch` is the number of sequences for which memories are built, the most of a step; `input` and
/// `output` of the design do not matter. Preconditions: broken_step_rule is nullopt; `prepared` lives longer.
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
    [[nodiscard]] Pass nothing() const { return {0.0, std::vector<Attended>(law_.kinds().size())}; }
    void add(Pass& pass, std::vector<PassShape> const& sequences) const;
    [[nodiscard]] ModelPass cost_of(Pass const& pass, std::int64_t heads) const;
    [[nodiscard]] ModelPass cost_of(std::vector<PassShape> const& sequences, std::int64_t heads) const;
    /// `in_tiles`: parts of prompts are computed in whole tiles of queries; otherwise, as far as no division into parts
    /// can do with less.
    [[nodiscard]] Pass pass_of_tokens(StepWork const& work, bool in_tiles) const;
    [[nodiscard]] Passes passes_of(StepWork const& work, bool in_tiles) const;
    [[nodiscard]] Sampling const& sampling(std::int64_t sequences) const;
    [[nodiscard]] StepCost with_sampling(Passes const& passes, std::int64_t heads) const;

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
      law_(design, prepared.machine, *design.model),
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

void NpuSteps::add(Pass& pass, std::vector<PassShape> const& sequences) const {
    auto const kinds = law_.kinds();
    for (auto const& sequence : sequences) {
        pass.tokens += sequence.queries;
        for (std::size_t i = 0; i < kinds.size(); ++i) law_.add(1.0, sequence, kinds[i], pass.attended[i]);
    }
}

ModelPass NpuSteps::cost_of(Pass const& pass, std::int64_t heads) const {
    auto const rows = heads * design_.block_length;
    return law_.of(law_.layers(pass.tokens), pass.attended, as_double(rows),
                   logit_bytes(design_, *design_.model, rows));
}

ModelPass NpuSteps::cost_of(std::vector<PassShape> const& sequences, std::int64_t heads) const {
    auto pass = nothing();
    add(pass, sequences);
    return cost_of(pass, heads);
}

/// A tile that is not full multiplies by the mean of the keys: other parts may have fuller tiles where keys are many.
NpuSteps::Pass NpuSteps::pass_of_tokens(StepWork const& work, bool in_tiles) const {
    auto pass = nothing();
    add(pass, prompts_of(work));
    for (std::size_t i = 0; !in_tiles && i < pass.attended.size(); ++i) {
        auto& attended = pass.attended[i];
        attended.tiles = products_of(law_.kinds()[i], attended.sums) / as_double(design_.matrix_block);
    }
    add(pass, tokens_of(work));
    return pass;
}

NpuSteps::Passes NpuSteps::passes_of(StepWork const& work, bool in_tiles) const {
    if (!design_.diffuses()) return {cost_of(pass_of_tokens(work, in_tiles), work.heads), {}};
    Passes passes{cost_of(first_denoising(design_, work), work.heads), {}};
    if (work.heads > 0 && design_.steps > 1)
        passes.rest = cost_of(later_denoising(design_, work), work.heads).times(as_double(design_.steps - 1));
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
    if (design_.diffuses() && heads > 0 && design_.steps > 1)
        cost.first_tokens = first + sampled.seconds / as_double(design_.steps);
    return cost;
}

StepCost NpuSteps::one(StepWork const& work) const { return with_sampling(passes_of(work, true), work.heads); }

double NpuSteps::min_seconds(StepWork const& work) const {
    auto const passes = passes_of(work, false);
    double const sampled = work.heads > 0 ? sampling(work.heads).min_seconds : 0.0;
    return (passes.first.time.si + passes.rest.time.si) + sampled;
}

void NpuSteps::many(StepWork const& first, std::span<StepCost> costs) const {
    sim::expects(first.chunks.empty() && !first.contexts.empty(), "all sequences of several steps decode");
    auto const sequences = as_double(static_cast<std::int64_t>(first.contexts.size()));
    auto const layers = law_.layers(sequences);
    auto const logits = logit_bytes(design_, *design_.model, first.heads);
    auto const kinds = law_.kinds();
    std::vector<Attended> attended(kinds.size());
    costs_of_steps(
        design_, first, costs, [&](StepWork const& work) { return one(work); },
        [&](double keys) {
            for (std::size_t i = 0; i < kinds.size(); ++i) {  // a token of a sequence is a tile
                attended[i].sums = summed_tokens(kinds[i], keys, sequences);
                attended[i].tiles = products_of(kinds[i], attended[i].sums);
            }
            return with_sampling({law_.of(layers, attended, as_double(first.heads), logits), {}}, first.heads);
        });
}

}  // namespace

std::optional<Infeasible> broken_step_rule(Design const& d, Prepared const& prepared) {
    if (d.scope == Scope::sampling)
        return Infeasible{"traffic", "the sampling of a block serves no requests: scope = end_to_end"};
    if (d.host_fifo > 0) {
        return Infeasible{"traffic",
                          "tokens that reach the host over a FIFO while the next step runs are not modelled: "
                          "host_fifo = 0"};
    }
    if (auto rule = models::broken_step_rule(d)) return rule;
    return broken_rule(with_smallest_request(d), prepared);
}

std::variant<ServiceEngine, Infeasible> service_engine(Design const& d, Prepared const& prepared, Fidelity fidelity) {
    if (auto rule = broken_step_rule(d, prepared)) return *std::move(rule);
    auto const costs = std::make_shared<NpuSteps const>(d, prepared, fidelity);
    ServiceEngine engine;
    engine.law = {[costs](StepWork const& work) { return costs->one(work); },
                  [costs](StepWork const& first, std::span<StepCost> many) { costs->many(first, many); }};
    engine.min_seconds = [costs](StepWork const& work) { return costs->min_seconds(work); };
    engine.bounds_requests = true;
    engine.idle_power = costs->idle_watts();
    engine.cache_bytes = room_for_cache(d, prepared).si;
    set_sequences(engine, d,
                  [&](LanguageModel const& alike) { return cache_bytes(alike, prepared.machine.model, 1.0); });
    engine.max_sequences = d.batch;
    return engine;
}

}  // namespace pimdse::models::dplena
