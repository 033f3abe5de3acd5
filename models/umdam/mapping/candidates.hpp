#pragma once

#include "models/umdam/mapping/written_mapping.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::models::umdam {

/// A mapping as a space could name it, with the ColL it is read with; -1: what it says itself.
struct MappingCandidate {
    WrittenMapping mapping;
    int coll_bits = -1;
};

/// Every order of row, colm, bank, group, channel and coll, for each of these ColL, which the orders name.
[[nodiscard]] std::vector<MappingCandidate> field_orders(std::vector<int> const& coll_bits);

/// Of these, the orders with the row highest and coll lowest: the family UMDAM belongs to.
[[nodiscard]] std::vector<MappingCandidate> row_highest_orders(std::vector<int> const& coll_bits);

/// Every order of the single address bits below the row, up to renaming within a field.
/// Throws InputError when there are more than `most`.
[[nodiscard]] std::vector<MappingCandidate> bit_orders(Organisation const& organisation, std::uint64_t most);

/// The candidates, then each of them again with each of these lists of XOR terms.
[[nodiscard]] std::vector<MappingCandidate> hashed(std::vector<MappingCandidate> candidates,
                                                   std::vector<std::vector<sim::dram::FieldXor>> const& hashes);

}  // namespace pimdse::models::umdam
