#pragma once

#include "models/dplena/constants.hpp"
#include "sim/base/random.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pimdse::models::dplena {

/// Writes the logits of row `row` of the synthetic blocks.
void synthetic_row(ProxyConstants const& constants, std::int64_t row, std::span<float> logits);

/// Upper bound of the magnitude of logits of the bulk.
[[nodiscard]] double bulk_bound(ProxyConstants const& constants);
/// Largest bell sum. Each logit of the bulk, which is the same for every vocabulary, follows from a bell sum: the sum
/// of four 16-bit numbers.
inline constexpr std::uint32_t max_of_bell = 4 * 0xffff;
[[nodiscard]] constexpr std::uint32_t bell_sum(std::uint64_t word) {
    return static_cast<std::uint32_t>((word & 0xffffU) + (word >> 16 & 0xffffU) + (word >> 32 & 0xffffU) +
                                      (word >> 48));
}
[[nodiscard]] double logit_of_bell(ProxyConstants const& constants, std::uint32_t sum);
[[nodiscard]] std::uint64_t base_of_row(ProxyConstants const& constants, std::int64_t row);

/// A logit that is not part of the bulk.
struct Peak {
    std::int64_t place = 0;
    float value = 0.0F;
};

/// The peak and the runner-up of a row, ordered by place; only the peak if both have the same place.
struct Peaks {
    std::array<Peak, 2> at;
    std::size_t count = 0;

    [[nodiscard]] std::span<Peak const> all() const { return std::span(at).first(count); }
    /// The largest peak, the first of equal ones. Precondition: count > 0.
    [[nodiscard]] Peak const& largest() const { return count == 2 && at[1].value > at[0].value ? at[1] : at[0]; }
};
[[nodiscard]] Peaks peaks_of(ProxyConstants const& constants, std::int64_t row, std::int64_t vocabulary);

/// A uniform number in [0, 1), a function of seed, stream and counter.
constexpr double uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) {
    return sim::mixed_fraction(sim::mixed_bits(seed ^ sim::mixed_bits(stream)) + counter);
}

}  // namespace pimdse::models::dplena
