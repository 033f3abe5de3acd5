#pragma once

#include "models/umdam/settings.hpp"
#include "sim/dram/mapping.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models::umdam {

/// The fields a space may permute, in UMDAM's own order, highest address bits first.
[[nodiscard]] std::vector<std::string> field_items();

/// "" if the text can be a mapping (a name, a token list from the lowest bit, or an order of fields from the highest joined
/// by '-'), else why not. Widths are checked against the organisation later.
[[nodiscard]] std::string refusal_of_mapping(std::string const& text);

/// Tokens, lowest bit first, of an order of fields given highest first. Fields of no bits vanish; a rank that is not named
/// sits above the channel. `coll_bits` column bits are `coll`, the rest `colm`.
[[nodiscard]] std::string tokens_of_order(std::vector<std::string> const& highest_first, Organisation const& organisation, int coll_bits);

/// UMDAM's order with the channel above the row: what a memory without channel interleaving does.
[[nodiscard]] std::string channel_highest_order(Organisation const& organisation, int coll_bits);

/// The text of a point's mapping for this organisation, as Mapping::parse takes it.
[[nodiscard]] std::string mapping_text(Parameter const& parameter, Value const& value, Organisation const& organisation, int coll_bits);

/// All orders with the row highest and ColL 0..most (the family UMDAM belongs to) as token lists, each once.
[[nodiscard]] std::vector<std::string> row_highest_orders(Organisation const& organisation);

/// Two mappings with equal keys give every request stream the same timing: reduced bases of the nested spans of channel, rank,
/// group, bank and row masks. `Groups::merged` where timing does not tell bank groups apart.
enum class Groups : std::uint8_t { seen, merged };
[[nodiscard]] std::vector<std::uint64_t> class_key(sim::dram::Mapping const& mapping, Groups groups);

}  // namespace pimdse::models::umdam
