#pragma once

#include "sim/base/check.hpp"

#include <compare>
#include <cstdint>
#include <span>

namespace pimdse::models {

/// Kind of the values of a parameter. `integer` counts in the unit of the parameter (tokens, B, bit); `quantity` is a
/// double in SI; `choice` is an index into the list of names of the parameter; `permutation` is the rank of an ordering
/// of its items.
enum class Kind : std::uint8_t { integer, quantity, choice, flag, permutation };

/// A value of a parameter: 16 bytes, comparable, without allocation. Its Parameter gives its meaning.
class Value {
  public:
    Value() = default;
    static Value integer(std::int64_t v) { return {Kind::integer, v, 0.0}; }
    static Value quantity(double si) { return {Kind::quantity, 0, si}; }
    /// By its position, a number or an enumerator.
    template <class Position>
    static Value choice(Position position) {
        return {Kind::choice, static_cast<std::int64_t>(position), 0.0};
    }
    static Value flag(bool on) { return {Kind::flag, on ? 1 : 0, 0.0}; }
    static Value permutation(std::uint64_t rank) { return {Kind::permutation, static_cast<std::int64_t>(rank), 0.0}; }

    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] std::int64_t as_integer() const { return count(Kind::integer); }
    [[nodiscard]] std::size_t as_choice() const { return static_cast<std::size_t>(count(Kind::choice)); }
    [[nodiscard]] bool as_flag() const { return count(Kind::flag) != 0; }
    [[nodiscard]] std::uint64_t as_permutation() const { return static_cast<std::uint64_t>(count(Kind::permutation)); }
    [[nodiscard]] double as_quantity() const {
        sim::expects(kind_ == Kind::quantity, "the value is a quantity");
        return real_;
    }
    auto operator<=>(Value const&) const = default;

  private:
    Value(Kind kind, std::int64_t whole, double real) : whole_(whole), real_(real), kind_(kind) {}
    [[nodiscard]] std::int64_t count(Kind wanted) const {
        sim::expects(kind_ == wanted, "the value has the kind that is read");
        return whole_;
    }

    std::int64_t whole_ = 0;
    double real_ = 0.0;
    Kind kind_ = Kind::integer;
};

/// One value per parameter, in declared order; a view.
using Point = std::span<Value const>;

}  // namespace pimdse::models
