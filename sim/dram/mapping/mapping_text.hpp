#pragma once

#include "sim/dram/mapping/bit_order.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace pimdse::sim::dram {

/// Orders that have a name: umdam, conventional, channel_msb, and the reference's RoBaRaCoCh RoBaRaChCo ChRaBaRoCo
/// RoRaBaCoCh RoRaBgBaCoCh MOP4CLXOR.
[[nodiscard]] std::vector<std::string> mapping_names();
[[nodiscard]] bool is_mapping_name(std::string_view text);

/// A named order fitted to the organisation. `coll_bits` is the number of column bits below the channel in `umdam`,
/// below the bank group in `channel_msb` (umdam without interleaving: channel and rank highest); -1: 256 B. Throws
/// InputError: more of them than there are.
[[nodiscard]] BitOrder named_order(std::string_view name, Organisation const& organisation, int coll_bits);

/// `x.ch.co.0.2`. Throws InputError.
[[nodiscard]] FieldXor parse_xor(std::string_view token);

/// Tokens from the least significant bit: `of5 co3 ch2 bg2 ba2 co3 ro15 x.ch.co.0.2`. Throws InputError.
[[nodiscard]] BitOrder parse_order(std::string_view tokens);

/// Tokens, or a name, which XOR terms may follow. Throws InputError: unknown token, a width that does not fit,
/// singular.
[[nodiscard]] Mapping parse_mapping(std::string_view text, Organisation const& organisation, int coll_bits = -1);

}  // namespace pimdse::sim::dram
