#pragma once

#include "models/dplena/design.hpp"
#include "models/text/part.hpp"

#include <utility>

namespace pimdse::models::dplena {

/// The kind `sampler` of a compute component of a machine file: the vector and scalar unit that sample the logits of a
/// block, with their memories, the HBM from which they fetch logits, and its controllers. Other elementwise operators
/// take the lanes of the vector unit. Its keys are the parameters of this folder that are not of passes.
[[nodiscard]] text::PartKind sampler();

/// The part at a point, as far as what its kind says of keys reads it.
class SamplerLaw : public text::PartLaw {
  public:
    explicit SamplerLaw(Design design) : design_(std::move(design)) {}
    [[nodiscard]] Design const& design() const { return design_; }

  private:
    Design design_;
};

}  // namespace pimdse::models::dplena
