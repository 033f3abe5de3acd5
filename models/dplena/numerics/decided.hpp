#pragma once

#include "models/dplena/numerics/row_bounds.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace pimdse::models::dplena {

/// Positions as flags; std::vector<bool> has no span.
using Flags = std::vector<std::uint8_t>;

/// The k best candidates: higher score first, then lower position. Scores of 0 and below are never chosen, because the
/// insertion list of the hardware starts at 0.
[[nodiscard]] Flags top_k_mask(std::span<double const> scores, Flags const& candidates, std::int64_t k);

/// Tie-break among confidences that are equal in BF16: the position only, or the FP32 sum from which they are computed.
enum class ConfidenceKey : std::uint8_t { confidence, sum };

/// The rule by which a step selects the positions that it commits.
struct TransferPolicy {
    Remasking remasking = Remasking::low_confidence;
    ConfidenceKey key = ConfidenceKey::confidence;
    float threshold = 0.9F;  ///< threshold: the best position and all with at least this confidence
    float factor = 1.0F;  ///< factor: the longest run c_1 >= c_2 >= .. with c_n >= 1 - factor / (n + 1), at least one
    std::uint64_t seed = 0;  ///< random: seed of the uniform scores
};

/// The masked positions that a step commits. `k` is their number for low_confidence and random.
[[nodiscard]] Flags choose_transfer(std::span<RowResult const> rows, Flags const& masked, std::int64_t k,
                                    TransferPolicy const& policy);

/// A choice from bounds: flags of the positions that are chosen in any case, and of those that may be chosen.
struct PartlyChosen {
    Flags surely, maybe;
};

/// Bounds of the confidences of rows, and a function that evaluates one exactly. A choice evaluates only those rows
/// whose bounds do not decide it.
class Confidences {
  public:
    /// `evaluate` returns the exact confidence of a row. `rounded` applies the rounding of `evaluate` to bounds.
    template <class Rounded>
    Confidences(std::vector<std::optional<BoundedRow>> const& rows, Rounded const& rounded,
                std::function<double(std::size_t)> evaluate)
        : evaluate_(std::move(evaluate)) {
        for (auto const& row : rows) {
            auto const range = row ? row->confidence : Range{0.0, 1.0};
            known_.push_back({rounded(range.lower), rounded(range.upper)});
        }
    }

    /// The positions that a policy chooses among the `count` rows from `first` on. Evaluates rows where necessary.
    [[nodiscard]] Flags chosen(std::size_t first, std::size_t count, std::int64_t k, TransferPolicy const& policy);
    /// The same from bounds, without evaluating rows.
    [[nodiscard]] PartlyChosen partly_chosen(std::size_t first, std::size_t count, std::int64_t k,
                                             TransferPolicy const& policy) const;
    /// The choice if every confidence were in the middle of its bounds.
    [[nodiscard]] Flags likely_chosen(std::size_t first, std::size_t count, std::int64_t k,
                                      TransferPolicy const& policy) const;
    /// The number of rows that a policy chooses; `rows` may contain a row several times.
    [[nodiscard]] std::int64_t number_chosen(std::span<std::size_t const> rows, TransferPolicy const& policy);

  private:
    using Rows = std::span<std::size_t const>;
    [[nodiscard]] bool is_exact(std::size_t row) const { return known_[row].lower == known_[row].upper; }
    void evaluate(std::size_t row) { known_[row].lower = known_[row].upper = evaluate_(row); }
    /// The upper bounds of the first `upper` rows and the lower bounds of all others.
    [[nodiscard]] std::vector<double> ends(Rows rows, std::size_t upper) const;
    [[nodiscard]] std::int64_t number(Rows rows, std::size_t upper, std::int64_t k, TransferPolicy const& policy) const;
    /// Number of rows that rank before the i-th one: certainly (`surely`), or possibly.
    [[nodiscard]] std::int64_t before(Rows rows, std::size_t i, bool surely) const;
    /// These return true if the bounds decide the number (the order); otherwise they evaluate one row.
    [[nodiscard]] bool number_is_known(Rows rows, std::int64_t k, TransferPolicy const& policy);
    [[nodiscard]] bool order_is_known(Rows rows, Flags const& chosen);

    std::vector<Range> known_;
    std::function<double(std::size_t)> evaluate_;
};

}  // namespace pimdse::models::dplena
