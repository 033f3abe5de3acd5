#pragma once

#include "models/umdam/mapping/organisation.hpp"
#include "sim/dram/mapping/mapping.hpp"

#include <string>
#include <vector>

namespace pimdse::models::umdam {

/// The fields a space may permute, in UMDAM's own order, highest address bits first.
[[nodiscard]] std::vector<std::string> field_items();

/// ColL of the paper, for mappings and layouts that name none: 256 B to a bank.
inline constexpr int paper_coll_bits = 3;

/// "" if the text can be a mapping, else why not. It is a name, a token list from the lowest bit, or an order of fields
/// from the highest joined by '-' (`coll4` in it fixes ColL); XOR tokens may follow. Widths are checked against the
/// organisation later.
[[nodiscard]] std::string refusal_of_mapping(std::string const& text);

/// Tokens, lowest bit first, of an order of fields given highest first. Fields of no bits vanish; a rank that is not
/// named sits above the channel. `coll_bits` column bits are `coll` (as many as it says itself in `coll4`), the rest
/// `colm`. Throws InputError: more of them than the organisation has.
[[nodiscard]] std::string tokens_of_order(std::vector<std::string> const& highest_first,
                                          Organisation const& organisation, int coll_bits);

/// UMDAM's order with the channel above the row: what a memory without channel interleaving does.
[[nodiscard]] std::string channel_highest_order(Organisation const& organisation, int coll_bits);

/// What Mapping::parse takes for a mapping's text; `coll_bits` as in tokens_of_order, -1: the paper's.
[[nodiscard]] std::string mapping_tokens(std::string const& text, Organisation const& organisation, int coll_bits);

/// How many address bits above the burst belong to the column alone, from the lowest: the ColL that matches the
/// mapping.
[[nodiscard]] int matching_coll_bits(sim::dram::Mapping const& mapping);

}  // namespace pimdse::models::umdam
