#pragma once

#include "models/contract/breakdown.hpp"
#include "models/contract/fidelity.hpp"
#include "models/contract/inputs.hpp"
#include "models/contract/request_result.hpp"
#include "models/upmem/plan.hpp"

#include <variant>

namespace pimdse::models::upmem {

/// Pure functions that implement those of the architecture.
[[nodiscard]] std::variant<RequestResult, Infeasible> request(Inputs const& inputs, Point point, Fidelity fidelity,
                                                              Breakdown* breakdown);
[[nodiscard]] Trace trace(Inputs const& inputs, Point point, Fidelity fidelity);

/// Everything that is known of a feasible point before costs are computed.
struct Planned {
    Design design;
    Plan plan;
};
[[nodiscard]] std::variant<Planned, Infeasible> planned(Prepared const& prepared, Point point);

}  // namespace pimdse::models::upmem
