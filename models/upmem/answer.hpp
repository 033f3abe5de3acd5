#pragma once

#include "models/contract/architecture.hpp"

namespace pimdse::models::upmem {

/// Pure; the body of Architecture::evaluate and explain.
[[nodiscard]] Outcome evaluate(Inputs const& inputs, Point point, Fidelity fidelity);
[[nodiscard]] Explained explain(Inputs const& inputs, Point point, Fidelity fidelity);
[[nodiscard]] Trace trace(Inputs const& inputs, Point point, Fidelity fidelity);

}  // namespace pimdse::models::upmem
