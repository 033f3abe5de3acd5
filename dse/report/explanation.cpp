#include "dse/report/explanation.hpp"

#include "dse/run/evaluation.hpp"
#include "dse/space/asked_machine.hpp"
#include "models/contract/architecture.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace pimdse::dse::report {

/// Of a feasible point, once or per scenario.
[[nodiscard]] std::vector<Spending> spending_of(space::Machine const& machine, models::Point point,
                                                models::Fidelity fidelity);

namespace {

bool is_defect(space::Answer const& answer) { return std::holds_alternative<models::Defect>(answer.outcome); }

/// The first of these, as many as the time allows.
std::vector<space::Answer> evaluated(Ground const& ground, std::vector<space::Task> const& tasks) {
    if (!ground.evaluates_changes) return {};
    if (!ground.until) return run::answers_of(ground.space, tasks, ground.threads);
    std::vector<space::Answer> all;
    while (all.size() < tasks.size() && Ground::Clock::now() < *ground.until) {
        auto const begin = tasks.begin() + static_cast<std::ptrdiff_t>(all.size());
        auto const count = std::min<std::ptrdiff_t>(std::max(ground.threads, 1), tasks.end() - begin);
        auto some = run::answers_of(ground.space, {begin, begin + count}, ground.threads);
        std::ranges::move(some, std::back_inserter(all));
    }
    return all;
}

void add_effects(Ground const& ground, space::PointId point, Explanation& explanation) {
    auto const changes = changes_of(ground.space, point);
    explanation.choices_left_out = changes.left_out;
    std::vector<space::Task> missing;
    for (auto const& change : changes.list) {
        space::Task const task{change.point, ground.landscape.fidelity()};
        if (!ground.store.contains(task)) missing.push_back(task);
    }
    auto found = evaluated(ground, missing);
    explanation.changes_not_answered = missing.size() - found.size();
    std::size_t next = 0;
    for (auto const& change : changes.list) {
        auto const row = ground.store.find({change.point, ground.landscape.fidelity()});
        if (!row && next == found.size()) continue;
        auto answer = row ? ground.store.answer(*row) : std::move(found[next++]);
        explanation.effects.push_back(effect_of(ground.landscape, change, std::move(answer), row.has_value()));
    }
}

/// What has to be computed of the point itself.
void add_own(Ground const& ground, space::PointId point, Explanation& explanation) {
    if (is_defect(explanation.answer)) return;
    auto const& machine = ground.space.machines()[ground.space.machine_of(point)];
    std::vector<models::Value> values;
    ground.space.decode(point, values);
    auto const fidelity = ground.landscape.fidelity();
    if (!machine.constraints.empty())
        explanation.margins = margins_of(machine, values, space::asked(machine, values, fidelity));
    if (explanation.standing) explanation.spending = spending_of(machine, values, fidelity);
}

}  // namespace

Explanation explanation_of(Ground const& ground, space::PointId point) {
    space::Task const task{point, ground.landscape.fidelity()};
    auto const row = ground.store.find(task);
    Explanation explanation;
    explanation.remembered = row.has_value();
    explanation.answer = row ? ground.store.answer(*row) : run::answer(ground.space, task);
    if (auto const* metrics = std::get_if<models::Metrics>(&explanation.answer.outcome)) {
        explanation.vector = ground.landscape.vector_of(*metrics);
        explanation.standing = standing_of(ground.landscape, point, explanation.vector);
        explanation.extremes = extremes_of(ground.space, ground.store, ground.landscape, point, *metrics);
    }
    add_own(ground, point, explanation);
    add_effects(ground, point, explanation);
    if (ground.certificate != nullptr) explanation.closing = closing_of(*ground.certificate, ground.store, point);
    return explanation;
}

std::vector<Spending> spending_of(space::Machine const& machine, models::Point point, models::Fidelity fidelity) {
    auto const parts_of = [&](models::Point asked) {
        return models::explained(*machine.architecture, machine.inputs, asked, fidelity);
    };
    if (machine.scenarios.empty()) return {{"", parts_of(point)}};
    std::vector<Spending> all;
    for (auto const& scenario : machine.scenarios.list()) {
        std::vector<models::Value> asked(point.begin(), point.end());
        for (auto const& [parameter, value] : scenario.asks) asked[parameter] = value;
        all.push_back({scenario.written.name, parts_of(asked)});
    }
    return all;
}

}  // namespace pimdse::dse::report
