#pragma once

#include "sim/dram/mapping/mapping.hpp"

#include <compare>
#include <string>
#include <variant>
#include <vector>

namespace pimdse::sim::dram {

/// The next `count` address bits belong to a field.
struct FieldBits {
    Field field = Field::column;
    int count = 0;
    auto operator<=>(FieldBits const&) const = default;
};

/// into ^= (from >> shift) & (2^count - 1), of what stands before it.
struct FieldXor {
    Field into = Field::bank, from = Field::row;
    int shift = 0, count = 0;
    auto operator<=>(FieldXor const&) const = default;
};

/// A mapping as an order of address bits, from the lowest above those of a burst, with XOR terms.
struct BitOrder {
    int offset_bits = 0;
    std::vector<std::variant<FieldBits, FieldXor>> parts;
    auto operator<=>(BitOrder const&) const = default;
};

/// Bits a field has in the order.
[[nodiscard]] int width_of(BitOrder const& order, Field field);

/// `ch2`, `x.ba.ro.0.2`, `of5 co3 ch2`: what parse_order takes.
[[nodiscard]] std::string text_of(FieldXor const& term);
[[nodiscard]] std::string text_of(BitOrder const& order);

/// Throws InputError: more than 48 address bits, an XOR term that writes bits its field does not have, widths that do
/// not fit, singular (naming two addresses that collide).
[[nodiscard]] Mapping make_mapping(BitOrder const& order, Organisation const& organisation);

}  // namespace pimdse::sim::dram
