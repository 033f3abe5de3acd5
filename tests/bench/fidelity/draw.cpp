#include "draw.hpp"

#include "models/contract/parameter_text.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::fidelity {

using models::Kind;
using models::Parameter;
using models::Value;

namespace {

constexpr double usual_reach = 16.0, widest_reach = 64.0, share_of_ends = 0.15;

bool is_built(Parameter const& parameter, Value const& value) {
    return std::ranges::none_of(parameter.not_built, [&](models::NotBuilt const& missing) {
        return missing.choice == models::print_value(parameter, value) ||
               (missing.choice == "*" && value != parameter.default_value);
    });
}

}  // namespace

double Draw::number(Parameter const& parameter, double default_value) {
    bool const limited = parameter.lower != 0.0 || parameter.upper != 0.0;
    double const base = default_value > 0.0 ? default_value : 1.0;
    double const lowest = limited ? parameter.lower : 0.0;
    double const highest = limited ? parameter.upper : base * widest_reach;
    if (uniform() < share_of_ends)
        return uniform() < 0.5 ? std::max(lowest, base / widest_reach) : std::min(highest, base * widest_reach);
    double const factor = std::exp((2.0 * uniform() - 1.0) * std::log(usual_reach));
    double const drawn = uniform() < 0.5 ? base * factor : base * std::exp2(std::round(std::log2(factor)));
    return std::clamp(drawn, lowest, highest);
}

Value Draw::value_of(Parameter const& parameter) {
    switch (parameter.kind) {
        case Kind::choice:
            return Value::choice(std::uniform_int_distribution<std::size_t>(0, parameter.choices.size() - 1)(random_));
        case Kind::flag:
            return Value::flag(uniform() < 0.5);
        case Kind::integer: {
            auto const drawn =
                std::llround(number(parameter, static_cast<double>(parameter.default_value.as_integer())));
            return Value::integer(parameter.default_value.as_integer() == 0 && uniform() < 0.5 ? 0 : drawn);
        }
        case Kind::quantity:
            return Value::quantity(number(parameter, parameter.default_value.as_quantity()));
        case Kind::permutation:
            break;
    }
    return parameter.default_value;
}

std::vector<Value> Draw::next() {
    auto point = models::default_point(parameters_);
    double const share = 0.05 + 0.6 * uniform() * uniform();
    for (std::size_t i = 0; i < point.size(); ++i) {
        if (uniform() >= share) continue;
        auto const value = value_of(parameters_[i]);
        if (is_built(parameters_[i], value)) point[i] = value;
    }
    return point;
}

}  // namespace pimdse::fidelity
