#pragma once

#include "dse/search/certificate.hpp"
#include "dse/search/result_store.hpp"
#include "dse/search/robust_front.hpp"
#include "dse/space/columns.hpp"
#include "dse/store/provenance.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace pimdse::dse::store {

inline constexpr std::uint64_t usual_rows_per_part = std::uint64_t{1} << 24;

/// Writes all results of the store to `path`: a temporary file in the same directory, fsync, rename, fsync of the
/// directory, so that a complete file has the final name at all times. Returns the digest. Throws StorageError; the old
/// file then remains. The file does not depend on the number of threads (0: as many as the host has cores). If there
/// are more rows than `rows_per_part`, they are written to parts (result_parts.hpp); the digest is that of all rows.
/// `certificate` and `robust` may be null.
std::string seal(std::filesystem::path const& path, space::Columns const& columns, search::ResultStore const& store,
                 Provenance const& provenance, int threads = 0, std::uint64_t rows_per_part = usual_rows_per_part,
                 search::Certificate const* certificate = nullptr, search::RobustFront const* robust = nullptr);

}  // namespace pimdse::dse::store
