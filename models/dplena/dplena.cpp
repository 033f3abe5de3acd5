#include "models/dplena/dplena.hpp"

#include "models/chips/group.hpp"
#include "models/dplena/cycle.hpp"
#include "models/dplena/host.hpp"
#include "models/dplena/ledger.hpp"
#include "models/dplena/metrics.hpp"
#include "models/text/ledger.hpp"
#include "models/text/result.hpp"
#include "sim/base/counting.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace pimdse::models::dplena {
namespace {

using ResultOrRule = std::variant<RequestResult, Infeasible>;

text::FileOfArchitecture const& npu() {
    static text::FileOfArchitecture const file{.architecture = "dplena",
                                               .file = "npu.toml",
                                               .renamed = {{"output", "generation_length"}, {"clock", "frequency"}},
                                               .fixed = {{"weights", "int8"}, {"kv_cache", "8bit"}, {"vocab", "0"}},
                                               .rules = {{"memory", "hbm_capacity"}, {"blocks", "generation_blocks"}}};
    return file;
}

std::shared_ptr<text::CompiledMachine const> const& machine_of_npu() {
    static auto const machine = text::machine_of(npu());
    return machine;
}

/// A design with the number of steps that its remasking policy needs. Precondition: it breaks no rule of the sampler.
Design with_needed_steps(Design design, Prepared const& prepared) {
    design.steps = prepared.accuracy->steps_needed(design, prepared.machine.proxy);
    return design;
}

/// The sampling of a block, and nothing else: an operator of the machine of the file.
ResultOrRule sampling_of_block(NpuInputs const& machine, Design const& block, Point point, Fidelity fidelity,
                               economy::Economy const& economy, Breakdown* breakdown) {
    using sim::as_double;
    if (block.speculation.draft > 0)
        return infeasible(
            "draft",
            "draft = {} without passes of a model, which would verify the proposed tokens (scope = end_to_end)",
            block.speculation.draft);
    auto own = machine.file.point(point);
    machine.file.set(own, "vocab", Value::integer(block.vocab));
    machine.file.set(own, "model_bandwidth", Value::quantity(0.0));
    auto design = text::read_design(machine.file.prepared(), own, fidelity);
    if (auto rule = text::broken_operator_rule(design, own)) return *std::move(rule);
    auto& request = design.request;
    request.output = request.block_length;
    text::OperatorWork work;
    work.tasks = as_double(request.batch);
    work.query_positions = as_double(request.batch * request.block_length * (request.diffuses() ? request.steps : 1));
    text::CostLaw const law(*machine_of_npu(), design.hardware, fidelity);
    text::Result result(design, text::cost_of_operator(law, request, text::Operator::sampling, work));
    result.yields_tokens = false;
    auto found = text::request_result(result, economy);
    found.own = machine.file.own(found.own);
    found.footprint = as_double(block.logits()) * block.element_bytes();
    if (breakdown == nullptr) return found;
    *breakdown = text::breakdown_of(result);
    auto const served = with_needed_steps(block, machine);
    auto const cost = sampling_of(Program(served, machine.machine.costs), machine.machine, fidelity);
    auto const fifo = host_fifo(served, machine.machine);
    breakdown->time = block_times(cost, fifo, served, machine.machine);
    breakdown->limits = {block_limit(cost, fifo, served, machine.machine)};
    return found;
}

ResultOrRule request(Inputs const& inputs, Point point, Fidelity fidelity, Breakdown* breakdown) {
    auto const& machine = inputs.as<NpuInputs>();
    auto const& economy = chips::economy_of(inputs);
    if (scope_of(point) == Scope::end_to_end) return machine.file.request(point, fidelity, economy, breakdown);
    return sampling_of_block(machine, read_design(point, machine), point, fidelity, economy, breakdown);
}

/// `batch` is the number of sequences for which memories are built, the most of a step; `input` and `output` do not
/// matter. The model is one of those of `inputs`, which live longer.
std::variant<ServiceEngine, Infeasible> engine(Inputs const& inputs, Point point, Fidelity fidelity) {
    if (scope_of(point) == Scope::sampling)
        return Infeasible{"traffic", "the sampling of a block serves no requests: scope = end_to_end"};
    return inputs.as<NpuInputs>().file.engine(point, fidelity);
}

/// The instructions and fetches of the sampling; they are timed by simulation at every fidelity. Empty if the design is
/// infeasible.
Trace trace(Inputs const& inputs, Point point, Fidelity) {
    constexpr std::size_t max_bars = 500'000;  // of the timeline
    if (std::holds_alternative<Infeasible>(request(inputs, point, Fidelity::analytic, nullptr))) return {};
    auto const& prepared = inputs.as<NpuInputs>();
    auto const design = with_needed_steps(read_design(point, prepared), prepared);
    if (design.sampler == Sampler::host) return host_trace(design, prepared.machine, max_bars);
    return timeline_trace(Program(design, prepared.machine.costs), prepared.machine, max_bars);
}

}  // namespace

NpuInputs::NpuInputs(Parameters const& parameters, ModelOptions const& options)
    : Prepared(parameters, Constants::load("dplena", options, constant_rules())),
      file(npu(), machine_of_npu(), parameters, metrics(), options, models) {}

Architecture architecture() {
    return answering(
        {.name = "dplena",
         .summary = "NPU that samples diffusion language models: vector unit, HBM, top-k remasking",
         .results_version = 20,
         .fidelities = {Fidelity::analytic, Fidelity::cycle},
         .parameters = parameters,
         .metrics = metrics,
         .prepare = [](Parameters const& parameters, ModelOptions const& options) -> std::shared_ptr<void const> {
             return std::make_shared<NpuInputs const>(parameters, options);
         },
         .request = request,
         .trace = trace,
         .engine = engine,
         .built_for_batch = true,
         .workload = {.implied = {{"scope", "end_to_end"}}, .only = {}},
         .ledger = ledger,
         .proofs = proofs(),
         .one_of_many = {
             .models = [](Inputs const& inputs) -> ModelList const& { return inputs.as<NpuInputs>().models; },
             .host = [](Inputs const& inputs) { return inputs.as<NpuInputs>().file.prepared().host(); },
             .own_link = chips::joined_by<chips::link_kind("pcie5")>,
             .resources = {"memory_area"}}});
}

}  // namespace pimdse::models::dplena
