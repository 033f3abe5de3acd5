#include "models/upmem/upmem.hpp"

#include "models/chips/group.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/llm/step_passes.hpp"
#include "models/upmem/listing_check.hpp"
#include "models/upmem/memory_map.hpp"
#include "models/upmem/metrics.hpp"
#include "models/upmem/parameters.hpp"
#include "models/upmem/result.hpp"
#include "models/upmem/served_machine.hpp"

#include <utility>

namespace pimdse::models::upmem {

Architecture architecture() {
    return answering(
        {.name = "upmem",
         .summary = "UPMEM DPUs: in-order pipelines next to DRAM banks, host transfers and stream pipelining",
         .results_version = 18,
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

std::variant<ServiceEngine, Infeasible> engine(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& p = inputs.as<Prepared>();
    auto const d = read_design(p, point);
    if (!d.is_request())
        return Infeasible{"traffic", "an engine serves requests of a language model: scope = end_to_end with an llm"};
    if (auto verdict = check_design(p, d)) return *std::move(verdict);
    return p.served.get()->engine(point, fidelity);
}

}  // namespace pimdse::models::upmem
