#include "models/umdam/umdam.hpp"

#include "models/chips/group.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/llm/step_passes.hpp"
#include "models/umdam/classes.hpp"
#include "models/umdam/ledger.hpp"
#include "models/umdam/metrics.hpp"
#include "models/umdam/parameters.hpp"
#include "models/umdam/request.hpp"
#include "models/umdam/system.hpp"
#include "models/umdam/weight_layouts.hpp"

#include <fmt/format.h>
#include <array>
#include <string_view>

namespace pimdse::models::umdam {
namespace {

bool is_of_draft(Part part) { return part == Part::prefill_draft || part == Part::decode_draft; }

Breakdown breakdown_of(System const& d, RequestCost const& cost, MachineConstants const& machine) {
    Breakdown all;
    for (std::size_t i = d.design.weight_load == WeightLoad::once ? 0 : 1; i < part_count; ++i)
        if (d.draft != nullptr || !is_of_draft(static_cast<Part>(i)))
            all.time.push_back({std::string(part_names[i]), cost.parts[i].seconds.value});
    all.energy = EnergyLaw(d, machine).shares(cost);
    all.area = area_of(d, machine);
    all.limits = limits_of(d, cost, machine);
    return all;
}

std::variant<RequestResult, Infeasible> request(Inputs const& inputs, Point point, Fidelity fidelity,
                                                Breakdown* breakdown) {
    auto const& prepared = inputs.as<Prepared>();
    auto const made = make_system(prepared, read_design(point, prepared));
    if (auto const* refused = std::get_if<Infeasible>(&made)) return *refused;
    auto const& d = std::get<System>(made);
    auto const results = run_request(prepared, d, fidelity);
    if (breakdown != nullptr) *breakdown = breakdown_of(d, results.front(), prepared.machine);
    return request_result(d, results, prepared.machine, chips::economy_of(inputs));
}

/// The machine file of its part.
text::AnsweringFile const& file_of(Prepared const& prepared) {
    static text::FileOfArchitecture const file{
        "umdam", "pim_npu.toml", {}, {{"weights", "fp16"}, {"kv_cache", "fp16"}}, {}};
    static auto const machine = text::machine_of(file);
    std::call_once(prepared.asks_file, [&] {
        prepared.file = std::make_unique<text::AnsweringFile const>(file, machine, prepared.parameters, MetricList{},
                                                                    prepared.options, prepared.models);
    });
    return *prepared.file;
}

/// Why the steps of a design are not modelled; nullopt if they are.
std::optional<Infeasible> broken_step_rule(Design const& d) {
    auto const refused = [](char const* reason) { return Infeasible{"traffic", reason}; };
    if (d.diffuses()) return refused("steps of denoised blocks are not modelled: generation = autoregressive");
    if (auto rule = models::broken_step_rule(ModelRequest{.speculation = {d.speculation.draft}})) return rule;
    if (!d.count_first) return refused("the first token of a request is that of its prompt: count_first = true");
    if (d.weight_load == WeightLoad::once)
        return refused("weights are loaded before the first step and not in it: weight_load = none");
    if (d.moves_weights() && d.staging == Staging::model)
        return refused("what a step takes would depend on whether an earlier one moved the weights: staging = layer");
    if (d.ignore_capacity)
        return refused("the cache of an engine is what the weights leave of the memory: ignore_capacity = false");
    return std::nullopt;
}

/// That of the machine file. The models of `inputs` live longer.
std::variant<ServiceEngine, Infeasible> engine(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const design = read_design(point, prepared);
    if (auto rule = broken_step_rule(design)) return *std::move(rule);
    auto const& file = file_of(prepared);
    auto own = file.point(point);
    file.set(own, "weights", Value::choice(1 + static_cast<int>(with_weight_bits(design).weight_bits)));  // model first
    return text::engine_at(file.prepared(), own, fidelity);
}

Trace trace(Inputs const& inputs, Point point, Fidelity fidelity) {
    auto const& prepared = inputs.as<Prepared>();
    auto const made = make_system(prepared, read_design(point, prepared));
    auto const* d = std::get_if<System>(&made);
    if (d == nullptr) return {};
    auto const cost = run_request(prepared, *d, fidelity).front();
    Trace events;
    double start = 0.0;
    for (std::size_t i = 0; i < part_count; ++i) {
        auto const& part = cost.parts[i];
        double const seconds = part.seconds.value;
        if (seconds == 0.0) continue;
        auto const unit = is_of_draft(static_cast<Part>(i)) ? "npu and pim" : part.commands.macs > 0.0 ? "pim" : "npu";
        events.push_back({std::string(part_names[i]), unit, start, seconds});
        start += seconds;
    }
    return events;
}

/// At a point of its own or of a group.
std::string products(Inputs const& inputs, Point point) {
    auto const design = with_weight_bits(read_design(point.first(parameters().size()), inputs.as<Prepared>()));
    constexpr std::array<std::string_view, 3> stored{"fp16", "int8", "int4"};
    return fmt::format("{} x {}", stored.at(static_cast<std::size_t>(design.weight_bits)),
                       design.multiplies_bytes() ? "int8" : "fp16");
}

}  // namespace

Architecture architecture() {
    return answering(
        {.name = "umdam",
         .summary = "NPU with LPDDR5-PIM: any weight layout and address mapping, prefill on the NPU, decode in memory",
         .results_version = 17,
         .fidelities = {Fidelity::analytic, Fidelity::cycle},
         .parameters = parameters,
         .metrics = metrics,
         .prepare = prepare,
         .request = request,
         .trace = trace,
         .engine = engine,
         .weight_layouts = weight_layouts,
         .products = products,
         .classes = classes,
         .ledger = ledger,
         .proofs = proofs(),
         .one_of_many = {
             .models = [](Inputs const& inputs) -> ModelList const& { return inputs.as<Prepared>().models; },
             .host = [](Inputs const& inputs) { return inputs.as<Prepared>().machine.static_power.host.si; },
             .own_link = chips::joined_by<chips::link_kind("pcie5")>,
             .resources = {"area", "memory_area", "silicon", "idle_power", "cost", "embodied_carbon"}}});
}

}  // namespace pimdse::models::umdam
