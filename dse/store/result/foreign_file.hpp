#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

namespace pimdse::dse::store::result {

/// Tries `read` in a copy of this process first, with limits on memory and time that are generous for a file of so many
/// bytes: libraries crash or hang on some damaged files, and that must not end this process. Throws what `read` throws
/// (InputError, or StorageError for anything else) and StorageError where the copy died. For a caller with one thread.
void try_apart(std::filesystem::path const& file, std::uint64_t bytes, std::function<void()> const& read);

}  // namespace pimdse::dse::store::result
