#pragma once

#include "dse/task/answer.hpp"

#include <array>
#include <cstddef>

namespace pimdse::dse::front {

inline constexpr std::size_t most_dimensions = 6;

/// A point and its values, all minimised; values beyond the dimensions in use mean nothing.
struct Entry {
    std::array<double, most_dimensions> values{};
    task::PointId point{};
};

}  // namespace pimdse::dse::front
