#pragma once

#include "models/umdam/mapping/organisation.hpp"

#include <string>
#include <vector>

namespace pimdse::models::umdam {

/// A mapping as a space could name it, with the ColL it is read with; -1: what its text says.
struct Candidate {
    std::string text;
    int coll_bits = -1;
};

/// Every order of row, colm, bank, group, channel and coll, for each of these ColL, as texts that name their ColL.
[[nodiscard]] std::vector<Candidate> field_orders(std::vector<int> const& coll_bits);

/// Of these, the orders with the row highest and coll lowest: the family UMDAM belongs to.
[[nodiscard]] std::vector<Candidate> row_highest_orders(std::vector<int> const& coll_bits);

/// Every order of the single address bits below the row, up to renaming within a field, as token lists.
/// Throws InputError when there are more than `most`.
[[nodiscard]] std::vector<Candidate> bit_orders(Organisation const& organisation, std::uint64_t most);

/// The candidates, then each of them again with each of these XOR token lists.
[[nodiscard]] std::vector<Candidate> hashed(std::vector<Candidate> candidates, std::vector<std::string> const& hashes);

}  // namespace pimdse::models::umdam
