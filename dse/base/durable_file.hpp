#pragma once

#include "sim/base/check.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace pimdse::dse::base {

/// The machine failed to keep or return what was stored: disk full, no permission, a damaged file, another run holding
/// the lock. What was acknowledged before is still on disk. `main` prints it and exits with 7.
class StorageError : public std::runtime_error {
  public:
    StorageError(std::filesystem::path file, std::string const& problem);
    /// "cannot write FILE (No space left on device)", from errno.
    static StorageError from_errno(std::filesystem::path const& file, std::string const& doing, int error);
    [[nodiscard]] std::filesystem::path const& file() const noexcept { return file_; }

  private:
    std::filesystem::path file_;
};

/// Two files that should agree do not: conflicting answers in a merge, a digest that is not that of its content.
/// `main` prints it and exits with 8.
class MismatchError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// A file that is named but not there or not readable; `main` exits with 4.
class MissingInput : public sim::InputError {
  public:
    using sim::InputError::InputError;
};

/// Which file it is, whatever its name; all zero for none.
struct FileIdentity {
    std::uint64_t device = 0, inode = 0;
    bool operator==(FileIdentity const&) const = default;
};
/// Of the file under this name, itself if it is a symbolic link; nullopt where there is none.
[[nodiscard]] std::optional<FileIdentity> identity_of(std::filesystem::path const& path);

/// An open file of the operating system; every failure is a StorageError with the file's name. Never one of the
/// descriptors 0 to 2, where somebody would write messages into it. Files to be written are not opened through a
/// symbolic link.
class DurableFile {
  public:
    enum class Mode : std::uint8_t { read, append, append_or_create };
    DurableFile(std::filesystem::path path, Mode mode);
    DurableFile(DurableFile&& other) noexcept
        : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
    DurableFile& operator=(DurableFile&&) = delete;
    ~DurableFile();

    /// Holds the file for this process until it is closed; false if somebody else does. `shared` is for looking: it
    /// goes with other shared locks and needs no right to write. Throws a StorageError where files cannot be locked.
    enum class Lock : std::uint8_t { exclusive, shared };
    [[nodiscard]] bool try_lock(Lock kind = Lock::exclusive) const;
    /// The same by a lock that readers who use flock() do not meet (h5py refuses a file that somebody holds by it);
    /// where there are no such locks, as try_lock.
    [[nodiscard]] bool try_lock_beside_readers() const;
    /// True if the path still leads to this file.
    [[nodiscard]] bool still_there() const { return identity_of(path_) == identity(); }
    [[nodiscard]] FileIdentity identity() const;

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
    /// The name it has from now on.
    void renamed(std::filesystem::path path) { path_ = std::move(path); }

  private:
    std::filesystem::path path_;
    int descriptor_ = -1;
};

/// The file under this name, opened for appending and locked; tries for `patience`, then a StorageError says that
/// another run is using it. A name that leads elsewhere by the time the lock is ours is opened again. nullopt where
/// there is no such file.
[[nodiscard]] std::optional<DurableFile> lock_existing(std::filesystem::path const& path,
                                                       std::chrono::milliseconds patience);

/// Whether some process holds the lock of a file; `unknown` where the file system does not say.
enum class Holder : std::uint8_t { nobody, somebody, unknown };
[[nodiscard]] Holder holder_of(std::filesystem::path const& path);

/// A locked, empty file beside `path` (NAME.tmp) that takes over its name at once when it is whole. One that a killed
/// process left behind is used again. Unless it takes the name, it goes away with this object.
class Replacement {
  public:
    /// Whether the lock goes on to hold the file under its new name, or is only for writers of temporaries and met by
    /// no reader.
    enum class Guard : std::uint8_t { file, temporary };
    explicit Replacement(std::filesystem::path path, Guard guard = Guard::file);
    ~Replacement();
    Replacement(Replacement const&) = delete;
    Replacement& operator=(Replacement const&) = delete;

    [[nodiscard]] DurableFile const& file() const { return file_; }
    /// Syncs, renames, syncs the directory. Returns the file under its new name; by Guard::file its lock is still held.
    /// Whatever fails, an earlier file under that name is untouched.
    DurableFile take_name();

  private:
    std::filesystem::path path_;
    DurableFile file_;
};

/// Makes a renamed, created or deleted name durable.
void sync_directory_of(std::filesystem::path const& file);

/// Where a file written under this name belongs: symbolic links are followed, also to a file that is not there yet, so
/// that a link to another disk stays one. Throws a StorageError for links in a circle.
[[nodiscard]] std::filesystem::path destination_of(std::filesystem::path path);

/// Throws a StorageError where no file could be made under this name: no such directory, no permission, read-only.
void check_writable(std::filesystem::path const& path);

/// Puts a whole file under `path` at once, by a Replacement at its destination.
void replace_file(std::filesystem::path const& path, std::span<std::byte const> content);

}  // namespace pimdse::dse::base
