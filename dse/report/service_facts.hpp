#pragma once

#include "dse/space/space.hpp"
#include "dse/store/result_file.hpp"
#include "sim/base/json.hpp"

#include <cstddef>
#include <vector>

/// What a page shows of a space whose scenarios have traffic (docs/traffic.md).
namespace pimdse::dse::report {

[[nodiscard]] bool has_traffic(space::Space const& space);

/// Positions in the front of at most `max` of its designs: the best one of each objective, and the others evenly in
/// the order of the first objective.
[[nodiscard]] std::vector<std::size_t> chosen_members(store::ResultFile const& file, std::size_t max);

struct CurveLimits {
    double seconds = 10.0;     ///< wall clock; no design is begun after it
    std::size_t designs = 12;  ///< of the front, at most
    int threads = 1;
};

struct ServiceFacts {
    /// By id: a list of {"scenario": "service", ...} as curves_json() has it; an element of its own in the page.
    sim::Json by_point = sim::Json::object();
    /// {"scenarios": [{"name", "text", "ttft", "tpot", "share", "rate", "requests"}, ...], "of_batches": names of
    /// parameters that no scenario reads, "chosen": number of designs, "seconds"}. Limits that are not set and rates
    /// that do not exist are null.
    sim::Json about = sim::Json::object();
};

/// Serves the traffic with designs on the front, at its fidelity. Precondition: the space has traffic.
[[nodiscard]] ServiceFacts service_facts(store::ResultFile const& file, space::Space const& space,
                                         CurveLimits const& limits);

}  // namespace pimdse::dse::report
