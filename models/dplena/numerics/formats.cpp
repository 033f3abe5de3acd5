#include "models/dplena/numerics/formats.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace pimdse::models::dplena {
namespace {

constexpr std::array formats{
    ElementFormat{4, 3, 7, 448.0F},        ElementFormat{5, 2, 15, 57344.0F},      ElementFormat{3, 4, 3, 31.0F},
    ElementFormat{2, 1, 1, 6.0F},          ElementFormat{0, 6, 0, 127.0F / 64.0F}, ElementFormat{0, 2, 0, 7.0F / 4.0F},
    ElementFormat{8, 7, 127, 0x1.fep127F},
};

/// 2^exponent for exponents of normal floats.
float power_of_two(int exponent) { return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23); }

/// Nearest integer, ties to even, for |value| < 2^22: the sum has no fraction bits.
float nearest_integer(float value) {
    constexpr float no_fraction = 12582912.0F;
    return (value + no_fraction) - no_fraction;
}

int exponent_of(float value) { return static_cast<int>(std::bit_cast<std::uint32_t>(value) >> 23 & 0xffU) - 127; }

/// Scale code of a block: the binade of its largest magnitude over that of the format, as in OCP; 0 if all are zero.
std::uint8_t scale_code(std::span<float const> block, ElementFormat const& format) {
    float largest = 0.0F;
    for (auto const value : block) {
        if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
    }
    if (largest == 0.0F) return 0;
    return static_cast<std::uint8_t>(std::clamp(exponent_of(largest) - exponent_of(format.largest) + 127, 1, 253));
}

}  // namespace

float to_bf16(float value) {
    if (!std::isfinite(value)) return value;
    auto const bits = std::bit_cast<std::uint32_t>(value);
    auto const odd = bits >> 16 & 1U;
    return std::bit_cast<float>((bits + 0x7fffU + odd) & 0xffff0000U);
}

float to_fp16(float value) {
    if (!std::isfinite(value)) return value;
    constexpr float overflow = 65520.0F;  // half way between the largest half and the next step
    if (std::fabs(value) >= overflow) return std::copysign(infinity, value);
    auto const step = std::max(exponent_of(value), -14) - 10;
    return nearest_integer(value * power_of_two(-step)) * power_of_two(step);
}

float rounded(Accumulator format, float value) {
    if (format == Accumulator::fp16) return to_fp16(value);
    return format == Accumulator::bf16 ? to_bf16(value) : value;
}

ElementFormat format_of(Element element) { return formats[static_cast<std::size_t>(element)]; }

float ElementFormat::nearest(float value) const {
    if (std::fabs(value) >= largest) return std::copysign(largest, value);
    auto const step = (exponent_bits == 0 ? 0 : std::max(exponent_of(value), 1 - bias)) - mantissa_bits;
    return std::clamp(nearest_integer(value * power_of_two(-step)) * power_of_two(step), -largest, largest);
}

void through_hbm(std::span<float> values, Element element, std::int64_t block) {
    if (element == Element::bf16) {
        std::ranges::transform(values, values.begin(), to_bf16);
        return;
    }
    auto const format = format_of(element);
    auto const size = static_cast<std::size_t>(block);
    for (std::size_t from = 0; from < values.size(); from += size) {
        auto const piece = values.subspan(from, std::min(size, values.size() - from));
        auto const exponent = static_cast<int>(scale_code(piece, format)) - 127;
        if (exponent < -126) continue;  // only zeros and values that are not finite
        auto const down = power_of_two(-exponent), up = power_of_two(exponent);
        for (auto& value : piece) {
            if (std::isfinite(value)) value = to_bf16(format.nearest(value * down) * up);
        }
    }
}

}  // namespace pimdse::models::dplena
