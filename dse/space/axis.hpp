#pragma once

#include "models/contract/value.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace pimdse::dse::space {

/// The values one parameter takes: a list, or all orderings of the parameter's items (never stored, decoded by rank).
class Axis {
  public:
    static Axis list(std::vector<models::Value> values) { return Axis(std::move(values), 0); }
    static Axis permutations(std::size_t items);

    [[nodiscard]] std::uint64_t size() const { return orderings_ != 0 ? orderings_ : values_.size(); }
    [[nodiscard]] models::Value at(std::uint64_t index) const {
        return orderings_ != 0 ? models::Value::permutation(index) : values_[static_cast<std::size_t>(index)];
    }
    /// Position of a value on this axis; size() if it is not there.
    [[nodiscard]] std::uint64_t find(models::Value const& value) const;

  private:
    Axis(std::vector<models::Value> values, std::uint64_t orderings)
        : values_(std::move(values)), orderings_(orderings) {}
    std::vector<models::Value> values_;
    std::uint64_t orderings_ = 0;
};

/// How many points have one value of each axis; nothing where that is more than 2^64 - 1.
[[nodiscard]] std::optional<std::uint64_t> points_of(std::span<Axis const> axes);

}  // namespace pimdse::dse::space
