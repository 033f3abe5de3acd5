#pragma once

#include "dse/search/robust_front.hpp"
#include "dse/store/hdf5_file.hpp"

#include <optional>

/// /uncertain of a result file: the front under draws of uncertain constants (docs/uncertain.md).
namespace pimdse::dse::store::tables {

void write_robust_front(hdf5::Group& root, search::RobustFront const& front);
/// nullopt if the file has no such group. Bindings and choices of constants are not kept. Throws StorageError.
[[nodiscard]] std::optional<search::RobustFront> read_robust_front(hdf5::Group const& root);

}  // namespace pimdse::dse::store::tables
