#pragma once

#include "models/dplena/constants.hpp"
#include "sim/base/random.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace pimdse::models::dplena {

/// Logits of row `row` of the synthetic blocks.
void synthetic_row(ProxyConstants const& constants, std::int64_t row, std::span<float> logits);

/// No logit of a bulk is farther from 0.
[[nodiscard]] double bulk_bound(ProxyConstants const& constants);
/// Logits of a bulk, the same for every vocabulary: each is a sum of four 16-bit numbers, which this one is the largest
/// of.
inline constexpr std::uint32_t max_of_bell = 4 * 0xffff;
[[nodiscard]] constexpr std::uint32_t bell_sum(std::uint64_t word) {
    return static_cast<std::uint32_t>((word & 0xffffU) + (word >> 16 & 0xffffU) + (word >> 32 & 0xffffU) +
                                      (word >> 48));
}
[[nodiscard]] double logit_of_bell(ProxyConstants const& constants, std::uint32_t sum);
[[nodiscard]] std::uint64_t base_of_row(ProxyConstants const& constants, std::int64_t row);

/// A logit that is no part of the bulk.
struct Peak {
    std::int64_t place = 0;
    float value = 0.0F;
};

/// The peak and the runner-up of a row, by place; one where they fall on the same place.
struct Peaks {
    std::array<Peak, 2> at;
    std::size_t count = 0;

    [[nodiscard]] std::span<Peak const> all() const { return std::span(at).first(count); }
    /// The largest, of equal ones the first. There is one.
    [[nodiscard]] Peak const& largest() const { return count == 2 && at[1].value > at[0].value ? at[1] : at[0]; }
};
[[nodiscard]] Peaks peaks_of(ProxyConstants const& constants, std::int64_t row, std::int64_t vocabulary);

/// Uniform in [0, 1), a function of seed, stream and counter.
constexpr double uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t counter) {
    return sim::mixed_fraction(sim::mixed_bits(seed ^ sim::mixed_bits(stream)) + counter);
}

}  // namespace pimdse::models::dplena
