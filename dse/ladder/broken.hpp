#pragma once

#include "dse/task/answer.hpp"

#include <fmt/format.h>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace pimdse::dse::ladder {

/// An answer was better than what is proved to be the best it may be. Values as the ladder has them: less is better.
class BrokenBound : public std::runtime_error {
  public:
    BrokenBound(task::PointId of, std::size_t which, double proved, double found)
        : std::runtime_error(
              fmt::format("point {}: objective {} is {}, below its proved low {}", index_of(of), which, found, proved)),
          point(of),
          objective(which),
          low(proved),
          value(found) {}
    task::PointId point;
    std::size_t objective;
    double low, value;
};

/// Two points with equal cycle keys were answered differently, or their coarse bounds exclude one result of both.
class BrokenKey : public std::runtime_error {
  public:
    BrokenKey(task::PointId point, task::PointId twin, std::string const& difference = "different cycle-level results")
        : std::runtime_error(fmt::format("points {} and {} have equal cycle keys and {}", index_of(point),
                                         index_of(twin), difference)) {}
};

}  // namespace pimdse::dse::ladder
