#pragma once

#include "dse/store/result_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::dse::store {

/// Recomputes the digest, the front and its history, and the counts of rules and blocks of a file. Returns one sentence
/// per mismatch; empty if the file is consistent.
[[nodiscard]] std::vector<std::string> check_consistency(ResultFile const& file);

/// `count` rows of the file to evaluate again, chosen by a hash of (seed, counter); all rows if there are fewer.
[[nodiscard]] std::vector<search::ResultStore::Row> sample_rows(ResultFile const& file, std::size_t count,
                                                                std::uint64_t seed);

}  // namespace pimdse::dse::store
