#include "models/upmem/served_machine.hpp"

#include "models/contract/common_metrics.hpp"
#include "models/contract/toml_file.hpp"
#include "models/text/machine_reader.hpp"
#include "models/text/result.hpp"
#include "models/text/source_files.hpp"
#include "sim/base/check.hpp"

namespace pimdse::models::upmem {
namespace {

std::shared_ptr<text::CompiledMachine const> const& machine_of_file() {
    static auto const machine = [] {
        text::SourceFiles sources;
        auto const file = data_directory() / "models" / "upmem" / "upmem.toml";
        return std::make_shared<text::CompiledMachine const>(text::read_machine(file, sources));
    }();
    return machine;
}

/// The parameters of the file; its models are those of the architecture.
Parameters parameters_with(text::CompiledMachine const& machine, Parameters const& of_architecture) {
    auto parameters = machine.parameters();
    for (auto& own : parameters) {
        int const at = find_parameter(of_architecture, own.name);
        if (at < 0) continue;
        auto const& other = of_architecture[static_cast<std::size_t>(at)];
        if (own.name.ends_with("llm")) own = other;
        sim::expects(other.kind == own.kind && other.choices == own.choices, "parameters of equal names are equal");
    }
    return parameters;
}

}  // namespace

ServedMachine::ServedMachine(Parameters const& parameters, MetricList const& metrics, ModelOptions const& options,
                             ModelList const& models)
    : machine_(machine_of_file()),
      parameters_(parameters_with(*machine_, parameters)),
      prepared_(machine_, parameters_, options, &models) {
    for (auto const& own : parameters_) from_.push_back(find_parameter(parameters, own.name));
    auto const of_file = without_common(text::metrics_of_machine(*machine_));
    for (auto const& metric : without_common(metrics)) {
        int const found = find_metric(of_file, metric.name);
        sim::expects(found >= 0, "a metric that is not common is one of the file");
        own_.push_back(static_cast<std::size_t>(found));
    }
}

std::vector<Value> ServedMachine::in_file(Point point) const {
    auto own = default_point(parameters_);
    for (std::size_t i = 0; i < own.size(); ++i)
        if (from_[i] >= 0) own[i] = point[static_cast<std::size_t>(from_[i])];
    return own;
}

std::variant<RequestResult, Infeasible> ServedMachine::request(Point point, Fidelity fidelity,
                                                               economy::Economy const& economy,
                                                               Breakdown* breakdown) const {
    auto made = text::request_at(prepared_, in_file(point), fidelity, economy, breakdown);
    if (auto* const result = std::get_if<RequestResult>(&made)) {
        Metrics own;
        for (auto const at : own_) own.push_back(result->own[at]);
        result->own = std::move(own);
    }
    return made;
}

std::variant<ServiceEngine, Infeasible> ServedMachine::engine(Point point, Fidelity fidelity) const {
    return text::engine_at(prepared_, in_file(point), fidelity);
}

}  // namespace pimdse::models::upmem
