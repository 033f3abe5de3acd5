#pragma once

#include "sim/base/check.hpp"

#include <compare>
#include <cstdint>

namespace pimdse::models {

/// What a parameter's values are. `integer` counts in the parameter's unit (tokens, B, bit); `quantity` is an SI
/// double; `choice` indexes the parameter's list of names; `permutation` is the rank of an ordering of its items.
enum class Kind : std::uint8_t { integer, quantity, choice, flag, permutation };

/// One value of one parameter: 16 bytes, comparable, no allocation. What it means is said by its Parameter.
class Value {
  public:
    Value() = default;
    static Value integer(std::int64_t v) { return {Kind::integer, v, 0.0}; }
    static Value quantity(double si) { return {Kind::quantity, 0, si}; }
    static Value choice(std::size_t index) { return {Kind::choice, static_cast<std::int64_t>(index), 0.0}; }
    static Value flag(bool on) { return {Kind::flag, on ? 1 : 0, 0.0}; }
    static Value permutation(std::uint64_t rank) { return {Kind::permutation, static_cast<std::int64_t>(rank), 0.0}; }

    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] std::int64_t as_integer() const { return count(Kind::integer); }
    [[nodiscard]] std::size_t as_choice() const { return static_cast<std::size_t>(count(Kind::choice)); }
    [[nodiscard]] bool as_flag() const { return count(Kind::flag) != 0; }
    [[nodiscard]] std::uint64_t as_permutation() const { return static_cast<std::uint64_t>(count(Kind::permutation)); }
    [[nodiscard]] double as_quantity() const {
        sim::expects(kind_ == Kind::quantity, "value is a quantity");
        return real_;
    }
    auto operator<=>(Value const&) const = default;

  private:
    Value(Kind kind, std::int64_t whole, double real) : whole_(whole), real_(real), kind_(kind) {}
    [[nodiscard]] std::int64_t count(Kind wanted) const {
        sim::expects(kind_ == wanted, "value is read as the kind it is");
        return whole_;
    }

    std::int64_t whole_ = 0;
    double real_ = 0.0;
    Kind kind_ = Kind::integer;
};

}  // namespace pimdse::models
