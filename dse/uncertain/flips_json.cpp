#include "dse/uncertain/flips_json.hpp"

#include "models/contract/assumptions.hpp"
#include "models/contract/parameter_text.hpp"
#include "sim/base/check.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/file_text.hpp"
#include "sim/base/quantity_text.hpp"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <optional>
#include <ranges>

namespace pimdse::dse::uncertain {
namespace {

using sim::Json;

Json machine_json(space::Space const& space, std::optional<std::size_t> machine) {
    return machine ? Json(space.machines()[*machine].name) : Json(nullptr);
}

Json question_json(Question const& question) {
    return {{"scenario", question.scenario_name}, {"metric", question.metric}, {"under", question.under}};
}

Json variation_json(Variation const& variation) {
    return {{"assumption", variation.assumption}, {"from", variation.from}, {"to", variation.to}};
}

Json winner_json(space::Space const& space, Question const& question, MachineRanking const& ranking) {
    Json machines = Json::object();
    for (std::size_t m = 0; m < ranking.by_machine.size(); ++m) {
        if (ranking.by_machine[m].empty()) continue;
        auto const& best = ranking.best_of(m);
        machines[space.machines()[m].name] = {{"value", best.value},
                                              {"point", index_of(best.point)},
                                              {"peak_power", sim::finite_or_null(best.peak_power)},
                                              {"silicon", sim::finite_or_null(best.silicon)}};
    }
    auto text = question_json(question);
    text["unit"] = question.unit;
    text["better"] = question.maximize ? "higher" : "lower";
    text["machine"] = machine_json(space, ranking.winner(question.maximize));
    text["runner_up"] = machine_json(space, ranking.runner_up(question.maximize));
    text["machines"] = std::move(machines);
    return text;
}

Json break_even_json(Variation const& variation, Flip const& flip) {
    if (!flip.break_even) return nullptr;
    return {{"value", *flip.break_even / sim::parse_unit(variation.unit).in_si},
            {"unit", variation.unit},
            {"assume", variation.constant ? "" : variation.key.substr(space::assumption_prefix.size())}};
}

/// Share of the draws in which each machine wins, of those that win in any.
Json draws_won_json(space::Space const& space, FlipReport const& report, std::size_t question) {
    Json shares = Json::object();
    for (std::size_t m = 0; m < space.machines().size(); ++m) {
        auto const won = report.draws_won[question][m];
        if (won > 0) shares[space.machines()[m].name] = static_cast<double>(won) / static_cast<double>(report.draws);
    }
    return shares;
}

Json flip_json(space::Space const& space, FlipReport const& report, Flip const& flip) {
    auto const& variation = report.variations[flip.variation];
    auto text = variation_json(variation);
    text.update(question_json(report.questions[flip.question]));
    text["before"] = machine_json(space, flip.before);
    text["after"] = machine_json(space, flip.after);
    text["ratio"] = sim::finite_or_null(flip.ratio);
    text["break_even"] = break_even_json(variation, flip);
    return text;
}

bool has_texts(Json const& one, std::initializer_list<char const*> names) {
    return std::ranges::all_of(names, [&](char const* name) { return one.contains(name) && one[name].is_string(); });
}

bool is_text_or_null(Json const& one, char const* name) {
    return one.contains(name) && (one[name].is_string() || one[name].is_null());
}

bool is_winner(Json const& one) {
    bool const named = has_texts(one, {"scenario", "metric", "under", "unit", "better"}) &&
                       is_text_or_null(one, "machine") && is_text_or_null(one, "runner_up") &&
                       one.contains("machines") && one["machines"].is_object() && one.contains("survives_all") &&
                       one["survives_all"].is_boolean();
    if (!named) return false;
    auto const& machines = one["machines"];
    auto const listed = [&](char const* which) {
        return one[which].is_null() || machines.contains(one[which].get<std::string>());
    };
    return listed("machine") && listed("runner_up") && std::ranges::all_of(machines, [](auto const& best) {
               return best.is_object() && best.contains("value") && best["value"].is_number();
           });
}

bool is_flip(Json const& one) {
    if (!has_texts(one, {"assumption", "from", "to", "scenario", "metric", "under"}) ||
        !is_text_or_null(one, "before") || !is_text_or_null(one, "after") || !one.contains("break_even"))
        return false;
    auto const& even = one["break_even"];
    return even.is_null() ||
           (even.is_object() && has_texts(even, {"unit"}) && even.contains("value") && even["value"].is_number());
}

bool is_list_of(Json const& text, char const* name, bool (*is_one)(Json const&)) {
    return text.contains(name) && text[name].is_array() &&
           std::ranges::all_of(text[name], [&](auto const& one) { return one.is_object() && is_one(one); });
}

bool is_flips(Json const& text) {
    return text.is_object() && has_texts(text, {"space", "assumptions"}) && text.contains("points") &&
           text["points"].is_number_unsigned() && text.contains("candidates") &&
           text["candidates"].is_number_unsigned() && is_list_of(text, "winners", is_winner) &&
           is_list_of(text, "flips", is_flip) && is_list_of(text, "variations", [](Json const& one) {
               return has_texts(one, {"assumption", "from", "to"});
           });
}

}  // namespace

Json flips_json(space::Space const& space, FlipReport const& report) {
    Json text{{"space", space_digest(space.canonical_text())},
              {"assumptions", models::sentence_of(space.machines().front().inputs.options.assumptions)},
              {"points", report.points},
              {"candidates", report.candidates},
              {"variations", report.variations | std::views::transform(variation_json)},
              {"winners", Json::array()},
              {"flips",
               report.flips | std::views::transform(std::bind_front(flip_json, std::cref(space), std::cref(report)))}};
    if (report.draws > 0) text["draws"] = report.draws;
    auto const robust = report.robust();
    for (std::size_t q = 0; q < report.questions.size(); ++q) {
        auto winner = winner_json(space, report.questions[q], report.as_assumed[q]);
        winner["survives_all"] = std::ranges::find(robust, q) != robust.end();
        if (report.draws > 0) winner["draws_won"] = draws_won_json(space, report, q);
        text["winners"].push_back(std::move(winner));
    }
    text["ends"] = axis_ends_of(space, report) | std::views::transform([&](AxisEnd const& end) -> Json {
                       auto const& machine = space.machines()[end.machine];
                       auto const& parameter = machine.parameters()[end.parameter];
                       return {{"machine", machine.name},
                               {"parameter", parameter.name},
                               {"value", models::value_json(parameter, end.value)},
                               {"end", end.largest ? "largest" : "smallest"},
                               {"designs", end.designs},
                               {"of", end.best_designs}};
                   });
    return text;
}

std::string space_digest(std::string_view canonical_text) {
    auto text = sim::Json::parse_or_null(canonical_text);
    if (!text.is_object()) return "";
    text.erase("formulas");
    text.erase("kept_front_of");
    return sim::sha256(text.dump());
}

Json flips_of_file(std::filesystem::path const& path, std::string_view canonical_text,
                   std::filesystem::path const& results) {
    auto text = Json::parse_or_null(sim::file_text(path).value_or(""));
    if (!is_flips(text))
        throw sim::InputError(
            "{} is not an output of pimdse flips. Make it with pimdse flips SPACE --format json > {}?", path.string(),
            path.filename().string());
    if (text["space"] != space_digest(canonical_text))
        throw sim::InputError(
            "{} belongs to another space than {} (other machines, parameters, scenarios, conditions or "
            "assumptions). Run pimdse flips with the space, --set and --assume of the result file?",
            path.string(), results.string());
    return text;
}

}  // namespace pimdse::dse::uncertain
