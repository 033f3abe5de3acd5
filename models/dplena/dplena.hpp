#pragma once

#include "models/contract/architecture.hpp"
#include "models/contract/fidelity.hpp"
#include "models/contract/service_engine.hpp"
#include "models/dplena/design.hpp"
#include "models/dplena/parameters.hpp"

#include <optional>
#include <variant>

namespace pimdse::models::dplena {

/// The entry of the catalogue of architectures; see README.md in this folder.
[[nodiscard]] Architecture architecture();

/// Why the steps of a design are not modelled, or the rule that it breaks with every request. nullopt if there is none.
[[nodiscard]] std::optional<Infeasible> broken_step_rule(Design const& design, Prepared const& prepared);

/// The NPU as an engine, from the laws of a pass (npu.hpp) and of the sampling of a block (README.md, Steps of an
/// engine). `batch` is the number of sequences for which memories are built, the most of a step; `input` and `output`
/// do not matter. Its cache is what the weights, and the logits of a block of `batch` sequences, leave of the HBM;
/// every layer keeps every position, also with a window. Its only rule is broken_step_rule; `prepared` lives longer.
[[nodiscard]] std::variant<ServiceEngine, Infeasible> service_engine(Design const& design, Prepared const& prepared,
                                                                     Fidelity fidelity);

}  // namespace pimdse::models::dplena
