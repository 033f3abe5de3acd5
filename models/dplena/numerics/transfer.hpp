#pragma once

#include "models/dplena/numerics/stable_max.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pimdse::models::dplena {

/// Positions as flags; std::vector<bool> has no span.
using Flags = std::vector<std::uint8_t>;

/// The k best candidates: greater score first, then lower position. Scores that are not greater than 0 are never
/// chosen, as the hardware's insertion list starts at 0.
[[nodiscard]] Flags top_k_mask(std::span<double const> scores, Flags const& candidates, std::int64_t k);

/// What decides among confidences that BF16 makes equal: nothing but the position, or the FP32 sum they come from.
enum class ConfidenceKey : std::uint8_t { confidence, sum };

struct TransferPolicy {
    Remasking remasking = Remasking::low_confidence;
    ConfidenceKey key = ConfidenceKey::confidence;
    float threshold = 0.9F;  ///< threshold: the best position and every one with at least this confidence
    float factor = 1.0F;  ///< factor: the longest run c_1 >= c_2 >= .. with c_n >= 1 - factor / (n + 1), at least one
    std::uint64_t seed = 0;  ///< random: of the uniform scores
};

/// Which masked positions a step commits; `k` counts for low_confidence and random.
[[nodiscard]] Flags choose_transfer(std::span<RowResult const> rows, Flags const& masked, std::int64_t k,
                                    TransferPolicy const& policy);

}  // namespace pimdse::models::dplena
