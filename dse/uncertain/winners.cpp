#include "dse/uncertain/winners.hpp"

#include "dse/space/columns.hpp"
#include "dse/space/requested_machine.hpp"
#include "models/contract/architecture.hpp"
#include "models/expression/expression_parser.hpp"
#include "sim/base/check.hpp"

#include <tbb/blocked_range.h>
#include <tbb/combinable.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <algorithm>
#include <cmath>

namespace pimdse::dse::uncertain {
namespace {

/// Order of designs: better values first, equal values by id.
struct Better {
    bool maximize = false;
    bool operator()(Ranked const& a, Ranked const& b) const {
        if (a.value != b.value) return maximize ? a.value > b.value : a.value < b.value;
        return a.point < b.point;
    }
};

void keep_best(std::vector<Ranked>& list, Ranked const& one, Better const& better, std::size_t keep) {
    if (list.size() == keep && !better(one, list.back())) return;
    list.insert(std::upper_bound(list.begin(), list.end(), one, better), one);
    if (list.size() > keep) list.pop_back();
}

/// Evaluates designs of one machine and ranks them for each question.
class MachineSweep {
  public:
    MachineSweep(space::Machine const& machine, std::vector<Question> const& questions)
        : machine_(machine), questions_(questions) {
        for (auto const& question : questions) compiled_.push_back(question_for(machine, question));
        own_metrics_ = machine.metrics_of_request().size();
        all_metrics_ = machine.metrics().size();
        peak_power_ = models::find_metric(machine.architecture->metrics(), "peak_power");
        silicon_ = models::find_metric(machine.architecture->metrics(), "silicon");
    }

    void evaluate(space::PointId id, std::vector<models::Value> const& point, std::vector<std::vector<Ranked>>& best,
                  std::size_t keep) const {
        if (!meets_parameter_constraints(point)) return;
        std::size_t const scenarios = std::max<std::size_t>(machine_.scenarios.list().size(), 1);
        std::vector<models::Value> values;
        for (std::size_t s = 0; s < scenarios; ++s) {
            values.assign(point.begin(), point.end());
            auto const metrics = metrics_in(s, values);
            if (metrics.empty()) continue;
            for (std::size_t q = 0; q < questions_.size(); ++q) {
                if (questions_[q].scenario != s) continue;
                double const value = compiled_[q].value_of(metrics);
                if (!std::isfinite(value)) continue;
                if (compiled_[q].under && !compiled_[q].under->holds(values, metrics)) continue;
                keep_best(best[q], {id, value, value_at(metrics, peak_power_), value_at(metrics, silicon_)},
                          Better{questions_[q].maximize}, keep);
            }
        }
    }

  private:
    /// NaN at position -1.
    [[nodiscard]] static double value_at(models::Metrics const& metrics, int position) {
        return position < 0 ? std::numeric_limits<double>::quiet_NaN()
                            : metrics[static_cast<std::size_t>(position)].value;
    }
    [[nodiscard]] bool meets_parameter_constraints(std::vector<models::Value> const& point) const {
        return std::ranges::all_of(machine_.constraints, [&](auto const& constraint) {
            return !constraint.parameters_only || constraint.expression.holds(point, {});
        });
    }

    /// Metrics in this scenario; empty if the machine cannot run the scenario, or if the point is infeasible or
    /// violates a constraint. `point` receives the values that the scenario sets.
    [[nodiscard]] models::Metrics metrics_in(std::size_t s, std::vector<models::Value>& point) const {
        auto const& scenarios = machine_.scenarios;
        if (!scenarios.empty()) {
            auto const& scenario = scenarios.list()[s];
            if (!scenario.refusal.empty()) return {};
            for (auto const& [parameter, value] : scenario.asks) point[parameter] = value;
        }
        if (!space::missing_row(machine_, point).empty()) return {};
        auto const outcome =
            scenarios.empty()
                ? space::evaluate_machine(machine_, point, models::Fidelity::analytic, space::StopAt::nothing)
                : space::evaluate_scenario(machine_, s, point, models::Fidelity::analytic);
        auto const* metrics = std::get_if<models::Metrics>(&outcome);
        if (metrics == nullptr) return {};
        if (!scenarios.empty() && !scenarios.refusal_of(scenarios.list()[s], *metrics).empty()) return {};
        return meets_metric_constraints(s, point, *metrics) ? *metrics : models::Metrics{};
    }

    /// Checks the constraints on metrics, except those that read another scenario.
    [[nodiscard]] bool meets_metric_constraints(std::size_t s, std::vector<models::Value> const& point,
                                                models::Metrics const& metrics) const {
        auto const none = models::Estimate::unbounded(std::numeric_limits<double>::quiet_NaN());
        models::Metrics all;
        for (auto const& constraint : machine_.constraints) {
            if (constraint.parameters_only || reads_another_scenario(constraint.expression, s)) continue;
            if (all.empty()) {
                all.assign(all_metrics_, none);
                for (std::size_t m = 0; m < metrics.size(); ++m) {
                    all[m] = metrics[m];
                    if (all_metrics_ > own_metrics_) all[(s + 1) * own_metrics_ + m] = metrics[m];
                }
            }
            if (!constraint.expression.holds(point, all)) return false;
        }
        return true;
    }

    [[nodiscard]] bool reads_another_scenario(models::Expression const& expression, std::size_t s) const {
        for (std::size_t m = own_metrics_; m < all_metrics_; ++m)
            if (expression.reads_metric(m) && m / own_metrics_ != s + 1) return true;
        return false;
    }

    space::Machine const& machine_;
    std::vector<Question> const& questions_;
    std::vector<MachineQuestion> compiled_;
    std::size_t own_metrics_ = 0, all_metrics_ = 0;
    int peak_power_ = -1, silicon_ = -1;  ///< positions in the architecture's metrics; -1 if it has none
};

/// [machine][question]: the best designs.
using Best = std::vector<std::vector<std::vector<Ranked>>>;

/// Objectives without scenarios, each once; `names` receives their metrics or formulas.
std::vector<space::Objective> distinct_objectives(space::Space const& space, std::vector<std::string>& names) {
    std::vector<space::Objective> objectives;
    for (auto const& objective : space.objectives()) {
        auto const& full = space.metrics()[objective.metric].name;
        bool const formula = space::is_formula(full);
        if (formula && full.find('@') != std::string::npos)
            throw sim::InputError(
                "objective \"{}\" reads scenarios, but flips compares each scenario alone. Write it without @?", full);
        auto name = formula ? full : full.substr(0, full.find('@'));
        if (std::ranges::find(names, name) != names.end()) continue;
        names.push_back(std::move(name));
        objectives.push_back(objective);
    }
    return objectives;
}

}  // namespace

std::optional<std::size_t> MachineRanking::winner(bool maximize) const {
    std::optional<std::size_t> best;
    for (std::size_t m = 0; m < by_machine.size(); ++m) {
        if (by_machine[m].empty()) continue;
        if (!best || Better{maximize}(best_of(m), best_of(*best))) best = m;
    }
    return best;
}

std::optional<std::size_t> MachineRanking::runner_up(bool maximize) const {
    auto rest = *this;
    if (auto const first = winner(maximize)) rest.by_machine[*first].clear();
    return rest.winner(maximize);
}

std::vector<MachineRanking> rank_machines(space::Space const& space, std::vector<Question> const& questions,
                                          std::size_t keep, std::vector<space::PointId> const* points, int threads) {
    std::vector<MachineSweep> sweeps;
    for (auto const& machine : space.machines()) sweeps.emplace_back(machine, questions);
    Best const nothing(sweeps.size(), std::vector<std::vector<Ranked>>(questions.size()));
    tbb::combinable<Best> parts([&] { return nothing; });
    std::uint64_t const count = points == nullptr ? space.size() : points->size();
    tbb::task_arena arena(threads);
    arena.execute([&] {
        tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, count), [&](auto const& range) {
            auto& best = parts.local();
            std::vector<models::Value> point;
            for (std::uint64_t i = range.begin(); i != range.end(); ++i) {
                auto const id = points == nullptr ? space::PointId{i} : (*points)[i];
                auto const machine = space.machine_of(id);
                space.decode(id, point);
                sweeps[machine].evaluate(id, point, best[machine], keep);
            }
        });
    });
    std::vector<MachineRanking> all(questions.size());
    for (std::size_t q = 0; q < questions.size(); ++q) {
        all[q].by_machine.resize(sweeps.size());
        parts.combine_each([&](Best const& part) {
            for (std::size_t m = 0; m < sweeps.size(); ++m)
                for (auto const& one : part[m][q])
                    keep_best(all[q].by_machine[m], one, Better{questions[q].maximize}, keep);
        });
    }
    return all;
}

std::vector<Question> questions_of(space::Space const& space) {
    if (space.machines().size() < 2)
        throw sim::InputError(
            "flips compares machines, but this space has only one. Add a [[machine]] table for each?");
    auto const& scenarios = space.machines().front().scenarios.list();
    std::vector<std::string> names, conditions{""};
    auto const objectives = distinct_objectives(space, names);
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
    auto const metrics = machine.metrics_of_request();
    MachineQuestion compiled;
    if (space::is_formula(question.metric)) {
        compiled.formula.emplace(metrics, question.metric);
    } else {
        int const at = models::find_metric(metrics, question.metric);
        if (at < 0) throw sim::InputError("{} has no metric {}", machine.name, question.metric);
        compiled.metric = static_cast<std::size_t>(at);
    }
    if (question.under.empty()) return compiled;
    try {
        compiled.under = models::parse_condition(question.under, {{}, metrics});
    } catch (sim::InputError const& error) {
        throw sim::InputError("under \"{}\": {}: {}", question.under, machine.name, error.what());
    }
    return compiled;
}

}  // namespace pimdse::dse::uncertain
