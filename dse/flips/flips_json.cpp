#include "dse/flips/flips_json.hpp"

#include "dse/flips/space_digest.hpp"
#include "models/contract/assumption_texts.hpp"
#include "sim/base/quantity_text.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace pimdse::dse::flips {
namespace {

using nlohmann::ordered_json;

ordered_json machine_json(space::Space const& space, std::optional<std::size_t> machine) {
    return machine ? ordered_json(space.machines()[*machine].name) : ordered_json(nullptr);
}

ordered_json question_json(Question const& question) {
    return {{"scenario", question.scenario_name}, {"metric", question.metric}, {"under", question.under}};
}

ordered_json variation_json(Variation const& variation) {
    return {{"assumption", variation.assumption}, {"from", variation.from}, {"to", variation.to}};
}

ordered_json winner_json(space::Space const& space, Question const& question, MachineRanking const& standing) {
    ordered_json machines = ordered_json::object();
    for (std::size_t m = 0; m < standing.by_machine.size(); ++m) {
        if (standing.by_machine[m].empty()) continue;
        auto const& best = standing.best_of(m);
        machines[space.machines()[m].name] = {{"value", best.value}, {"point", index_of(best.point)}};
    }
    auto text = question_json(question);
    text["unit"] = question.unit;
    text["better"] = question.maximize ? "higher" : "lower";
    text["machine"] = machine_json(space, standing.winner(question.maximize));
    text["runner_up"] = machine_json(space, standing.runner_up(question.maximize));
    text["machines"] = std::move(machines);
    return text;
}

ordered_json break_even_json(Variation const& variation, Flip const& flip) {
    if (!flip.break_even) return nullptr;
    return {{"value", *flip.break_even / sim::parse_unit(variation.unit).in_si},
            {"unit", variation.unit},
            {"assume", variation.key.substr(space_file::assumption_prefix.size())}};
}

ordered_json flip_json(space::Space const& space, Report const& report, Flip const& flip) {
    auto const& variation = report.variations[flip.variation];
    auto text = variation_json(variation);
    text.update(question_json(report.questions[flip.question]));
    text["before"] = machine_json(space, flip.before);
    text["after"] = machine_json(space, flip.after);
    text["ratio"] = std::isfinite(flip.ratio) ? ordered_json(flip.ratio) : ordered_json(nullptr);
    text["break_even"] = break_even_json(variation, flip);
    return text;
}

}  // namespace

ordered_json flips_json(space::Space const& space, Report const& report) {
    ordered_json text{{"space", space_digest(space.canonical_text())},
                      {"assumptions", models::sentence_of(space.machines().front().inputs.options.assumptions)},
                      {"points", report.points},
                      {"candidates", report.candidates},
                      {"variations", ordered_json::array()},
                      {"winners", ordered_json::array()},
                      {"flips", ordered_json::array()}};
    for (auto const& variation : report.variations) text["variations"].push_back(variation_json(variation));
    auto const robust = report.robust();
    for (std::size_t q = 0; q < report.questions.size(); ++q) {
        auto winner = winner_json(space, report.questions[q], report.as_assumed[q]);
        winner["survives_all"] = std::ranges::find(robust, q) != robust.end();
        text["winners"].push_back(std::move(winner));
    }
    for (auto const& flip : report.flips) text["flips"].push_back(flip_json(space, report, flip));
    return text;
}

}  // namespace pimdse::dse::flips
