#pragma once

#include "dse/store/result_file.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pimdse::dse::store {

/// Recomputes the digest, the front and its history, the counts of rules and blocks of a file; one sentence per
/// mismatch, none if it holds together.
[[nodiscard]] std::vector<std::string> check_consistency(ResultFile const& file);

/// `count` rows of the file to be evaluated again, drawn by hash of (seed, counter); all of them if there are fewer.
[[nodiscard]] std::vector<search::ResultStore::Row> sample_rows(ResultFile const& file, std::size_t count,
                                                                std::uint64_t seed);

}  // namespace pimdse::dse::store
