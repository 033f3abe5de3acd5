#include "models/dplena/numerics/accumulated.hpp"

#include "models/dplena/numerics/formats.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::dplena {
namespace {

/// Largest relative error of a rounding, with that of the FP32 operation before it.
double unit_of(Accumulator format) {
    constexpr double fp32 = 0x1p-24;
    switch (format) {
        case Accumulator::fp16:
            return 0x1p-11 + 2.0 * fp32;
        case Accumulator::bf16:
            return 0x1p-8 + 2.0 * fp32;
        case Accumulator::fp32:
            break;
    }
    return 2.0 * fp32;
}

/// Largest error of a rounding near 0.
double least_of(Accumulator format) { return format == Accumulator::fp16 ? 0x1p-25 : 0x1p-126; }

constexpr double fp32_twice = 0x1p-22;

}  // namespace

void Accumulated::look_for_overflow() {
    constexpr double safe = 0x1p15;  // half of what overflows
    may_overflow_ = may_overflow_ || (format_ == Accumulator::fp16 && !(high_ < safe));
}

void Accumulated::add(Range sum, double vectors, double roundings) {
    auto const unit = unit_of(format_);
    auto const grown = std::log1p(unit) * vectors * roundings;
    auto const lost = least_of(format_) * vectors * roundings * std::exp(grown);
    // What is added never makes a sum smaller. A sum that is rounded up is as near to the exact one as the sum before
    // was, so that no addition counts more than twice.
    auto const all = (high_ + sum.high) * std::exp(grown) + lost;
    auto const twice = (high_ + 2.0 * sum.high) * (1.0 + fp32_twice * vectors);
    high_ = roundings == 1.0 ? std::min(all, twice) : all;
    low_ = std::max(roundings == 1.0 ? low_ : 0.0, (low_ + sum.low) * std::exp(-grown * (1.0 + 2.0 * unit)) - lost);
    look_for_overflow();
}

void Accumulated::add_at_once(Range sum) {
    auto const after = [&](double exact) { return static_cast<double>(rounded(format_, static_cast<float>(exact))); };
    low_ = after((low_ + sum.low) * (1.0 - fp32_twice));
    high_ = after((high_ + sum.high) * (1.0 + fp32_twice));
    look_for_overflow();
}

void Accumulated::rescale(double by) {
    auto const factor = rounded(format_, static_cast<float>(std::exp(-by)));
    auto const scaled = [&](double sum) {
        return static_cast<double>(rounded(format_, static_cast<float>(sum) * factor));
    };
    low_ = scaled(low_ * (1.0 - fp32_twice));
    high_ = scaled(high_ * (1.0 + fp32_twice));
}

}  // namespace pimdse::models::dplena
