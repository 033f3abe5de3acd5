#include "dse/report/facts.hpp"

#include "dse/report/explanation_json.hpp"
#include "dse/search/front.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/space/canonical_space.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/replay.hpp"
#include "dse/store/result_schema.hpp"
#include "models/contract/parameter_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::report {
namespace {

using sim::Json;
using store::ResultFile;
namespace schema = store::schema;

Json parameters_json(models::Parameters const& parameters) {
    auto list = Json::array();
    for (auto const& parameter : parameters) {
        list.push_back(
            {{"name", parameter.name},
             {"kind", schema::name_of(parameter.kind)},
             {"unit", parameter.kind == models::Kind::quantity ? schema::si_unit(parameter.unit) : parameter.unit},
             {"meaning", parameter.meaning},
             {"default", models::print_value(parameter, parameter.default_value)},
             {"assumed", parameter.assumed}});
    }
    return list;
}

Json metrics_json(ResultFile const& file) {
    auto list = Json::array();
    for (std::size_t m = 0; m < file.columns.metrics.size(); ++m) {
        auto const& metric = file.columns.metrics[m];
        auto const [name, scenario] = schema::name_and_scenario(metric.name);
        list.push_back({{"name", metric.name},
                        {"base", name},
                        {"scenario", scenario},
                        {"unit", metric.unit},
                        {"better", schema::name_of(metric.better)},
                        {"meaning", metric.meaning},
                        {"assumed", metric.assumed},
                        {"exact", file.store.exact(m)}});
    }
    return list;
}

Json objectives_json(ResultFile const& file) {
    auto list = Json::array();
    for (auto const& objective : file.columns.objectives)
        list.push_back({{"metric", objective.metric}, {"better", schema::name_of(objective.better)}});
    return list;
}

/// Parts of the commands that evaluate a design again: the architecture, or that of each machine, with its options.
Json command_json(space::Columns const& known) {
    Json machines = Json::object();
    for (auto const& machine : known.machines)
        machines[machine.name] = space::replay_architecture(machine.reference, machine.architecture) +
                                 space::replay_options(machine.options);
    return {{"architecture",
             space::replay_architecture(known.reference, known.architecture) + space::replay_options(known.options)},
            {"machines", std::move(machines)},
            {"scenarios", space::replay_scenarios(known)}};
}

Json failures_json(ResultFile const& file, space::Columns const& known) {
    auto list = Json::array();
    for (auto const& kind : search::failure_kinds(file.store)) {
        Json entry{{"rule", kind.rule}, {"points", kind.points}};
        if (kind.example) {
            auto const task = file.store.task(*kind.example);
            auto columns = file.columns;
            space::add_replay(columns, known);
            entry["point"] = fmt::to_string(index_of(task.point));
            entry["reason"] = file.store.reason(*kind.example);
            entry["command"] = space::replay_command(columns, task);
        }
        list.push_back(std::move(entry));
    }
    return list;
}

/// Growth of the front. Files have it per block of ids; if all results of a small file are in memory, in finer steps.
std::vector<search::HistoryStep> history_of(ResultFile const& file) {
    constexpr std::size_t few = 1000000, steps = 128;
    auto const& store = file.store;
    if (store.size() <= few && store.blocks().empty()) {
        auto const fine = search::fine_history(store, file.columns.objectives, file.front_fidelity, steps);
        if (!fine.empty()) return fine;
    }
    std::vector<search::HistoryStep> history;
    auto const& stated = file.history;
    for (std::size_t i = 0; i < stated.evaluations.size(); ++i)
        history.push_back({stated.evaluations[i], stated.hypervolume[i], stated.size[i]});
    return history;
}

Json history_json(ResultFile const& file) {
    auto list = Json::array();
    for (auto const& step : history_of(file)) {
        auto const share = std::isnan(step.hypervolume) ? Json() : Json(step.hypervolume);
        list.push_back({step.evaluations, share, step.size});
    }
    return list;
}

/// Number of points evaluated at the fidelity of the front.
std::uint64_t evaluated_at_front_fidelity(ResultFile const& file) {
    auto const& store = file.store;
    std::uint64_t others = 0;
    for (search::ResultStore::Row row = 0; row < store.size(); ++row)
        others += store.task(row).fidelity != file.front_fidelity ? 1 : 0;
    return store.evaluated() - others;
}

/// Sentence that states which points the front covers.
std::string front_statement(ResultFile const& file) {
    auto const evaluated = evaluated_at_front_fidelity(file);
    if (file.certificate) return search::statement_of(*file.certificate, search::objective_names(file.columns));
    auto const& objectives = file.columns.objectives;
    bool const exact = std::ranges::all_of(objectives, [&](auto const& o) { return file.store.exact(o.metric); });
    auto const fidelity = models::name_of(file.front_fidelity);
    if (file.columns.points == 0 || evaluated < file.columns.points)
        return fmt::format("front of the {} points that were evaluated, at {} fidelity", evaluated, fidelity);
    return fmt::format("front of all {} points at {} fidelity{}", evaluated, fidelity,
                       exact ? "" : "; objectives have intervals, so it is not exact");
}

Json provenance_json(ResultFile const& file) {
    auto const& made = file.provenance;
    Json object{{"version", made.version}, {"revision", made.git_revision}, {"start", made.start},
                {"stop", made.stop},       {"ranks", made.ranks},           {"threads", made.threads},
                {"hosts", made.hosts},     {"command", made.argv},          {"run", made.run_id}};
    for (auto const& [name, text] : made.more) object[name] = text;
    return object;
}

using Clock = ExplainContext::Clock;

template <class Unwanted>
void erase_if(Json& list, Unwanted const& unwanted) {
    auto kept = Json::array();
    for (auto& entry : list) {
        if (!unwanted(entry)) kept.push_back(std::move(entry));
    }
    list = std::move(kept);
}

void keep_best_changes(Json& changes) {
    erase_if(changes, [](Json const& change) { return !change["best"].get<bool>(); });
    for (auto& change : changes) {
        for (auto const* key : {"best", "values", "reason"}) change.erase(key);
    }
}

/// Leaves out shares of zero.
void keep_shares(Json& breakdown) {
    for (auto& scenario : breakdown) {
        for (auto const* kind : {"time", "energy", "area", "silicon"})
            erase_if(scenario[kind], [](Json const& share) { return (share.end() - 1)->get<double>() == 0.0; });
    }
}

Json member_json(ExplainContext const& context, Explanation const& explanation) {
    auto object = report::explanation_json(context, explanation);
    for (auto const* key : {"point", "fidelity", "remembered", "status", "parameters", "on_front", "witnesses"})
        object.erase(key);
    keep_best_changes(object["changes"]);
    keep_shares(object["breakdown"]);
    return object;
}

}  // namespace

Json facts_json(ResultFile const& file, space::Columns const& known) {
    auto const& columns = file.columns;
    auto const counts = search::count_points(file.store);
    Json facts{{"file", file.path.filename().string()},
               {"architecture", columns.architecture},
               {"digest", file.digest},
               {"state", file.provenance.more_of("state")},
               {"missing", store::missing_points(file)},
               {"fidelity", models::name_of(file.front_fidelity)},
               {"statement", front_statement(file)},
               {"points", columns.points},
               {"evaluated", counts.points},
               {"feasible", counts.feasible},
               {"seed", columns.seed}};
    facts["assumptions"] = space::assumed_text(columns);
    facts["objectives"] = objectives_json(file);
    facts["scenarios"] = schema::scenarios_in(columns.metrics);
    facts["parameters"] = parameters_json(columns.parameters);
    facts["metrics"] = metrics_json(file);
    facts["command"] = command_json(known);
    facts["failures"] = failures_json(file, known);
    facts["history"] = history_json(file);
    facts["provenance"] = provenance_json(file);
    facts["space"] = columns.space_text;
    for (auto const& [name, sum] : columns.input_hashes) facts["inputs"].push_back({name, sum});
    return facts;
}

Explanations explanations_of(store::ResultFile const& file, space::Space const& space,
                             ExplanationLimits const& limits) {
    auto const end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
    FrontView const front_view(file.store, file.columns.objectives, file.front_fidelity);
    ExplainContext const context{.space = space,
                                 .store = file.store,
                                 .front_view = front_view,
                                 .certificate = file.certificate ? &*file.certificate : nullptr,
                                 .threads = limits.threads,
                                 .until = end};
    Explanations all;
    std::uint64_t evaluated = 0, unevaluated = 0;
    for (std::size_t i = 0; i < std::min(file.front.size(), limits.designs) && Clock::now() < end; ++i) {
        auto const explanation = report::explanation_of(context, file.front[i]);
        for (auto const& effect : explanation.effects) evaluated += effect.restored ? 0 : 1;
        unevaluated += explanation.changes_not_evaluated;
        all.by_point[fmt::to_string(index_of(file.front[i]))] = member_json(context, explanation);
    }
    all.about = {{"asked", file.front.size()}, {"answered", all.by_point.size()}, {"seconds", limits.seconds},
                 {"evaluated", evaluated},     {"unanswered", unevaluated},       {"among", front_view.size()}};
    return all;
}

Explanations no_explanations(store::ResultFile const& file, std::string_view why) {
    Explanations none;
    none.about = {{"asked", file.front.size()}, {"answered", 0}, {"why", why}};
    return none;
}

}  // namespace pimdse::dse::report
