#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/store/result/provenance.hpp"
#include "dse/task/certificate.hpp"
#include "dse/task/columns.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace pimdse::dse::store::result {

/// Writes every answer of the store to `path`: a temporary beside it, fsync, rename, fsync of the directory, so that
/// a whole file is under the final name at all times. Returns the digest. Throws StorageError; the old file then stays.
/// The file is the same whatever the number of threads (0: as many as the machine has). More rows than `rows_per_part`
/// lie in parts beside it (result_parts.hpp); the digest is that of all of them. `certificate` may be none.
inline constexpr std::uint64_t usual_rows_per_part = std::uint64_t{1} << 24;
std::string seal(std::filesystem::path const& path, task::Columns const& columns, answers::ResultStore const& store,
                 Provenance const& provenance, int threads = 0, std::uint64_t rows_per_part = usual_rows_per_part,
                 task::Certificate const* certificate = nullptr);

}  // namespace pimdse::dse::store::result
