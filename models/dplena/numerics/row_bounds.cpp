#include "models/dplena/numerics/row_bounds.hpp"

#include "models/dplena/numerics/formats.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

namespace pimdse::models::dplena {

namespace {

/// Peaks after rounding to the format of HBM, and an upper bound of the bulk.
struct SeenPeaks {
    Peaks peaks;
    double top_of_bulk = 0.0;
    int exponent = 0;  ///< of the largest scale
};

/// Half a step of the format in a block whose largest logit has this exponent.
double half_step(Element element, int exponent) { return std::ldexp(0.5, exponent - format_of(element).mantissa_bits); }

/// Peaks in one block share its scale, which is that of the largest logit in the block: a peak, or a logit of the bulk
/// with the same exponent. nullopt if a peak may not determine its scale.
std::optional<SeenPeaks> through_hbm(SeenRow const& row, Peaks const& of_row, double bound) {
    SeenPeaks seen;
    for (auto const& peak : of_row.all())
        if (peak.place < row.logits) seen.peaks.at[seen.peaks.count++] = peak;
    if (seen.peaks.count == 0) return std::nullopt;
    auto const block_of = [&](std::size_t i) { return seen.peaks.at[i].place / row.mx_block; };
    bool const together = seen.peaks.count == 2 && block_of(0) == block_of(1);
    seen.exponent = std::ilogb(bound);
    auto const lowest = seen.exponent;
    for (std::size_t first = 0; first < seen.peaks.count; first += together ? 2 : 1) {
        std::array<float, 3> block{seen.peaks.at[first].value, static_cast<float>(bound), 0.0F};
        if (together) block[2] = seen.peaks.at[1].value;
        auto const exponent = std::ilogb(std::max(block[0], block[2]));
        bool const positive = block[0] > 0.0F && block[2] >= 0.0F;
        if (!positive || exponent < lowest) return std::nullopt;
        seen.exponent = std::max(seen.exponent, exponent);
        through_hbm(std::span(block), row.element, static_cast<std::int64_t>(block.size()));
        seen.peaks.at[first].value = block[0];
        if (together) seen.peaks.at[1].value = block[2];
        seen.top_of_bulk = std::max(seen.top_of_bulk, static_cast<double>(block[1]));
    }
    // In blocks without a peak: at most half a step above the bulk.
    seen.top_of_bulk = std::max(seen.top_of_bulk, bound + half_step(row.element, lowest));
    return seen;
}

/// Bounds of the sum of exponentials of a row, in the order of stable_max.
class SumOfRow {
  public:
    SumOfRow(SeenRow const& row, SeenPeaks const& seen, BulkRow const& bulk, double bound)
        : row_(row), seen_(seen), bulk_(bulk), bound_(bound), sum_(row.walk.accumulator) {}

    /// nullopt where the bulk may determine the maximum at the end of the row, or halves may overflow or become too
    /// small.
    [[nodiscard]] std::optional<Range> operator()() {
        auto const peaks = seen_.peaks.all();
        for (std::size_t i = 0; i < peaks.size();) {
            if (is_below_bulk(peaks[i])) {
                early_ += std::exp(static_cast<double>(peaks[i++].value));
                continue;
            }
            if (!advance_to_chunk_of(peaks[i])) return std::nullopt;
            auto const vector = peaks[i].place / row_.walk.vlen;
            add_bulk_up_to(vector);
            double exponentials = 0.0;
            for (; i < peaks.size() && peaks[i].place / row_.walk.vlen == vector; ++i)
                exponentials += exponential(peaks[i].value);
            add_vector(exponentials);
        }
        add_bulk_up_to(row_.logits / row_.walk.vlen);
        if (maximum_ == 0.0F || sum_.may_overflow()) return std::nullopt;
        return sum_.sum();
    }

  private:
    [[nodiscard]] double exponential(float logit) const {
        return static_cast<double>(bf16_exponential(to_bf16(logit - maximum_)));
    }
    [[nodiscard]] std::int64_t chunk_of(std::int64_t place) const {
        return row_.walk.passes == Passes::two ? 0 : place / row_.walk.chunk;
    }
    [[nodiscard]] float maximum_up_to(std::int64_t chunk) const {
        float maximum = 0.0F;
        for (auto const& peak : seen_.peaks.all())
            if (chunk_of(peak.place) <= chunk) maximum = std::max(maximum, peak.value);
        return maximum;
    }

    /// Whether a logit of the bulk may be the maximum in the chunk of this peak.
    [[nodiscard]] bool is_below_bulk(Peak const& peak) const {
        return static_cast<double>(maximum_up_to(chunk_of(peak.place))) <= seen_.top_of_bulk;
    }

    /// False if halves may become too small while the maximum grows.
    bool advance_to_chunk_of(Peak const& peak) {
        auto const chunk = chunk_of(peak.place);
        auto const before = std::exchange(maximum_, maximum_up_to(chunk));
        if (before == maximum_) return true;
        auto const vectors = chunk == 0 ? 0 : chunk * row_.walk.chunk / row_.walk.vlen;
        if (before == 0.0F) {
            add_early(vectors);
            return vectors == 0 || row_.walk.accumulator != Accumulator::fp16;
        }
        maximum_ = before;
        add_bulk_up_to(vectors);
        maximum_ = maximum_up_to(chunk);
        sum_.rescale(static_cast<double>(maximum_) - static_cast<double>(before));
        return true;
    }
    /// Adds the vectors of chunks whose maximum is a logit of the bulk.
    void add_early(std::int64_t vectors) {
        constexpr int roundings = 3;  // addition, factor and product
        auto const replaced = early_ > 0.0 ? static_cast<double>(Peaks{}.at.size()) * std::exp(bound_) : 0.0;
        auto const factor = seen_bulk();
        auto const bulk = bulk_.over(0, vectors * row_.walk.vlen);
        sum_.add({std::max(0.0, bulk.lower - replaced) * factor.lower, (bulk.upper + early_) * factor.upper},
                 static_cast<double>(vectors), roundings);
        done_ = vectors;
    }

    /// Bounds of the factor from the sum of the bulk to the sum of its exponentials in the functional model: logits are
    /// rounded to elements, differences and exponentials to BF16.
    [[nodiscard]] Range const& seen_bulk() {
        if (factor_of_ == maximum_) return factor_;
        auto const exponent = std::ilogb(bound_);
        auto const format = format_of(row_.element);
        auto const step = half_step(row_.element, exponent);
        auto const largest = static_cast<double>(format.largest);
        auto const end = std::ldexp(largest, exponent - std::ilogb(largest));
        auto const cut = std::max(bound_ - end, std::ldexp(1.0, exponent) - end / 2.0);
        auto const rounding = difference_rounding();
        factor_of_ = maximum_;
        return factor_ = {std::exp(-static_cast<double>(maximum_) - std::max(step, cut) - rounding),
                          std::exp(-static_cast<double>(maximum_) + step + rounding)};
    }
    [[nodiscard]] double difference_rounding() const {
        constexpr double exponential_rounding = 0x1.02p-8;
        auto const longest = static_cast<double>(maximum_) + seen_.top_of_bulk;
        return std::ldexp(1.0, std::ilogb(longest) - 8) + exponential_rounding;
    }

    void add_bulk_up_to(std::int64_t vector) {
        if (vector <= done_) return;
        auto const factor = seen_bulk();
        auto const bulk = bulk_.over(done_ * row_.walk.vlen, vector * row_.walk.vlen);
        sum_.add({bulk.lower * factor.lower, bulk.upper * factor.upper}, static_cast<double>(vector - done_));
        done_ = vector;
    }

    /// Adds a vector with peaks; the blocks of the peaks may have larger steps.
    void add_vector(double exponentials) {
        auto const from = done_ * row_.walk.vlen;
        auto const bulk = bulk_.over(from, from + row_.walk.vlen).upper;
        auto const blocks = static_cast<double>(std::min(2 * row_.mx_block, row_.walk.vlen));
        auto const step = half_step(row_.element, seen_.exponent);
        auto const beside = std::min(blocks * std::exp(seen_.top_of_bulk), bulk * std::exp(step)) *
                            std::exp(difference_rounding() - static_cast<double>(maximum_));
        sum_.add_at_once({exponentials, exponentials + bulk * seen_bulk().upper + beside});
        ++done_;
    }

    SeenRow const& row_;
    SeenPeaks const& seen_;
    BulkRow const& bulk_;
    double bound_;
    double early_ = 0.0;  // sum of the exponentials of peaks that may be below the bulk
    Accumulated sum_;
    float maximum_ = 0.0F;
    std::optional<float> factor_of_;  // the maximum to which factor_ belongs
    Range factor_;
    std::int64_t done_ = 0;  // number of vectors that were added
};

/// Table of the BF16 exponentials of all BF16 numbers that are at most 0.
class ExponentialTable {
  public:
    ExponentialTable() : values_(1U << 15) {
        for (std::uint32_t bits = 0; bits < values_.size(); ++bits) {
            auto const magnitude = std::bit_cast<float>(bits << 16);
            values_[bits] = to_bf16(static_cast<float>(std::exp(-static_cast<double>(magnitude))));
        }
    }
    [[nodiscard]] float operator()(float not_positive) const {
        return values_[std::bit_cast<std::uint32_t>(not_positive) >> 16 & 0x7fffU];
    }

  private:
    std::vector<float> values_;
};

struct Maximum {
    float value = -infinity;
    std::int64_t index = 0;
};

/// Running maximum of logits; of equal ones the first counts. NaN is ignored here and detected separately.
void scan(std::span<float const> logits, std::int64_t first, Maximum& maximum) {
    for (std::size_t i = 0; i < logits.size(); ++i) {
        if (logits[i] > maximum.value) maximum = {logits[i], first + static_cast<std::int64_t>(i)};
    }
}

/// Adds exp(z - maximum) of all logits to the accumulator, vector by vector.
float accumulate(float sum, std::span<float const> logits, float maximum, RowWalk const& walk) {
    auto const width = static_cast<std::size_t>(walk.vlen);
    for (std::size_t from = 0; from < logits.size(); from += width) {
        double lanes = 0.0;
        for (auto const z : logits.subspan(from, std::min(width, logits.size() - from)))
            lanes += static_cast<double>(bf16_exponential(to_bf16(z - maximum)));
        sum = rounded(walk.accumulator, sum + static_cast<float>(lanes));
    }
    return sum;
}

RowResult finished(float sum, std::int64_t index) {
    return {.confidence = to_bf16(1.0F / sum), .sum = sum, .index = static_cast<std::int32_t>(index), .flagged = false};
}

RowResult infinite(std::span<float const> logits, std::int64_t index) {
    return finished(static_cast<float>(std::count(logits.begin(), logits.end(), infinity)), index);
}

RowResult online(std::span<float const> logits, RowWalk const& walk) {
    Maximum maximum;
    float sum = 0.0F;
    auto const size = static_cast<std::size_t>(walk.chunk);
    for (std::size_t from = 0; from < logits.size(); from += size) {
        auto const chunk = logits.subspan(from, std::min(size, logits.size() - from));
        auto const before = maximum.value;
        scan(chunk, static_cast<std::int64_t>(from), maximum);
        if (maximum.value == -infinity) continue;
        if (before != -infinity) {
            auto const factor =
                rounded(walk.accumulator,
                        static_cast<float>(std::exp(static_cast<double>(before) - static_cast<double>(maximum.value))));
            sum = rounded(walk.accumulator, sum * factor);
        }
        sum = accumulate(sum, chunk, maximum.value, walk);
    }
    return finished(sum, maximum.index);
}

}  // namespace

std::optional<BoundedRow> bound_true_row(ProxyConstants const& c, Peaks const& peaks, BulkRow const& bulk,
                                         std::int64_t vocabulary) {
    constexpr double rounding = 0x1p-26;  // of a sum over a vocabulary
    auto const& largest = peaks.largest();
    auto const maximum = static_cast<double>(largest.value);
    if (maximum <= bulk_bound(c)) return std::nullopt;
    double sum = 0.0, replaced = 0.0;
    for (auto const& peak : peaks.all()) sum += std::exp(static_cast<double>(peak.value) - maximum);
    auto const beside = bulk.over(0, vocabulary);
    // Peaks replace logits of the bulk.
    replaced = static_cast<double>(peaks.count) * std::exp(bulk_bound(c));
    auto const lower = sum + std::max(0.0, beside.lower - replaced) * std::exp(-maximum);
    auto const upper = sum + beside.upper * std::exp(-maximum);
    return BoundedRow{{(1.0 - rounding) / upper, (1.0 + rounding) / lower}, largest.place};
}

std::optional<BoundedRow> bound_seen_row(ProxyConstants const& c, SeenRow const& row, Peaks const& peaks,
                                         BulkRow const& bulk) {
    constexpr double rounding = 0x1p-20;
    auto const bound = bulk_bound(c);
    auto const seen = through_hbm(row, peaks, bound);
    if (!seen || row.walk.vlen % row.mx_block != 0) return std::nullopt;
    auto const& largest = seen->peaks.largest();
    if (static_cast<double>(largest.value) <= seen->top_of_bulk) return std::nullopt;
    auto const sum = SumOfRow(row, *seen, bulk, bound)();
    if (!sum || !(sum->lower > 0.0)) return std::nullopt;
    auto const confidence = [](double s) { return static_cast<double>(to_bf16(static_cast<float>(1.0 / s))); };
    return BoundedRow{{confidence(sum->upper * (1.0 + rounding)), confidence(sum->lower * (1.0 - rounding))},
                      largest.place};
}

float bf16_exponential(float not_positive) {
    static ExponentialTable const table;
    return table(not_positive);
}

RowResult stable_max(std::span<float const> logits, RowWalk const& walk) {
    Maximum maximum;
    scan(logits, 0, maximum);
    bool const not_a_number = std::any_of(logits.begin(), logits.end(), [](float z) { return std::isnan(z); });
    if (not_a_number || maximum.value == -infinity)
        return {.confidence = 0.0F, .sum = 0.0F, .index = 0, .flagged = true};
    if (maximum.value == infinity) return infinite(logits, maximum.index);
    if (walk.passes == Passes::one) return online(logits, walk);
    return finished(accumulate(0.0F, logits, maximum.value, walk), maximum.index);
}

}  // namespace pimdse::models::dplena
