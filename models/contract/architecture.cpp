#include "models/contract/architecture.hpp"

#include "models/contract/constants.hpp"
#include "models/contract/finite_metrics.hpp"
#include "models/contract/ledger.hpp"
#include "sim/base/check.hpp"
#include "sim/base/refusal.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <exception>
#include <utility>

namespace pimdse::models {

std::vector<Value> default_point(Parameters const& parameters) {
    std::vector<Value> point;
    point.reserve(parameters.size());
    for (auto const& parameter : parameters) point.push_back(parameter.default_value);
    return point;
}

int find_parameter(Parameters const& parameters, std::string_view name) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        auto const& p = parameters[i];
        if (p.name == name || std::find(p.aliases.begin(), p.aliases.end(), name) != p.aliases.end()) {
            return static_cast<int>(i);
        }
    }
    return -1;
}

int find_metric(MetricList const& metrics, std::string_view name) {
    auto const found = std::find_if(metrics.begin(), metrics.end(), [&](Metric const& m) { return m.name == name; });
    return found == metrics.end() ? -1 : static_cast<int>(found - metrics.begin());
}

Inputs prepare(Architecture const& architecture, Parameters parameters, ModelOptions options) {
    auto prepared = architecture.prepare(parameters, options);
    auto group = architecture.prepare_group == nullptr ? nullptr : architecture.prepare_group(options);
    return {std::move(parameters), std::move(prepared), std::move(options), std::move(group)};
}

Outcome evaluate_safely(Architecture const& architecture, Inputs const& inputs, Point point, Fidelity fidelity) {
    return finite_or_defect(architecture, inputs, point,
                            outcome_safely([&] { return architecture.evaluate(inputs, point, fidelity); }));
}

Constants constants_of(Architecture const& architecture, ModelOptions const& options) {
    return architecture.constants ? architecture.constants(options) : Constants::load(architecture.name, options);
}

Outcome outcome_safely(std::function<Outcome()> const& evaluate) {
    try {
        return evaluate();
    } catch (sim::TooLong const& error) {
        return Defect{error.what(), DefectKind::timeout};
    } catch (std::exception const& error) {
        if (sim::refused_by_host(error)) throw;
        return Defect{error.what()};
    }
}

bool is_met(Need const& need, Parameter const& parameter, Value const& value) {
    if (value.kind() == Kind::choice)
        return (parameter.choices.at(value.as_choice()) == need.choice) != need.other_than;
    return static_cast<double>(value.as_integer()) > need.more_than;
}

std::string text_of(Need const& need) {
    if (need.choice.empty()) return fmt::format("{} > {}", need.parameter, need.more_than);
    return fmt::format("{} {} {}", need.parameter, need.other_than ? "other than" : "=", need.choice);
}

namespace {

constexpr std::string_view in_banks = "in_bank_logic";

/// Silicon by process; silicon that is not part of `area` is memory.
std::vector<Share> by_process(AreaProcess process, Breakdown const& breakdown, double silicon) {
    double logic = 0.0, beside_banks = 0.0;
    for (auto const& share : breakdown.area)
        (process == AreaProcess::dram || share.what.starts_with(in_banks) ? beside_banks : logic) += share.amount;
    return {{"logic process", logic},
            {"DRAM process, logic beside banks", beside_banks},
            {"DRAM process, memory", std::max(0.0, silicon - logic - beside_banks)}};
}

}  // namespace

Explained explained(Architecture const& architecture, Inputs const& inputs, Point point, Fidelity fidelity) {
    auto all = architecture.explain(inputs, point, fidelity);
    all.outcome = finite_or_defect(architecture, inputs, point, std::move(all.outcome));
    int const silicon = find_metric(architecture.metrics(), "silicon");
    auto const* metrics = std::get_if<Metrics>(&all.outcome);
    if (metrics != nullptr && silicon >= 0 && architecture.ledger != nullptr)
        all.silicon =
            by_process(architecture.ledger().process, all, (*metrics)[static_cast<std::size_t>(silicon)].value);
    return all;
}

}  // namespace pimdse::models
