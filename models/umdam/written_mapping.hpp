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

/// Banks of the whole memory: the units that multiply at the same time.
[[nodiscard]] inline std::int64_t lanes(Organisation const& o) {
    return std::int64_t{o.channels} * o.banks_per_channel();
}

/// What an order of fields arranges: column bits below the channel (ColL) and above it (ColM) apart.
enum class OrderItem : std::uint8_t { row, colm, bank, group, channel, coll, rank };

/// An order of fields, highest address bits first. A rank that is not named sits above the channel.
struct FieldOrder {
    std::vector<OrderItem> highest_first;
    std::optional<int> coll_bits;  ///< where it names a ColL of its own
    auto operator<=>(FieldOrder const&) const = default;
};

/// A mapping as a space names it, before it meets a memory: a name, an order of fields or one of bits, and XOR terms.
struct WrittenMapping {
    std::variant<std::string, FieldOrder, sim::dram::BitOrder> order;
    std::vector<sim::dram::FieldXor> terms;
};

/// The fields a space may permute, in UMDAM's own order, highest address bits first.
[[nodiscard]] std::vector<std::string> field_items();

/// ColL of the paper, for mappings and layouts that name none: 256 B to a bank.
inline constexpr int paper_coll_bits = 3;

/// "" if the text can be a mapping, else why not. It is a name, a token list from the lowest bit, or an order of fields
/// from the highest joined by '-' (`coll4` in it fixes ColL); XOR tokens may follow. Widths are checked against the
/// organisation later.
[[nodiscard]] std::string refusal_of_mapping(std::string const& text);

/// Reads a text that refusal_of_mapping takes. Throws InputError for numbers no mapping can have.
[[nodiscard]] WrittenMapping read_mapping(std::string const& text);
/// Names of `field_items` in some order.
[[nodiscard]] FieldOrder read_order(std::vector<std::string> const& highest_first);
/// The inverse of read_mapping.
[[nodiscard]] std::string text_of(WrittenMapping const& mapping);

/// The mapping's bits on this memory. `coll_bits` column bits are `coll` (as many as an order says itself), the rest
/// `colm`; -1: the paper's. Fields of no bits vanish. Throws InputError: more of them than there are, or an XOR term
/// that reads bits its source does not have (it would do nothing).
[[nodiscard]] sim::dram::BitOrder order_on(WrittenMapping const& mapping, Organisation const& organisation,
                                           int coll_bits);

/// How many address bits above the burst belong to the column alone, from the lowest: the ColL that matches the
/// mapping.
[[nodiscard]] int matching_coll_bits(sim::dram::Mapping const& mapping);

}  // namespace pimdse::models::umdam
