#pragma once

#include "dse/space/space.hpp"
#include "dse/store/result_file.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

namespace pimdse::dse::report {

/// What a page says of a file but its rows: names, units, senses and meanings of parameters and metrics, objectives,
/// scenarios, how much of the space was answered and whether the front is exact, how it grew, why points have no
/// metrics, who made the file. `known`: the columns of the file with what its space knows beyond them.
[[nodiscard]] nlohmann::ordered_json facts_json(store::ResultFile const& file, space::Columns const& known);

/// What the time of evaluating designs again and designs beside them may be, and how many are worth it.
struct ExplanationLimits {
    double seconds = 10.0;
    std::size_t designs = 1000;
    int threads = 1;
};

struct Explanations {
    nlohmann::ordered_json of = nlohmann::ordered_json::object();     ///< by id, what stands in the page's own element
    nlohmann::ordered_json about = nlohmann::ordered_json::object();  ///< how many of how many, in which time
};

/// Why designs of the front are there: what `pimdse explain` says of each, with the best change of each parameter only
/// and without what the page has already.
[[nodiscard]] Explanations explanations_of(store::ResultFile const& file, space::Space const& space,
                                           ExplanationLimits const& limits);

/// Of a file whose space is not known.
[[nodiscard]] Explanations no_explanations(store::ResultFile const& file, std::string_view why);

}  // namespace pimdse::dse::report
