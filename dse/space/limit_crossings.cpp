#include "dse/space/limit_crossings.hpp"

#include "dse/space/expression_bounds.hpp"
#include "models/expression/expression_parser.hpp"
#include "sim/base/check.hpp"
#include "sim/base/json.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::dse::space {
namespace {

/// The columns, renamed to the names that conditions of one machine use; positions stay the same.
template <class List>
List named_in(List list, std::string const& machine) {
    for (auto& one : list) {
        auto const [of, name] = space::machine_and_name(one.name);
        if (of == machine) one.name = name;
    }
    return list;
}

}  // namespace

LimitCrossings::LimitCrossings(Columns const& columns, models::Expression const* where)
    : columns_(columns), absent_(absent_by_machine(columns)), where_(where) {
    auto const text = sim::Json::parse_or_null(columns.canonical_text);
    if (!text.is_object()) return;
    auto const* several = text.member("machines");
    std::size_t const machines = several == nullptr || !several->is_array() ? 1 : several->size();
    for (std::size_t m = 0; m < machines; ++m) {
        auto const& machine = several == nullptr ? text : (*several)[m];
        if (!machine.is_object() || !machine.contains("constraints")) continue;
        for (auto const& constraint : machine["constraints"]) {
            if (constraint.is_object() && constraint.contains("name") && constraint.contains("expr") &&
                constraint["name"].is_string() && constraint["expr"].is_string())
                read(constraint["name"].get<std::string>(), constraint["expr"].get<std::string>(), m);
        }
    }
}

void LimitCrossings::read(std::string const& name, std::string const& text, std::size_t machine) {
    if (!columns_.machines.empty() && machine >= columns_.machines.size()) return;
    try {
        bool const one = columns_.machines.empty();
        auto const parameters =
            one ? columns_.parameters : named_in(columns_.parameters, columns_.machines[machine].name);
        auto const metrics = one ? columns_.metrics : named_in(columns_.metrics, columns_.machines[machine].name);
        auto expression = models::parse_condition(text, {parameters, metrics});
        if (expression.uses_metrics()) conditions_.push_back({name, std::move(expression), machine});
    } catch (sim::InputError const&) {
        return;  // it reads a parameter that scenarios set, which is not a column
    }
}

bool LimitCrossings::reads_metric(std::size_t index) const {
    return (where_ != nullptr && where_->reads_metric(index)) ||
           std::ranges::any_of(conditions_, [&](auto const& one) { return one.expression.reads_metric(index); });
}

std::vector<LimitCrossings::Crossing> LimitCrossings::of(PointId point, models::Point values,
                                                         std::span<models::Estimate const> metrics) const {
    auto const machine = machine_index(columns_, point);
    std::vector<Crossing> all;
    auto const look_at = [&](std::string const& name, models::Expression const& expression) {
        for (auto const& one : crossings(expression, values, metrics, absent_[machine])) {
            if (Crossing crossing{name, one.comparison, std::string(one.end)};
                std::ranges::find(all, crossing) == all.end())
                all.push_back(std::move(crossing));
        }
    };
    for (auto const& condition : conditions_) {
        if (condition.machine == machine) look_at(condition.name, condition.expression);
    }
    if (where_ != nullptr) look_at("", *where_);
    return all;
}

std::string text_of(LimitCrossings::Crossing const& crossing) {
    return fmt::format("meets {} by its estimate, not by its {}", crossing.comparison, crossing.end);
}

}  // namespace pimdse::dse::space
