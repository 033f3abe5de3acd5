#include "models/dplena/numerics/bulk_sums.hpp"

#include "models/dplena/numerics/formats.hpp"
#include "models/dplena/numerics/synthetic.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pimdse::models::dplena {
namespace {

constexpr std::int64_t pieces_at_once = 64;
constexpr unsigned coarse = 6;  // low bits of a bell sum that are ignored

/// Lower bounds of exp(logit) as integers, by the upper bits of a bell sum. Integer sums do not depend on the order.
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
    /// Lower bound of the sum over a piece of a row.
    [[nodiscard]] double sum(std::uint64_t base, std::int64_t piece) const {
        std::uint64_t total = 0;
        auto const first = base + static_cast<std::uint64_t>(piece * BulkRow::piece);
        for (std::uint64_t v = 0; v < BulkRow::piece; ++v) total += values_[bell_of(first + v) >> coarse];
        return static_cast<double>(total) * unit_;
    }
    /// Largest loss of a piece by truncating values to integers.
    [[nodiscard]] double cut() const { return unit_ * static_cast<double>(BulkRow::piece); }

    double stretch = 1.0;

  private:
    static constexpr double rounding = 0x1p-20,
                            margin = 0x1p-18;  // for rounding of logits to floats, and of exponentials
    static std::uint32_t bell_of(std::uint64_t counter) { return bell_sum(sim::mixed_bits(counter)); }

    double unit_;
    std::array<std::uint32_t, (max_of_bell >> coarse) + 1> values_{};
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

/// Largest relative error of a rounding and of the FP32 operation before it.
double unit_of(Accumulator format) {
    constexpr double fp32 = 0x1p-24;
    double const stored = format == Accumulator::fp16 ? 0x1p-11 : format == Accumulator::bf16 ? 0x1p-8 : 0.0;
    return stored + 2.0 * fp32;
}

/// Largest absolute error of a rounding near 0.
double min_of(Accumulator format) { return format == Accumulator::fp16 ? 0x1p-25 : 0x1p-126; }

constexpr double fp32_twice = 0x1p-22;

}  // namespace

BulkSums::Rows const& BulkSums::up_to(std::int64_t logits, ProxyConstants const& c) const {
    auto const pieces = sim::round_up(sim::divide_up(logits, BulkRow::piece), pieces_at_once);
    return rows_.get(pieces, sums_of, c, rows_);
}

void Accumulated::check_overflow() {
    constexpr double safe = 0x1p15;  // half of the value that overflows
    may_overflow_ = may_overflow_ || (format_ == Accumulator::fp16 && !(upper_ < safe));
}

void Accumulated::add(Range sum, double vectors, double roundings) {
    auto const unit = unit_of(format_);
    auto const grown = std::log1p(unit) * vectors * roundings;
    auto const lost = min_of(format_) * vectors * roundings * std::exp(grown);
    // An added term never makes a sum smaller. A sum that is rounded up is as near to the exact one as the previous sum
    // was, so no addition counts more than twice.
    auto const all = (upper_ + sum.upper) * std::exp(grown) + lost;
    auto const twice = (upper_ + 2.0 * sum.upper) * (1.0 + fp32_twice * vectors);
    upper_ = roundings == 1.0 ? std::min(all, twice) : all;
    lower_ =
        std::max(roundings == 1.0 ? lower_ : 0.0, (lower_ + sum.lower) * std::exp(-grown * (1.0 + 2.0 * unit)) - lost);
    check_overflow();
}

void Accumulated::add_at_once(Range sum) {
    auto const after = [&](double exact) { return static_cast<double>(rounded(format_, static_cast<float>(exact))); };
    lower_ = after((lower_ + sum.lower) * (1.0 - fp32_twice));
    upper_ = after((upper_ + sum.upper) * (1.0 + fp32_twice));
    check_overflow();
}

void Accumulated::rescale(double by) {
    auto const factor = rounded(format_, static_cast<float>(std::exp(-by)));
    auto const scaled = [&](double sum) {
        return static_cast<double>(rounded(format_, static_cast<float>(sum) * factor));
    };
    lower_ = scaled(lower_ * (1.0 - fp32_twice));
    upper_ = scaled(upper_ * (1.0 + fp32_twice));
}

}  // namespace pimdse::models::dplena
