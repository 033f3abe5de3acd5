#include "models/text/architecture_file.hpp"

#include "models/contract/common_metrics.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "models/text/machine_reader.hpp"
#include "models/text/result.hpp"
#include "models/text/source_files.hpp"
#include "sim/base/check.hpp"

#include <algorithm>
#include <string>

namespace pimdse::models::text {
namespace {

using Names = std::vector<std::pair<std::string_view, std::string_view>>;

/// The second name of a pair; "": there is none.
std::string_view second_of(Names const& names, std::string_view first) {
    auto const found = std::ranges::find(names, first, &Names::value_type::first);
    return found == names.end() ? "" : found->second;
}

template <class Result>
void rename_rule(FileOfArchitecture const& file, std::variant<Result, Infeasible>& found) {
    auto* const broken = std::get_if<Infeasible>(&found);
    if (broken == nullptr) return;
    if (auto const name = second_of(file.rules, broken->rule); !name.empty()) broken->rule = name;
}

}  // namespace

std::shared_ptr<CompiledMachine const> machine_of(FileOfArchitecture const& of) {
    SourceFiles sources;
    auto file = read_machine(data_directory() / "models" / of.architecture / of.file, sources);
    file.name = of.architecture;
    return std::make_shared<CompiledMachine const>(std::move(file));
}

Parameters AnsweringFile::parameters_with(CompiledMachine const& machine, Parameters const& of_architecture) {
    auto parameters = machine.parameters();
    for (auto& parameter : parameters)
        for (auto const& other : of_architecture)
            if (parameter.name == other.name && (other.accepts != nullptr || other.name.ends_with("llm")))
                parameter = other;
    return parameters;
}

AnsweringFile::AnsweringFile(FileOfArchitecture const& file, std::shared_ptr<CompiledMachine const> machine,
                             Parameters const& parameters, MetricList const& metrics, ModelOptions const& options,
                             ModelList const& models)
    : file_(file),
      parameters_(parameters_with(*machine, parameters)),
      prepared_(machine, parameters_, options, &models),
      point_(default_point(parameters_)) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        auto& own = parameters_[i];
        auto& from = from_.emplace_back();
        if (auto const fixed = second_of(file.fixed, own.name); !fixed.empty()) {
            point_[i] = read_value(own, fixed);
            continue;
        }
        auto const renamed = second_of(file.renamed, own.name);
        from.parameter = find_parameter(parameters, renamed.empty() ? std::string_view(own.name) : renamed);
        sim::expects(from.parameter >= 0, "a parameter of the file is one of the architecture, or fixed");
        auto const& other = parameters[static_cast<std::size_t>(from.parameter)];
        sim::expects(other.kind == own.kind, "a parameter of the file has the kind of that of the architecture");
        for (auto const& choice : other.choices)
            from.choices.push_back(
                static_cast<std::size_t>(std::ranges::find(own.choices, choice) - own.choices.begin()));
        if (std::ranges::equal(other.choices, own.choices)) from.choices.clear();
    }
    auto const of_file = without_common(metrics_of_machine(*machine));
    for (auto const& metric : without_common(metrics)) {
        int const found = find_metric(of_file, metric.name);
        sim::expects(found >= 0, "a metric that is not common is one of the file");
        own_.push_back(static_cast<std::size_t>(found));
    }
}

std::vector<Value> AnsweringFile::point(Point point) const {
    auto own = point_;
    for (std::size_t i = 0; i < own.size(); ++i)
        if (auto const& [parameter, choices] = from_[i]; parameter >= 0) {
            auto const& value = point[static_cast<std::size_t>(parameter)];
            // A part of a model, or an order of items, has no place in the list of choices.
            bool const is_same = choices.empty() || value.kind() != Kind::choice || value.as_choice() >= choices.size();
            own[i] = is_same ? value : Value::choice(choices[value.as_choice()]);
        }
    return own;
}

void AnsweringFile::set(std::vector<Value>& point, std::string_view parameter, Value value) const {
    point.at(static_cast<std::size_t>(find_parameter(parameters_, parameter))) = value;
}

Metrics AnsweringFile::own(Metrics const& of_file) const {
    Metrics values;
    values.reserve(own_.size());
    for (auto const at : own_) values.push_back(of_file[at]);
    return values;
}

std::variant<RequestResult, Infeasible> AnsweringFile::request_of_file(Point own_point, Fidelity fidelity,
                                                                       economy::Economy const& economy,
                                                                       Breakdown* breakdown) const {
    auto made = request_at(prepared_, own_point, fidelity, economy, breakdown);
    if (auto* const result = std::get_if<RequestResult>(&made)) result->own = own(result->own);
    rename_rule(file_, made);
    return made;
}

std::variant<ServiceEngine, Infeasible> AnsweringFile::engine_of_file(Point own_point, Fidelity fidelity) const {
    auto made = engine_at(prepared_, own_point, fidelity);
    rename_rule(file_, made);
    return made;
}

}  // namespace pimdse::models::text
