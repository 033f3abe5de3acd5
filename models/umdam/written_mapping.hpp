#pragma once

#include "sim/dram/mapping.hpp"
#include "sim/dram/standard.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace pimdse::models::umdam {

using sim::dram::Organisation;

/// Banks of the whole memory, whose units multiply at the same time.
[[nodiscard]] inline std::int64_t lanes(Organisation const& o) {
    return std::int64_t{o.channels} * o.banks_per_channel();
}

/// The items of an order of fields: the column bits are divided into those below the channel (ColL) and those above it
/// (ColM).
enum class OrderItem : std::uint8_t { row, colm, bank, group, channel, coll, rank };

/// An order of fields, highest address bits first. If the rank is not named, it is above the channel.
struct FieldOrder {
    std::vector<OrderItem> highest_first;
    std::optional<int> coll_bits;  ///< set if the order names its own ColL
    auto operator<=>(FieldOrder const&) const = default;
};

/// A mapping as a space writes it, independent of a memory: a name, an order of fields or an order of bits, with XOR
/// terms.
struct WrittenMapping {
    std::variant<std::string, FieldOrder, sim::dram::BitOrder> order;
    std::vector<sim::dram::FieldXor> terms;
};

/// The fields that a space may permute, in UMDAM's own order, highest address bits first.
[[nodiscard]] std::vector<std::string> field_items();

/// ColL of the paper, used for mappings and layouts that name none: 256 B per bank.
inline constexpr int paper_coll_bits = 3;

/// Empty if the text can be a mapping; otherwise the reason why not. A mapping is a name, a token list from the lowest
/// bit, or an order of fields from the highest joined by '-' (`coll4` in it fixes ColL); XOR tokens may follow. Widths
/// are checked against the organisation later.
[[nodiscard]] std::string refusal_of_mapping(std::string const& text);

/// Reads a text that refusal_of_mapping accepts. Throws InputError for numbers that no mapping can have.
[[nodiscard]] WrittenMapping read_mapping(std::string const& text);
/// Reads the names of `field_items` in any order.
[[nodiscard]] FieldOrder read_order(std::vector<std::string> const& highest_first);
/// The inverse of read_mapping.
[[nodiscard]] std::string text_of(WrittenMapping const& mapping);

/// The bit order of the mapping on this memory. `coll_bits` column bits are `coll` (unless the order names its own
/// number), the rest are `colm`; -1: the paper's value. Fields without bits are left out. Throws InputError if the
/// mapping names more bits than the memory has, or if an XOR term reads bits that its source does not have (it would
/// have no effect).
[[nodiscard]] sim::dram::BitOrder order_on(WrittenMapping const& mapping, Organisation const& organisation,
                                           int coll_bits);

/// Number of consecutive address bits above the burst that belong only to the column: the ColL that matches the
/// mapping.
[[nodiscard]] int matching_coll_bits(sim::dram::Mapping const& mapping);

}  // namespace pimdse::models::umdam
