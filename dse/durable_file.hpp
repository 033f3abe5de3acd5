#pragma once

#include "dse/storage_error.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

namespace pimdse::dse {

/// An open file of the operating system; every failure is a StorageError with the file's name.
class DurableFile {
  public:
    enum class Mode : std::uint8_t { read, append, create_new, append_or_create };
    DurableFile(std::filesystem::path path, Mode mode);
    DurableFile(DurableFile&& other) noexcept : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
    DurableFile& operator=(DurableFile&&) = delete;
    ~DurableFile();

    /// Holds the file for this process; tries for `patience`. A StorageError says that another run is using it.
    void lock(std::chrono::milliseconds patience) const;
    /// True if the path still leads to this file.
    [[nodiscard]] bool still_there() const;

    void write(std::span<std::byte const> bytes) const;
    /// Fills as much of `into` as the file has from `offset`; returns how much.
    [[nodiscard]] std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) const;
    [[nodiscard]] std::uint64_t size() const;
    void truncate(std::uint64_t size) const;
    /// The data survive a power failure when this returns.
    void sync() const;
    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    /// A name by which this process opens the same file again, whatever happens to its path.
    [[nodiscard]] std::filesystem::path place() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
    /// The name it has from now on, for messages.
    void renamed(std::filesystem::path path) { path_ = std::move(path); }

  private:
    std::filesystem::path path_;
    int descriptor_ = -1;
};

/// Makes a renamed, created or deleted name durable.
void sync_directory_of(std::filesystem::path const& file);

/// Throws a StorageError where no file could be made under this name: no such directory, no permission, read-only.
void check_writable(std::filesystem::path const& path);

/// Puts a whole file under `path` at once: a temporary beside it, sync, rename, sync of the directory. Whatever fails,
/// an earlier file under that name is untouched and the temporary is gone.
void replace_file(std::filesystem::path const& path, std::span<std::byte const> content);

}  // namespace pimdse::dse
