#pragma once

#include "models/contract/outcome.hpp"
#include "models/contract/parameter_text.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace pimdse::laws {

/// splitmix64 as a stream.
class Bits {
  public:
    explicit Bits(std::uint64_t seed) : state_(seed) {}
    std::uint64_t below(std::uint64_t n) {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
        return (z ^ (z >> 31)) % n;
    }

  private:
    std::uint64_t state_;
};

inline bool built(models::Parameter const& parameter, models::Value const& value) {
    for (auto const& missing : parameter.not_built) {
        if (missing.choice == "*" && value != parameter.default_value) return false;
        if (missing.choice == models::print_value(parameter, value)) return false;
    }
    return true;
}

/// Another value of a parameter: any of its choices, or its default halved or doubled where the limits allow it.
inline models::Value another_value(models::Parameter const& p, Bits& bits) {
    using models::Kind;
    using models::Value;
    bool const limited = p.lower != 0.0 || p.upper != 0.0;
    auto const inside = [&](double v) { return !limited || (v >= p.lower && v <= p.upper); };
    Value value = p.default_value;
    if (p.kind == Kind::choice) value = Value::choice(bits.below(p.choices.size()));
    if (p.kind == Kind::flag) value = Value::flag(bits.below(2) == 1);
    double const factor = bits.below(2) == 0 ? 0.5 : 2.0;
    if (p.kind == Kind::integer) {
        auto const v = static_cast<std::int64_t>(static_cast<double>(p.default_value.as_integer()) * factor);
        if (v > 0 && inside(static_cast<double>(v))) value = Value::integer(v);
    }
    if (p.kind == Kind::quantity && inside(p.default_value.as_quantity() * factor))
        value = Value::quantity(p.default_value.as_quantity() * factor);
    return built(p, value) ? value : p.default_value;
}

/// The default point with up to `changes` parameters changed.
inline std::vector<models::Value> random_point(models::Parameters const& parameters, std::uint64_t seed,
                                               std::uint64_t changes = 6) {
    Bits bits(seed * 7919 + 1);
    auto point = models::default_point(parameters);
    for (std::uint64_t i = bits.below(changes + 1); i > 0; --i) {
        auto const which = bits.below(parameters.size());
        point[which] = another_value(parameters[which], bits);
    }
    return point;
}

/// Whether the point has one device.
inline bool serves_alone(models::Parameters const& parameters, std::vector<models::Value> const& point) {
    int const devices = models::find_parameter(parameters, models::devices_name);
    return devices < 0 || point[static_cast<std::size_t>(devices)] == models::Value::integer(1);
}

/// What of a point is not at its default.
inline std::string shown(models::Parameters const& parameters, std::vector<models::Value> const& point) {
    std::string text;
    for (std::size_t i = 0; i < point.size(); ++i) {
        if (point[i] != parameters[i].default_value)
            text += fmt::format("{}={} ", parameters[i].name, models::print_value(parameters[i], point[i]));
    }
    return text;
}

/// Equal values bit for bit; what does not apply is equal.
inline bool same_bits(models::Metrics const& a, models::Metrics const& b) {
    return std::ranges::equal(a, b, [](auto const& x, auto const& y) {
        return std::bit_cast<std::uint64_t>(x.value) == std::bit_cast<std::uint64_t>(y.value) ||
               (std::isnan(x.value) && std::isnan(y.value));
    });
}

}  // namespace pimdse::laws
