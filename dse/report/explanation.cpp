#include "dse/report/explanation.hpp"

#include "dse/run/evaluation.hpp"
#include "dse/space/requested_machine.hpp"
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

bool is_defect(space::Result const& result) { return std::holds_alternative<models::Defect>(result.outcome); }

/// The first of these, as many as the time allows.
std::vector<space::Result> evaluated(ExplainContext const& context, std::vector<space::Task> const& tasks) {
    if (!context.evaluates_changes) return {};
    if (!context.until) return run::results_of(context.space, tasks, context.threads);
    std::vector<space::Result> all;
    while (all.size() < tasks.size() && ExplainContext::Clock::now() < *context.until) {
        auto const begin = tasks.begin() + static_cast<std::ptrdiff_t>(all.size());
        auto const count = std::min<std::ptrdiff_t>(std::max(context.threads, 1), tasks.end() - begin);
        auto some = run::results_of(context.space, {begin, begin + count}, context.threads);
        std::ranges::move(some, std::back_inserter(all));
    }
    return all;
}

void add_effects(ExplainContext const& context, space::PointId point, Explanation& explanation) {
    auto const changes = changes_of(context.space, point);
    explanation.choices_left_out = changes.left_out;
    std::vector<space::Task> missing;
    for (auto const& change : changes.list) {
        space::Task const task{change.point, context.front_view.fidelity()};
        if (!context.store.contains(task)) missing.push_back(task);
    }
    auto found = evaluated(context, missing);
    explanation.changes_not_evaluated = missing.size() - found.size();
    std::size_t next = 0;
    for (auto const& change : changes.list) {
        auto const row = context.store.find({change.point, context.front_view.fidelity()});
        if (!row && next == found.size()) continue;
        auto result = row ? context.store.result(*row) : std::move(found[next++]);
        explanation.effects.push_back(effect_of(context.front_view, change, std::move(result), row.has_value()));
    }
}

/// What has to be computed of the point itself.
void add_own(ExplainContext const& context, space::PointId point, Explanation& explanation) {
    if (is_defect(explanation.result)) return;
    auto const& machine = context.space.machines()[context.space.machine_of(point)];
    std::vector<models::Value> values;
    context.space.decode(point, values);
    auto const fidelity = context.front_view.fidelity();
    if (!machine.constraints.empty())
        explanation.margins = margins_of(machine, values, space::requested(machine, values, fidelity));
    if (explanation.standing) explanation.spending = spending_of(machine, values, fidelity);
}

}  // namespace

Explanation explanation_of(ExplainContext const& context, space::PointId point) {
    space::Task const task{point, context.front_view.fidelity()};
    auto const row = context.store.find(task);
    Explanation explanation;
    explanation.restored = row.has_value();
    explanation.result = row ? context.store.result(*row) : run::result(context.space, task);
    if (auto const* metrics = std::get_if<models::Metrics>(&explanation.result.outcome)) {
        explanation.vector = context.front_view.vector_of(*metrics);
        explanation.standing = standing_of(context.front_view, point, explanation.vector);
        explanation.extremes = extremes_of(context.space, context.store, context.front_view, point, *metrics);
    }
    add_own(context, point, explanation);
    add_effects(context, point, explanation);
    if (context.certificate != nullptr)
        explanation.closing = certificate_entry_of(*context.certificate, context.store, point);
    return explanation;
}

std::vector<Spending> spending_of(space::Machine const& machine, models::Point point, models::Fidelity fidelity) {
    auto const parts_of = [&](models::Point requested) {
        return models::explained(*machine.architecture, machine.inputs, requested, fidelity);
    };
    if (machine.scenarios.empty()) return {{"", parts_of(point)}};
    std::vector<Spending> all;
    for (auto const& scenario : machine.scenarios.list()) {
        std::vector<models::Value> requested(point.begin(), point.end());
        for (auto const& [parameter, value] : scenario.asks) requested[parameter] = value;
        all.push_back({scenario.written.name, parts_of(requested)});
    }
    return all;
}

}  // namespace pimdse::dse::report
