#pragma once

#include "models/contract/architecture.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace pimdse::fidelity {

/// Random designs of an architecture, each with another share of its parameters changed: choices and flags evenly,
/// numbers evenly in their logarithm within 16 times the default or at an end of what is allowed within 64 times.
class Draw {
  public:
    Draw(models::Parameters const& parameters, std::uint64_t seed) : parameters_(parameters), random_(seed) {}
    [[nodiscard]] std::vector<models::Value> next();

  private:
    [[nodiscard]] models::Value value_of(models::Parameter const& parameter);
    [[nodiscard]] double number(models::Parameter const& parameter, double default_value);
    [[nodiscard]] double uniform() { return std::uniform_real_distribution<double>()(random_); }

    models::Parameters const& parameters_;
    std::mt19937_64 random_;
};

}  // namespace pimdse::fidelity
