#pragma once

#include "models/contract/architecture.hpp"
#include "models/upmem/request.hpp"

#include <variant>

namespace pimdse::models::upmem {

/// Pure; the body of Architecture::evaluate and explain.
[[nodiscard]] Outcome evaluate(Inputs const& inputs, Point point, Fidelity fidelity);
[[nodiscard]] Explained explain(Inputs const& inputs, Point point, Fidelity fidelity);
[[nodiscard]] Trace trace(Inputs const& inputs, Point point, Fidelity fidelity);

/// What is known of a feasible point before anything is costed.
struct Planned {
    Design design;  ///< of a request: with the kernel that computes its products
    std::vector<RequestPart> parts;
};
[[nodiscard]] std::variant<Planned, Infeasible> planned(Prepared const& prepared, Point point);

}  // namespace pimdse::models::upmem
