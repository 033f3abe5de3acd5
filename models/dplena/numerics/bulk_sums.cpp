#include "models/dplena/numerics/bulk_sums.hpp"

#include "models/dplena/numerics/hash.hpp"
#include "models/dplena/numerics/synthetic.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pimdse::models::dplena {
namespace {

constexpr std::int64_t pieces_at_once = 64;
constexpr unsigned coarse = 6;  // bits of a bell's sum that are not looked at

/// exp(logit) from below as integers, by the upper bits of a bell's sum: integers add up in any order.
class CoarseExponentials {
  public:
    explicit CoarseExponentials(ProxyConstants const& c) : unit_(std::exp(bulk_bound(c)) / 0x1p31) {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            auto const logit = logit_of_bell(c, static_cast<std::uint32_t>(i) << coarse);
            values_[i] = static_cast<std::uint32_t>(std::exp(logit) * (1.0 - rounding) / unit_);
        }
        auto const step = logit_of_bell(c, 1U << coarse) - logit_of_bell(c, 0);
        stretch = std::exp(step) * (1.0 + margin);
    }
    /// Of a piece of a row.
    [[nodiscard]] double sum(std::uint64_t base, std::int64_t piece) const {
        std::uint64_t total = 0;
        auto const first = base + static_cast<std::uint64_t>(piece * BulkRow::piece);
        for (std::uint64_t v = 0; v < BulkRow::piece; ++v) total += values_[bell_of(first + v) >> coarse];
        return static_cast<double>(total) * unit_;
    }
    /// What cutting values to integers takes from a piece.
    [[nodiscard]] double cut() const { return unit_ * static_cast<double>(BulkRow::piece); }

    double stretch = 1.0;

  private:
    static constexpr double rounding = 0x1p-20, margin = 0x1p-18;  // of logits to floats, and of exponentials
    static std::uint32_t bell_of(std::uint64_t counter) { return bell_sum(sim::mixed_bits(counter)); }

    double unit_;
    std::array<std::uint32_t, (most_of_bell >> coarse) + 1> values_{};
};

BulkSums::Rows sums_of(std::int64_t pieces, ProxyConstants const& c,
                       sim::Memo<std::int64_t, BulkSums::Rows> const& known) {
    CoarseExponentials const exponentials(c);
    auto const rows = c.blocks * c.block_length, before = pieces - pieces_at_once;
    BulkSums::Rows all{pieces, {}, exponentials.stretch, exponentials.cut() * 2.0 * static_cast<double>(pieces)};
    all.sums.reserve(static_cast<std::size_t>(rows * (pieces + 1)));
    auto const* earlier = before > 0 ? &known.get(before, sums_of, c, known) : nullptr;
    for (std::int64_t row = 0; row < rows; ++row) {
        if (earlier != nullptr) {
            auto const from = earlier->sums.begin() + row * (before + 1);
            all.sums.insert(all.sums.end(), from, from + before + 1);
        } else {
            all.sums.push_back(0.0);
        }
        for (auto piece = before; piece < pieces; ++piece)
            all.sums.push_back(all.sums.back() + exponentials.sum(base_of_row(c, row), piece));
    }
    return all;
}

}  // namespace

BulkSums::Rows const& BulkSums::up_to(std::int64_t logits, ProxyConstants const& c) const {
    auto const pieces = sim::round_up(sim::divide_up(logits, BulkRow::piece), pieces_at_once);
    return rows_.get(pieces, sums_of, c, rows_);
}

}  // namespace pimdse::models::dplena
