#include "dse/flips/question.hpp"

#include "dse/space/expression_parser.hpp"
#include "dse/task/machine_name.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::dse::flips {
namespace {

/// Names of the metrics that objectives read, without scenarios, each once.
std::vector<task::Objective> metrics_asked(space::Space const& space, std::vector<std::string>& names) {
    std::vector<task::Objective> objectives;
    for (auto const& objective : space.objectives()) {
        auto const& full = space.metrics()[objective.metric].name;
        bool const formula = task::is_formula(full);
        if (formula && full.find('@') != std::string::npos)
            throw sim::InputError(fmt::format(
                "objective \"{}\" reads scenarios, and flips asks each scenario alone. Write it without @?", full));
        auto name = formula ? full : full.substr(0, full.find('@'));
        if (std::ranges::find(names, name) != names.end()) continue;
        names.push_back(std::move(name));
        objectives.push_back(objective);
    }
    return objectives;
}

}  // namespace

std::vector<Question> questions_of(space::Space const& space) {
    if (space.machines().size() < 2)
        throw sim::InputError("flips compares machines, and this space has one ([[machine]] makes several)");
    auto const& scenarios = space.machines().front().scenarios.list();
    std::vector<std::string> names, conditions{""};
    auto const objectives = metrics_asked(space, names);
    conditions.insert(conditions.end(), space.under().begin(), space.under().end());
    std::vector<Question> questions;
    for (std::size_t s = 0; s < std::max<std::size_t>(scenarios.size(), 1); ++s) {
        for (std::size_t o = 0; o < names.size(); ++o) {
            for (auto const& under : conditions)
                questions.push_back({s, scenarios.empty() ? "" : scenarios[s].written.name, names[o],
                                     space.metrics()[objectives[o].metric].unit,
                                     objectives[o].better == models::Sense::maximize, under});
        }
    }
    for (auto const& machine : space.machines())
        for (auto const& question : questions) (void)question_for(machine, question);
    return questions;
}

double MachineQuestion::value_of(models::Metrics const& metrics) const {
    return formula ? formula->of(metrics).value : metrics[metric].value;
}

MachineQuestion question_for(space::Machine const& machine, Question const& question) {
    auto const metrics = machine.architecture->metrics();
    MachineQuestion asked;
    if (task::is_formula(question.metric)) {
        asked.formula.emplace(metrics, question.metric);
    } else {
        int const at = models::find_metric(metrics, question.metric);
        if (at < 0) throw sim::InputError(fmt::format("{} has no metric {}", machine.name, question.metric));
        asked.metric = static_cast<std::size_t>(at);
    }
    if (question.under.empty()) return asked;
    try {
        asked.under = space::parse_condition(question.under, {{}, metrics});
    } catch (sim::InputError const& error) {
        throw sim::InputError(fmt::format("under \"{}\": {}: {}", question.under, machine.name, error.what()));
    }
    return asked;
}

}  // namespace pimdse::dse::flips
