#pragma once

#include "models/dplena/numerics/row_bounds.hpp"

#include <cstdint>
#include <functional>
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

/// What of a choice does not depend on what is not known: 1 where a position is chosen for sure, and where it may be.
struct PartlyChosen {
    Flags surely, maybe;
};

/// Confidences of rows as far as they are known, and how to find one exactly. What depends on them is found by looking
/// closer at those rows only that leave it open.
class Confidences {
  public:
    /// Bounds are rounded as what `look` finds is.
    template <class Rounded>
    Confidences(std::vector<std::optional<BoundedRow>> const& rows, Rounded const& rounded,
                std::function<double(std::size_t)> look)
        : look_(std::move(look)) {
        for (auto const& row : rows) {
            auto const range = row ? row->confidence : Range{0.0, 1.0};
            known_.push_back({rounded(range.lower), rounded(range.upper)});
        }
    }

    /// Positions that a policy chooses among rows: these confidences are those of the rows from `first` on.
    [[nodiscard]] Flags chosen(std::size_t first, std::size_t count, std::int64_t k, TransferPolicy const& policy);
    /// The same without looking closer.
    [[nodiscard]] PartlyChosen partly_chosen(std::size_t first, std::size_t count, std::int64_t k,
                                             TransferPolicy const& policy) const;
    /// The same if every confidence were in the middle of its range.
    [[nodiscard]] Flags likely_chosen(std::size_t first, std::size_t count, std::int64_t k,
                                      TransferPolicy const& policy) const;
    /// How many are chosen among rows that may come more than once.
    [[nodiscard]] std::int64_t number_chosen(std::span<std::size_t const> rows, TransferPolicy const& policy);

  private:
    using Rows = std::span<std::size_t const>;
    [[nodiscard]] bool is_exact(std::size_t row) const { return known_[row].lower == known_[row].upper; }
    void look_at(std::size_t row) { known_[row].lower = known_[row].upper = look_(row); }
    /// With the upper ends of the first `high` rows and the lower ends of all others.
    [[nodiscard]] std::vector<double> ends(Rows rows, std::size_t upper) const;
    [[nodiscard]] std::int64_t number(Rows rows, std::size_t upper, std::int64_t k, TransferPolicy const& policy) const;
    /// How many of the rows come before the i-th, for sure or perhaps.
    [[nodiscard]] std::int64_t before(Rows rows, std::size_t i, bool surely) const;
    /// Whether no row had to be looked at.
    [[nodiscard]] bool number_is_known(Rows rows, std::int64_t k, TransferPolicy const& policy);
    [[nodiscard]] bool order_is_known(Rows rows, Flags const& chosen);

    std::vector<Range> known_;
    std::function<double(std::size_t)> look_;
};

}  // namespace pimdse::models::dplena
