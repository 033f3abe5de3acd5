#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <type_traits>

namespace pimdse::sim {

/// Calls f(x, y) for every double x of `a` and y of `b`: all that these structs consist of, so that a sum of two misses
/// no member.
template <class Numbers, class Call>
void each_number(Numbers& a, Numbers const& b, Call const& f) {
    using All = std::array<double, sizeof(Numbers) / sizeof(double)>;
    static_assert(std::is_trivially_copyable_v<Numbers> && sizeof(All) == sizeof(Numbers));
    auto to = std::bit_cast<All>(a);
    auto const from = std::bit_cast<All>(b);
    for (std::size_t i = 0; i < to.size(); ++i) f(to[i], from[i]);
    a = std::bit_cast<Numbers>(to);
}

/// Adds all numbers of `b` to those of `a`.
template <class Numbers>
void add_numbers(Numbers& a, Numbers const& b) {
    each_number(a, b, [](double& to, double from) { to += from; });
}

}  // namespace pimdse::sim
