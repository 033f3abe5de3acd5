#pragma once

#include "dse/search/certificate.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/columns.hpp"
#include "dse/store/provenance.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace pimdse::dse::store {

/// Writes every answer of the store to `path`: a temporary beside it, fsync, rename, fsync of the directory, so that
/// a whole file is under the final name at all times. Returns the digest. Throws StorageError; the old file then stays.
/// The file is the same whatever the number of threads (0: as many as the machine has). More rows than `rows_per_part`
/// lie in parts beside it (result_parts.hpp); the digest is that of all of them. `certificate` may be none.
inline constexpr std::uint64_t usual_rows_per_part = std::uint64_t{1} << 24;
std::string seal(std::filesystem::path const& path, space::Columns const& columns, search::ResultStore const& store,
                 Provenance const& provenance, int threads = 0, std::uint64_t rows_per_part = usual_rows_per_part,
                 search::Certificate const* certificate = nullptr);

}  // namespace pimdse::dse::store
