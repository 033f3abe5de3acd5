#include "models/upmem/upmem.hpp"

#include "models/chips/group.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/llm/step_passes.hpp"
#include "models/upmem/listing_check.hpp"
#include "models/upmem/memory_map.hpp"
#include "models/upmem/metrics.hpp"
#include "models/upmem/parameters.hpp"
#include "models/upmem/passes.hpp"
#include "models/upmem/plan.hpp"
#include "models/upmem/result.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace pimdse::models::upmem {

Architecture architecture() {
    return answering(
        {.name = "upmem",
         .summary = "UPMEM DPUs: in-order pipelines next to DRAM banks, host transfers and stream pipelining",
         .results_version = 13,
         .fidelities = {Fidelity::analytic, Fidelity::cycle},
         .parameters = parameters,
         .metrics = metrics,
         .prepare = prepare_checked,
         .request = request,
         .trace = trace,
         .engine = engine,
         .weight_layouts = mram_layouts,
         .workload = {.implied = {{"scope", "end_to_end"}}, .only = {{"generation", "autoregressive"}}},
         .ledger = ledger,
         .proofs = proofs(),
         .one_of_many = {
             .models = [](Inputs const& inputs) -> ModelList const& { return inputs.as<Prepared>().models; },
             .first_model = 1,
             .host =
                 [](Inputs const& inputs) {
                     auto const& machine = inputs.as<Prepared>().machine;
                     return machine.host == Host::included ? machine.server.si : 0.0;
                 },
             .shares_hosts = false,
             .own_link = chips::joined_by<chips::link_kind("eth100")>,
             .resources = {"area", "memory_area", "silicon", "idle_power", "cost", "embodied_carbon"}}});
}

std::optional<Infeasible> broken_step_rule(Design const& d) {
    if (!d.is_request())
        return Infeasible{"traffic", "an engine serves requests of a language model: scope = end_to_end with an llm"};
    if (auto rule = models::broken_step_rule(d)) return rule;
    if (d.loading == Loading::once)
        return Infeasible{"traffic", "an engine serves once its executable is loaded: loading = none or each_launch"};
    return std::nullopt;
}

std::variant<ServiceEngine, Infeasible> engine(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& p = inputs.as<Prepared>();
    auto d = read_design(p, point);
    if (auto rule = broken_step_rule(d)) return *std::move(rule);
    d.kernel = p.products;
    d.batch = d.input = d.output = 1;
    if (auto verdict = check_design(p, d)) return *std::move(verdict);
    if (auto verdict = check_memory(p, d, whole_prompt(p, d))) return *std::move(verdict);
    auto const passes = std::make_shared<DpuPasses const>(p, d, fidelity);
    ServiceEngine engine;
    engine.law.one = [passes](sim::serving::StepWork const& work) -> sim::serving::StepCost {
        auto const cost = passes->of(work);
        return {cost.seconds.value, sum_of(cost.joules)};
    };
    engine.min_seconds = [passes](sim::serving::StepWork const& work) { return passes->of(work).seconds.lower; };
    engine.stand_by(standby_of(p.machine, d), p.machine.server.si);
    set_cache(engine, p, d);
    return engine;
}

}  // namespace pimdse::models::upmem
