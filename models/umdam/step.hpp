#pragma once

#include "models/contract/fidelity.hpp"
#include "models/contract/inputs.hpp"
#include "models/contract/outcome.hpp"
#include "models/contract/service_engine.hpp"

#include <variant>

namespace pimdse::models::umdam {

/// The machine as an engine. Its cache is what the weights leave of the memory; every layer keeps every position, also
/// with a window, because blocks of the cache are shared by all layers. The models of `inputs` live as long as the
/// engine.
[[nodiscard]] std::variant<ServiceEngine, Infeasible> service_engine(Inputs const& inputs, Point point,
                                                                     Fidelity fidelity);

}  // namespace pimdse::models::umdam
