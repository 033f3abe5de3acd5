#pragma once

#include "models/dplena/design.hpp"
#include "models/text/part.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pimdse::models::dplena {

/// The part at a point, as far as what its kind says of keys reads it.
class SamplerLaw : public text::PartLaw {
  public:
    explicit SamplerLaw(Design design) : design_(std::move(design)) {}
    [[nodiscard]] Design const& design() const { return design_; }

  private:
    Design design_;
};

/// What stands for keys of the part `sampler` in the cycle key; how bounds move with keys (README.md, Lower bounds);
/// the constants of which the dimension does not tell how they move metrics.
[[nodiscard]] std::vector<text::PartKeyRow> key_rows();
[[nodiscard]] std::vector<MonotoneGroup> directions();
[[nodiscard]] std::vector<std::string> constants_without_slopes();

}  // namespace pimdse::models::dplena
