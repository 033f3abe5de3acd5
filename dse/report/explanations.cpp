#include "dse/report/explanations.hpp"

#include "dse/explain/explanation_json.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace pimdse::dse::report {
namespace {

using nlohmann::ordered_json;
using Clock = explain::Ground::Clock;

template <class Unwanted>
void erase_if(ordered_json& list, Unwanted const& unwanted) {
    auto kept = ordered_json::array();
    for (auto& entry : list) {
        if (!unwanted(entry)) kept.push_back(std::move(entry));
    }
    list = std::move(kept);
}

void keep_best_changes(ordered_json& changes) {
    erase_if(changes, [](ordered_json const& change) { return !change["best"].get<bool>(); });
    for (auto& change : changes) {
        for (auto const* key : {"best", "values", "reason"}) change.erase(key);
    }
}

/// Parts that take nothing are not told.
void keep_shares(ordered_json& breakdown) {
    for (auto& scenario : breakdown) {
        for (auto const* kind : {"time", "energy", "area", "silicon"})
            erase_if(scenario[kind], [](ordered_json const& share) { return share.back().get<double>() == 0.0; });
    }
}

ordered_json member_json(explain::Ground const& ground, explain::Explanation const& explanation) {
    auto said = explain::explanation_json(ground, explanation);
    for (auto const* key : {"point", "fidelity", "remembered", "status", "parameters", "on_front", "witnesses"})
        said.erase(key);
    keep_best_changes(said["changes"]);
    keep_shares(said["breakdown"]);
    return said;
}

}  // namespace

Explanations explanations_of(store::result::ResultFile const& file, space::Space const& space,
                             ExplanationLimits const& limits) {
    auto const end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
    explain::Landscape const landscape(file.store, file.columns.objectives, file.front_fidelity);
    explain::Ground const ground{.space = space,
                                 .store = file.store,
                                 .landscape = landscape,
                                 .certificate = file.certificate ? &*file.certificate : nullptr,
                                 .threads = limits.threads,
                                 .until = end};
    Explanations all;
    std::uint64_t evaluated = 0, unanswered = 0;
    for (std::size_t i = 0; i < std::min(file.front.size(), limits.designs) && Clock::now() < end; ++i) {
        auto const explanation = explain::explanation_of(ground, file.front[i]);
        for (auto const& effect : explanation.effects) evaluated += effect.remembered ? 0 : 1;
        unanswered += explanation.changes_not_answered;
        all.of[fmt::to_string(index_of(file.front[i]))] = member_json(ground, explanation);
    }
    all.about = {{"asked", file.front.size()}, {"answered", all.of.size()}, {"seconds", limits.seconds},
                 {"evaluated", evaluated},     {"unanswered", unanswered},  {"among", landscape.size()}};
    return all;
}

Explanations no_explanations(store::result::ResultFile const& file, std::string_view why) {
    Explanations none;
    none.about = {{"asked", file.front.size()}, {"answered", 0}, {"why", why}};
    return none;
}

}  // namespace pimdse::dse::report
