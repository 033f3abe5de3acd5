#include "dse/report/robust_json.hpp"

#include "dse/base/json_text.hpp"

#include <algorithm>
#include <string>

namespace pimdse::dse::report {
namespace {

using sim::Json;

/// JSON has no number that is not finite.
Json share(std::uint64_t draws, search::RobustFront const& front) {
    return static_cast<double>(draws) / static_cast<double>(front.draws.size());
}

Json constants_json(search::RobustFront const& front) {
    auto list = Json::array();
    for (std::size_t c = 0; c < front.constants.size(); ++c) {
        auto const& constant = front.constants[c];
        list.push_back({{"name", constant.name},
                        {"unit", constant.unit},
                        {"nominal", constant.nominal},
                        {"lower", constant.lower},
                        {"upper", constant.upper},
                        {"distribution", name_of(constant.distribution)},
                        {"source", constant.source},
                        {"effective", static_cast<bool>(front.effective[c])}});
    }
    return list;
}

Json design_json(search::RobustFront const& front, search::RobustDesign const& design) {
    Json quantiles = Json::object();
    for (std::size_t o = 0; o < front.objectives.size(); ++o) {
        auto& list = quantiles[front.objectives[o]] = Json::array();
        for (double const value : design.quantiles[o]) list.push_back(base::finite_or_null(value));
    }
    return {{"point", std::to_string(index_of(design.point))},
            {"now", design.now},
            {"certain", design.certain},
            {"front_share", share(design.draws_on_front, front)},
            {"regret", base::finite_or_null(design.regret)},
            {"quantiles", std::move(quantiles)}};
}

Json machine_json(search::RobustFront const& front, search::MachineStanding const& machine) {
    Json best = Json::object();
    for (std::size_t o = 0; o < front.objectives.size(); ++o)
        best[front.objectives[o]] = share(machine.draws_best[o], front);
    return {{"machine", machine.name},
            {"front_share", share(machine.draws_on_front, front)},
            {"infeasible_share", share(machine.draws_infeasible, front)},
            {"best_share", std::move(best)}};
}

Json flip_json(search::RobustFront const& front, search::MachineFlip const& flip) {
    auto const& constant = front.constants[flip.constant];
    return {{"constant", constant.name},
            {"unit", constant.unit},
            {"nominal", constant.nominal},
            {"break_even", flip.break_even},
            {"objective", front.objectives[flip.objective]},
            {"before", front.machines[flip.before].name},
            {"after", front.machines[flip.after].name},
            {"old_best", std::to_string(index_of(flip.old_best))},
            {"new_best", std::to_string(index_of(flip.new_best))},
            {"old_value", base::finite_or_null(flip.old_value)},
            {"new_value", base::finite_or_null(flip.new_value)}};
}

}  // namespace

search::RobustDesign const* find_design(search::RobustFront const& front, space::PointId point) {
    auto const found = std::ranges::lower_bound(front.designs, point, {}, &search::RobustDesign::point);
    return found == front.designs.end() || found->point != point ? nullptr : &*found;
}

Json robust_json(search::RobustFront const& front) {
    Json json{{"statement", front.statement},
              {"draws", front.draws.size()},
              {"seed", front.seed},
              {"refused_draws", front.refused_draws},
              {"objectives", front.objectives},
              {"remarks", front.remarks},
              {"ends_proved", front.not_stated.empty()},
              {"not_stated", front.not_stated},
              {"considered", front.designs_considered},
              {"excluded", front.designs_excluded},
              {"possible", front.possible.size()},
              {"constants", constants_json(front)},
              {"designs", Json::array()},
              {"machines", Json::array()},
              {"decisions", Json::array()},
              {"flips", Json::array()}};
    for (auto const& design : front.designs) json["designs"].push_back(design_json(front, design));
    for (auto const& machine : front.machines) json["machines"].push_back(machine_json(front, machine));
    for (auto const& one : front.decisions)
        json["decisions"].push_back({{"machine", one.machine}, {"parameter", one.parameter}, {"value", one.value}});
    for (auto const& flip : front.flips) json["flips"].push_back(flip_json(front, flip));
    return json;
}

Json point_study_json(search::RobustFront const& front, space::PointId point, uncertain::PointStudy const& study) {
    auto const* design = find_design(front, point);
    Json json{{"front_share", design == nullptr ? Json(0.0) : share(design->draws_on_front, front)},
              {"tornado", Json::array()},
              {"leaves_front", nullptr}};
    for (auto const& row : study.tornado) {
        auto const& constant = front.constants[row.constant];
        auto objectives = Json::array();
        for (std::size_t o = 0; o < study.nominal.size(); ++o) {
            objectives.push_back({{"name", front.objectives[o]},
                                  {"nominal", study.nominal[o]},
                                  {"at_lower", row.at_lower ? Json((*row.at_lower)[o]) : Json(nullptr)},
                                  {"at_upper", row.at_upper ? Json((*row.at_upper)[o]) : Json(nullptr)}});
        }
        json["tornado"].push_back({{"constant", constant.name},
                                   {"unit", constant.unit},
                                   {"nominal", constant.nominal},
                                   {"lower", constant.lower},
                                   {"upper", constant.upper},
                                   {"objectives", std::move(objectives)}});
    }
    if (study.departures.empty()) return json;
    auto const& first = study.departures.front();
    auto const& constant = front.constants[first.constant];
    json["leaves_front"] = {
        {"constant", constant.name},
        {"unit", constant.unit},
        {"value", first.value},
        {"nominal", constant.nominal},
        {"change", first.value / constant.nominal - 1.0},
        {"dominated_by", first.dominated_by ? Json(std::to_string(index_of(*first.dominated_by))) : Json(nullptr)}};
    return json;
}

}  // namespace pimdse::dse::report
