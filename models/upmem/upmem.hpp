#pragma once

#include "models/contract/architecture.hpp"
#include "models/contract/fidelity.hpp"
#include "models/contract/inputs.hpp"
#include "models/contract/service_engine.hpp"
#include "models/upmem/prepared.hpp"

#include <variant>

namespace pimdse::models::upmem {

/// The description of this architecture for the catalogue; see README.md of this folder.
[[nodiscard]] Architecture architecture();

/// The DPUs as an engine (README.md, Steps of an engine): the passes of a request, each of which takes new positions of
/// several sequences through all layers, launch after launch. Prepared inputs live longer than the engine.
[[nodiscard]] std::variant<ServiceEngine, Infeasible> engine(Inputs const& inputs, Point point, Fidelity fidelity);

}  // namespace pimdse::models::upmem
