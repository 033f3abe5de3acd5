#include "models/umdam/umdam.hpp"

#include "models/chips/group.hpp"
#include "models/umdam/classes.hpp"
#include "models/umdam/ledger.hpp"
#include "models/umdam/metrics.hpp"
#include "models/umdam/parameters.hpp"
#include "models/umdam/request.hpp"
#include "models/umdam/system.hpp"
#include "models/umdam/weight_layouts.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <string_view>

namespace pimdse::models::umdam {
namespace {

/// A point as one of the machine file, with the bits that weights have.
std::vector<Value> point_of_file(Inputs const& inputs, Point point) {
    auto const& answering = inputs.as<Answering>();
    auto const design = with_weight_bits(read_design(point, answering));
    auto own = answering.file.point(point);
    answering.file.set(own, "weights", Value::choice(1 + static_cast<int>(design.weight_bits)));  // model first
    return own;
}

std::variant<RequestResult, Infeasible> request(Inputs const& inputs, Point point, Fidelity fidelity,
                                                Breakdown* breakdown) {
    return inputs.as<Answering>().file.request_of_file(point_of_file(inputs, point), fidelity,
                                                       chips::economy_of(inputs), breakdown);
}

std::variant<ServiceEngine, Infeasible> engine(Inputs const& inputs, Point point, Fidelity fidelity) {
    return inputs.as<Answering>().file.engine_of_file(point_of_file(inputs, point), fidelity);
}

/// What its time divides into, one after the other, each on the unit that multiplies for it.
Trace trace(Inputs const& inputs, Point point, Fidelity fidelity) {
    Breakdown all;
    if (std::holds_alternative<Infeasible>(request(inputs, point, fidelity, &all))) return {};
    auto const& prepared = prepared_of(inputs);
    auto const system = std::get<System>(make_system(prepared, read_design(point, inputs.as<Answering>())));
    auto const cost = run_request(prepared, system, fidelity).front();
    auto const first = all.time.front().what.substr(0, all.time.front().what.find('/'));
    Trace events;
    double start = 0.0;
    for (auto const& [what, seconds] : all.time) {
        auto const part =
            static_cast<Part>(std::ranges::find(part_names, what.substr(what.find('/') + 1)) - part_names.begin());
        bool const in_banks = (what.starts_with(first) ? cost.first : cost.rest)[part].commands.macs > 0.0;
        events.push_back({what, part == Part::draft ? "npu and pim" : in_banks ? "pim" : "npu", start, seconds});
        start += seconds;
    }
    return events;
}

/// At a point of its own or of a group.
std::string products(Inputs const& inputs, Point point) {
    auto const design = with_weight_bits(read_design(point.first(parameters().size()), inputs.as<Answering>()));
    constexpr std::array<std::string_view, 3> stored{"fp16", "int8", "int4"};
    return fmt::format("{} x {}", stored.at(static_cast<std::size_t>(design.weight_bits)),
                       design.multiplies_bytes() ? "int8" : "fp16");
}

}  // namespace

Architecture architecture() {
    return answering(
        {.name = "umdam",
         .summary = "NPU with LPDDR5-PIM: any weight layout and address mapping, prefill on the NPU, decode in memory",
         .results_version = 18,
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
             .models = [](Inputs const& inputs) -> ModelList const& { return inputs.as<Answering>().models; },
             .host = [](Inputs const& inputs) { return inputs.as<Answering>().file.prepared().host(); },
             .own_link = chips::joined_by<chips::link_kind("pcie5")>,
             .resources = {"area", "memory_area", "silicon", "idle_power", "cost", "embodied_carbon"}}});
}

}  // namespace pimdse::models::umdam
