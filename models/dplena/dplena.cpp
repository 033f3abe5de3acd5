#include "models/dplena/dplena.hpp"

#include "models/chips/group.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/dplena/analytic.hpp"
#include "models/dplena/cycle.hpp"
#include "models/dplena/hbm/clocks.hpp"
#include "models/dplena/host.hpp"
#include "models/dplena/ledger.hpp"
#include "models/dplena/metrics.hpp"
#include "models/dplena/npu.hpp"
#include "models/dplena/parameters.hpp"
#include "models/llm/step_passes.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/memo.hpp"
#include "sim/serving/step.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <variant>

namespace pimdse::models::dplena {
namespace {

/// A feasible design with the number of steps that its remasking policy needs.
Design with_needed_steps(Design design, Prepared const& prepared) {
    design.steps = prepared.accuracy->steps_needed(design, prepared.machine.proxy);
    return design;
}

std::variant<RequestResult, Infeasible> request(Inputs const& inputs, Point point, Fidelity fidelity,
                                                Breakdown* breakdown) {
    auto const& prepared = inputs.as<Prepared>();
    auto const design = read_design(point, prepared);
    if (auto const rule = broken_rule(design, prepared)) return *rule;
    auto const served = with_needed_steps(design, prepared);
    auto const result = result_of(served, prepared, fidelity);
    if (breakdown != nullptr) *breakdown = breakdown_of(result, served, prepared.machine);
    return request_result(result, served, prepared, chips::economy_of(inputs));
}

/// The model is one of those of `inputs`, which live longer than the engine.
std::variant<ServiceEngine, Infeasible> engine(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const design = read_design(point, prepared);
    if (auto rule = broken_step_rule(design, prepared)) return *std::move(rule);
    return service_engine(with_needed_steps(design, prepared), prepared, fidelity);
}

/// The instructions and fetches of the sampling; they are timed by simulation at every fidelity. Empty if the design is
/// infeasible.
Trace trace(Inputs const& inputs, Point point, Fidelity) {
    constexpr std::size_t max_bars = 500'000;  // of the timeline
    auto const& prepared = inputs.as<Prepared>();
    auto const design = read_design(point, prepared);
    if (broken_rule(design, prepared)) return {};
    if (design.sampler == Sampler::host)
        return host_trace(with_needed_steps(design, prepared), prepared.machine, max_bars);
    return timeline_trace(Program(with_needed_steps(design, prepared), prepared.machine.costs), prepared.machine,
                          max_bars);
}

using sim::as_double;
using sim::serving::StepCost;
using sim::serving::StepWork;

/// The smallest request of the design.
Design with_smallest_request(Design design) {
    design.input = 1;
    design.output = design.block_length;
    return design;
}

/// Costs of the steps of a serving engine on the NPU: those of its passes (models/text/model_passes.hpp), and of the
/// sampling of a block. The logits of sequences that yield tokens are sampled together: a position of each, or the
/// block in every denoising step. `batch` is the number of sequences for which memories are built, the most of a step;
/// `input` and `output` of the design do not matter. Preconditions: broken_step_rule is nullopt; `prepared` lives
/// longer.
class NpuSteps {
  public:
    NpuSteps(Design const& design, Prepared const& prepared, Fidelity fidelity)
        : design_(design),
          prepared_(prepared),
          fidelity_(fidelity),
          npu_(design, prepared.machine),
          passes_(npu_.law(), npu_.request(), npu_.logit()),
          passes_of_full_tiles_(npu_.law(), npu_.request(), npu_.logit(), false),
          power_(powers_of(design, prepared.machine)) {
        sim::expects(!broken_step_rule(design, prepared), "the steps of the design are modelled");
    }
    /// First tokens of a block come with the first of its denoising steps.
    [[nodiscard]] StepCost one(StepWork const& work) const {
        auto passes = passes_.of(work);
        if (!passes.has_rest) return with_sampling(passes.first, work.heads);
        double const first = passes.first.total();
        auto cost = with_sampling(passes.first += passes.rest, work.heads);
        cost.first_tokens = first + sampling(work.heads).seconds / as_double(design_.steps);
        return cost;
    }
    /// As StepLaw::many. Takes constant time per step where the cost is linear in the contexts.
    void many(StepWork const& first, std::span<StepCost> costs) const {
        sim::expects(first.chunks.empty() && !first.contexts.empty(), "all sequences of several steps decode");
        auto const sequences = as_double(static_cast<std::int64_t>(first.contexts.size()));
        auto const begun = passes_.begun_tokens(sequences);
        costs_of_steps(
            design_, first, costs, [&](StepWork const& work) { return one(work); },
            [&](double keys) {
                return with_sampling(passes_.of_tokens(begun, keys, sequences, as_double(first.heads)), first.heads);
            });
    }
    /// A lower bound of the seconds of a step at cycle level. A tile that is not full multiplies by the mean of the
    /// keys: other parts of a prompt may have fuller tiles where keys are many.
    [[nodiscard]] double min_seconds(StepWork const& work) const {
        auto const passes = passes_of_full_tiles_.of(work);
        double const sampled = work.heads > 0 ? sampling(work.heads).min_seconds : 0.0;
        return (passes.first.total() + passes.rest.total()) + sampled;
    }
    [[nodiscard]] Standby const& rest() const { return power_.rest; }
    [[nodiscard]] text::LlmRequest const& request() const { return npu_.request(); }

  private:
    /// The sampling of a block of so many sequences.
    struct Sampling {
        Design design;
        Result result;
        double seconds = 0.0, min_seconds = 0.0;
    };
    [[nodiscard]] Sampling const& sampling(std::int64_t sequences) const {
        auto const compute = [](std::int64_t count, Design const& design, MachineConstants const& machine,
                                Fidelity fidelity, Npu const& npu) {
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
                             .npu = npu,
                             .model = std::nullopt,
                             .fifo = {}},
                            cost.total.value / clock.si,
                            min / clock.si};
        };
        return samplings_.get(sequences, compute, design_, prepared_.machine, fidelity_, npu_);
    }
    [[nodiscard]] StepCost with_sampling(text::PassCost const& passes, std::int64_t heads) const {
        auto const& sampled = sampling(std::max<std::int64_t>(heads, 1));
        Work const work{heads > 0 ? 1.0 : 0.0, passes};
        return {time_of(sampled.result, work).value,
                energy_of(sampled.result, sampled.design, prepared_.machine, power_, work).value};
    }

    Design design_;
    Prepared const& prepared_;
    Fidelity fidelity_;
    Npu npu_;
    text::ModelPasses passes_, passes_of_full_tiles_;
    Powers power_;
    sim::Memo<std::int64_t, Sampling> samplings_;
};

}  // namespace

Architecture architecture() {
    return answering(
        {.name = "dplena",
         .summary = "NPU that samples diffusion language models: vector unit, HBM, top-k remasking",
         .results_version = 15,
         .fidelities = {Fidelity::analytic, Fidelity::cycle},
         .parameters = parameters,
         .metrics = metrics,
         .prepare = prepare,
         .request = request,
         .trace = trace,
         .engine = engine,
         .built_for_batch = true,
         .workload = {.implied = {{"scope", "end_to_end"}}, .only = {}},
         .ledger = ledger,
         .proofs = proofs(),
         .one_of_many = {
             .models = [](Inputs const& inputs) -> ModelList const& { return inputs.as<Prepared>().models; },
             .host = [](Inputs const& inputs) { return inputs.as<Prepared>().machine.host.si; },
             .own_link = chips::joined_by<chips::link_kind("pcie5")>,
             .resources = {"memory_area"}}});
}

std::optional<Infeasible> broken_step_rule(Design const& d, Prepared const& prepared) {
    if (d.scope == Scope::sampling)
        return Infeasible{"traffic", "the sampling of a block serves no requests: scope = end_to_end"};
    if (d.host_fifo > 0) return Infeasible{"traffic", std::string(fifo_in_steps)};
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
    engine.stand_by(costs->rest(), prepared.machine.host.si);
    engine.cache_bytes = room_for_cache(d, prepared.machine).si;
    set_sequences(engine, d, [&](LanguageModel const& alike) { return position_bytes(alike, costs->request()); });
    engine.max_sequences = d.batch;
    return engine;
}

}  // namespace pimdse::models::dplena
