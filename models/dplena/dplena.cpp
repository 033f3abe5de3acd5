#include "models/dplena/dplena.hpp"

#include "models/chips/group.hpp"
#include "models/dplena/cycle.hpp"
#include "models/dplena/host.hpp"
#include "models/dplena/ledger.hpp"
#include "models/dplena/metrics.hpp"
#include "models/dplena/parameters.hpp"
#include "models/llm/step_passes.hpp"
#include "models/text/text.hpp"

#include <cstddef>
#include <string>
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

/// That of the machine file with the same parts. `batch` is the number of sequences for which memories are built, the
/// most of a step; `input` and `output` do not matter. The model is one of those of `inputs`, which live longer.
std::variant<ServiceEngine, Infeasible> engine(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    if (auto rule = broken_step_rule(read_design(point, prepared), prepared)) return *std::move(rule);
    return text::service_engine(prepared.file->at(point, fidelity));
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

/// The smallest request of the design.
Design with_smallest_request(Design design) {
    design.input = 1;
    design.output = design.block_length;
    return design;
}

}  // namespace

Architecture architecture() {
    return answering(
        {.name = "dplena",
         .summary = "NPU that samples diffusion language models: vector unit, HBM, top-k remasking",
         .results_version = 16,
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

}  // namespace pimdse::models::dplena
