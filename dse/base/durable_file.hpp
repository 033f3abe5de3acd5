#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace pimdse::dse::base {

/// Identifies a file independently of its name; all zero for no file.
struct FileIdentity {
    std::uint64_t device = 0, inode = 0;
    bool operator==(FileIdentity const&) const = default;
};
/// The identity of the file with this name; of a symbolic link, that of the link itself. nullopt if there is no such
/// file.
[[nodiscard]] std::optional<FileIdentity> identity_of(std::filesystem::path const& path);

/// An open file. Every failure throws a sim::StorageError with the file's name. The descriptor is never 0, 1 or 2,
/// because other code writes messages to these. Files are not opened for writing through a symbolic link.
class DurableFile {
  public:
    enum class Mode : std::uint8_t { read, append, append_or_create };
    enum class For : std::uint8_t { everyone, owner };  ///< who may open a new file; the umask restricts `everyone`
    DurableFile(std::filesystem::path path, Mode mode, For whom = For::everyone);
    DurableFile(DurableFile&& other) noexcept
        : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}
    DurableFile& operator=(DurableFile&&) = delete;
    ~DurableFile();

    /// Locks the file for this process until it is closed; false if another process holds the lock. A `shared` lock is
    /// for reading: it is compatible with other shared locks and needs no write permission. Throws a StorageError where
    /// files cannot be locked.
    enum class Lock : std::uint8_t { exclusive, shared };
    [[nodiscard]] bool try_lock(Lock kind = Lock::exclusive) const;
    /// As try_lock, with a kind of lock that does not conflict with flock() (h5py refuses to open a file that is locked
    /// with flock()). Falls back to try_lock where the system does not support it.
    [[nodiscard]] bool try_lock_beside_readers() const;
    /// True if the path still refers to this file.
    [[nodiscard]] bool still_there() const { return identity_of(path_) == identity(); }
    [[nodiscard]] FileIdentity identity() const;

    void write(std::span<std::byte const> bytes) const;
    /// Reads from `offset` until `into` is full or the file ends. Returns the number of bytes read.
    [[nodiscard]] std::size_t read_at(std::uint64_t offset, std::span<std::byte> into) const;
    [[nodiscard]] std::uint64_t size() const;
    void truncate(std::uint64_t size) const;
    /// Gives this file the access of another one: permissions, access control list and, where this process may set
    /// them, owner and group. Where it may not, nobody may do more than with the other file. The owner may read and
    /// write it in any case. Returns the permissions without this exception; nullopt if there is no such file.
    [[nodiscard]] std::optional<std::uint32_t> take_access_of(std::filesystem::path const& other) const;
    void set_permissions(std::uint32_t mode) const;
    /// When this returns, the data survive a power failure.
    void sync() const;
    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    /// A path by which this process can open the same file again, whatever happens to its name.
    [[nodiscard]] std::filesystem::path place() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
    /// Records a new name after the file was renamed.
    void renamed(std::filesystem::path path) { path_ = std::move(path); }

  private:
    std::filesystem::path path_;
    int descriptor_ = -1;
};

/// Opens the file with this name for appending and locks it. Retries for `patience`; then throws a StorageError that
/// says that another run is using the file. If the name refers to another file by the time the lock is acquired, the
/// file is opened again. nullopt if there is no such file.
[[nodiscard]] std::optional<DurableFile> lock_existing(std::filesystem::path const& path,
                                                       std::chrono::milliseconds patience);

/// Whether some process holds the lock of a file; `unknown` where the file system cannot report it.
enum class Holder : std::uint8_t { nobody, somebody, unknown };
[[nodiscard]] Holder holder_of(std::filesystem::path const& path);

/// A locked, empty file next to `path` (NAME.tmp) that replaces `path` atomically when it is complete. A temporary file
/// that a killed process left behind is reused. The destructor removes the temporary file unless take_name() was
/// called. The new file has the access of the file that it replaces from the beginning (DurableFile::take_access_of).
class Replacement {
  public:
    /// `file`: the lock stays on the file under its new name. `temporary`: the lock only keeps out other writers of the
    /// temporary file; readers do not notice it.
    enum class Guard : std::uint8_t { file, temporary };
    /// `models`: without a file to replace, the new file has the access of the first of these that exists.
    explicit Replacement(std::filesystem::path path, Guard guard = Guard::file,
                         std::span<std::filesystem::path const> models = {});
    ~Replacement();
    Replacement(Replacement const&) = delete;
    Replacement& operator=(Replacement const&) = delete;

    [[nodiscard]] DurableFile const& file() const { return file_; }
    /// Syncs the file, renames it and syncs the directory. Returns the file under its new name; with Guard::file its
    /// lock is still held. If a step fails, an earlier file with that name is unchanged.
    DurableFile take_name();

  private:
    std::filesystem::path path_, model_;  ///< model: the file whose access it has; "": none
    DurableFile file_;
    std::optional<std::uint32_t> permissions_;  ///< of the file that is replaced
};

/// Makes the creation, renaming or deletion of a file durable by syncing its directory.
void sync_directory_of(std::filesystem::path const& file);

/// The path that a file written under this name must have: symbolic links are followed, even if their target does not
/// exist yet, so that a link to another disk remains a link. Throws a StorageError for a cycle of links.
[[nodiscard]] std::filesystem::path destination_of(std::filesystem::path path);

/// Throws a StorageError if no file can be created under this name: missing directory, no permission, read-only file
/// system.
void check_writable(std::filesystem::path const& path);

/// Replaces the file at `path` atomically by `content`, through a Replacement at destination_of(path).
void replace_file(std::filesystem::path const& path, std::span<std::byte const> content,
                  std::span<std::filesystem::path const> models = {});

}  // namespace pimdse::dse::base
