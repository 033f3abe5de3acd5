#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/numerics/row_bounds.hpp"
#include "models/dplena/numerics/synthetic.hpp"

#include <cstdint>
#include <span>

namespace pimdse::models::dplena {

/// Gumbel-distributed noise for the logits of a synthetic row: -log(-log(u)) of 53 bits that follow from seed, row and
/// place alone, so that both sides of a comparison, and every process, draw the same numbers.
class RowNoise {
  public:
    RowNoise(ProxyConstants const& constants, std::int64_t row);

    [[nodiscard]] double at(std::int64_t place) const;
    /// At least at(place), without a logarithm.
    [[nodiscard]] double at_most(std::int64_t place) const;

  private:
    [[nodiscard]] std::uint64_t bits(std::int64_t place) const;

    std::uint64_t base_;
};

/// A token that was drawn.
struct Drawn {
    double confidence = 0.0;  ///< probability of the token among logits / temperature
    std::int64_t index = 0;
};

/// The token with the largest logit / temperature + noise, the first of equal ones, in FP64. Precondition: temperature
/// > 0 (units of the logits).
[[nodiscard]] Drawn drawn_in_double(std::span<float const> logits, RowNoise const& noise, double temperature);

/// The same as the NPU computes it from BF16 logits, which become their BF16 products with the BF16 number 1 /
/// temperature, unless that is 1. Noise and sums with it are BF16, too; the sum of exponentials is that of stable_max.
/// `sum` and `flagged` are those of stable_max; a flagged row has confidence 0.
[[nodiscard]] RowResult drawn_by_npu(std::span<float> logits, RowNoise const& noise, double temperature,
                                     RowWalk const& walk);

/// Confidence of a token that is drawn from a row with these peaks over `vocabulary` logits, whose bulk has its mean
/// sum of exponentials: a number of the proxy without any logit of the bulk. `row` selects the random numbers.
[[nodiscard]] double synthetic_draw(ProxyConstants const& constants, Peaks const& peaks, std::int64_t vocabulary,
                                    double temperature, std::int64_t row);

}  // namespace pimdse::models::dplena
