#pragma once

#include "models/text/part.hpp"

namespace pimdse::models::dplena {

/// The kind `sampler` of a compute component of a machine file: the vector and scalar unit that sample the logits of a
/// block, with their memories, the HBM from which they fetch logits, and its controllers. Other elementwise operators
/// take the lanes of the vector unit. Its keys are the parameters of this folder that are not of passes.
[[nodiscard]] text::PartKind sampler();

}  // namespace pimdse::models::dplena
