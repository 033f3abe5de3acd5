#include "models/dplena/numerics/stable_max.hpp"

#include "models/dplena/numerics/formats.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace pimdse::models::dplena {
namespace {

/// BF16 exponential of every BF16 number that is not positive.
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

/// Strictly greater replaces, so the lowest index wins a tie. A NaN never wins; it is looked for separately.
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
