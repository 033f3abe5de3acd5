#pragma once

#include "dse/space/space.hpp"
#include "dse/store/result_file.hpp"
#include "sim/base/json.hpp"

#include <cstddef>
#include <string_view>

namespace pimdse::dse::report {

/// Everything that a page shows of a file except its rows: names, units, senses and meanings of parameters and metrics,
/// objectives, scenarios, the number of evaluated points, whether the front is exact, how it grew, why points have no
/// metrics, and the provenance. `known`: the columns of the file, with the scenarios, options and machines of its space
/// if the program knows it.
[[nodiscard]] sim::Json facts_json(store::ResultFile const& file, space::Columns const& known);

/// Limits for explaining the designs on the front, which evaluates them and their one-step changes.
struct ExplanationLimits {
    double seconds = 10.0;       ///< wall clock
    std::size_t designs = 1000;  ///< number of designs that are explained at most
    int threads = 1;
};

struct Explanations {
    sim::Json by_point = sim::Json::object();  ///< by id; an element of its own in the page
    sim::Json about = sim::Json::object();     ///< numbers of designs and evaluations
};

/// Explanations of the designs on the front: the output of `pimdse explain` for each, with only the best change of each
/// parameter and without the facts that the page has already.
[[nodiscard]] Explanations explanations_of(store::ResultFile const& file, space::Space const& space,
                                           ExplanationLimits const& limits);

/// Explanations of a file whose space is not known to the program: none, and the reason.
[[nodiscard]] Explanations no_explanations(store::ResultFile const& file, std::string_view why);

}  // namespace pimdse::dse::report
