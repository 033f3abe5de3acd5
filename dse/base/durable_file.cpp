#include "dse/base/durable_file.hpp"

#include "sim/base/file_error.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <thread>

namespace pimdse::dse::base {
namespace {

int flags_of(DurableFile::Mode mode) {
    switch (mode) {
        case DurableFile::Mode::read:
            return O_RDONLY;
        case DurableFile::Mode::append:
            return O_RDWR | O_APPEND | O_NOFOLLOW;
        case DurableFile::Mode::append_or_create:
            return O_RDWR | O_APPEND | O_NOFOLLOW | O_CREAT;
    }
    return O_RDONLY;
}

/// Duplicates a descriptor so that it is above those of standard input, output and error.
int above_standard(int descriptor) {
    if (descriptor < 0 || descriptor > STDERR_FILENO) return descriptor;
    int const higher = ::fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    int const error = errno;
    ::close(descriptor);
    errno = error;
    return higher;
}

std::filesystem::path directory_of(std::filesystem::path const& file) {
    auto const parent = file.parent_path();
    return parent.empty() ? std::filesystem::path(".") : parent;
}

/// True if this process got the lock, false if another process holds it; nullopt (with errno set) if the file system
/// does not support this kind of lock.
std::optional<bool> try_flock(int descriptor, DurableFile::Lock kind) {
    int const wanted = kind == DurableFile::Lock::exclusive ? LOCK_EX : LOCK_SH;
    while (::flock(descriptor, wanted | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return false;
        if (errno != EINTR) return std::nullopt;
    }
    return true;
}

/// As try_flock, with an open file description lock (F_OFD_SETLK), which some file systems support instead.
std::optional<bool> try_record_lock(int descriptor, DurableFile::Lock kind) {
    struct flock whole {};
    whole.l_type = kind == DurableFile::Lock::exclusive ? F_WRLCK : F_RDLCK;
    whole.l_whence = SEEK_SET;
    if (::fcntl(descriptor, F_OFD_SETLK, &whole) == 0) return true;
    if (errno == EAGAIN || errno == EACCES) return false;
    return std::nullopt;
}

bool without_flock(int error) { return error == ENOSYS || error == EOPNOTSUPP || error == ENOLCK || error == EINVAL; }

/// Copies the access control list of a file, or removes an inherited one if it has none. False if that fails.
bool copy_access_list(std::filesystem::path const& from, int descriptor) {
    constexpr char const* name = "system.posix_acl_access";
    std::array<char, 4096> list{};
    ssize_t const size = ::getxattr(from.c_str(), name, list.data(), list.size());
    if (size > 0) return ::fsetxattr(descriptor, name, list.data(), static_cast<std::size_t>(size), 0) == 0;
    if (errno != ENODATA && errno != ENOTSUP) return false;
    return ::fremovexattr(descriptor, name) == 0 || errno == ENODATA || errno == ENOTSUP;
}

using Clock = std::chrono::steady_clock;

/// Opens and locks the file that currently has this name, and retries until `patience` has passed: the lock holder may
/// rename or remove the file in the meantime.
DurableFile lock_patiently(std::filesystem::path const& path, DurableFile::Mode mode,
                           std::chrono::milliseconds patience, Replacement::Guard guard = Replacement::Guard::file,
                           DurableFile::For whom = DurableFile::For::everyone) {
    auto const deadline = Clock::now() + patience;
    while (true) {
        DurableFile file(path, mode, whom);
        bool const locked = guard == Replacement::Guard::file ? file.try_lock() : file.try_lock_beside_readers();
        if (locked && file.still_there()) return file;
        if (Clock::now() >= deadline) {
            throw sim::StorageError(path,
                                    "another run is using {} (its lock was held for {:.0f} s). Wait for it to end, or "
                                    "choose another output?",
                                    path.string(), std::chrono::duration<double>(patience).count());
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

std::filesystem::path temporary_of(std::filesystem::path path) {
    path += ".tmp";
    return path;
}

std::filesystem::path first_existing(std::filesystem::path const& path, std::span<std::filesystem::path const> models) {
    std::error_code none;
    if (std::filesystem::is_regular_file(path, none)) return path;
    auto const found =
        std::ranges::find_if(models, [&](auto const& model) { return std::filesystem::is_regular_file(model, none); });
    return found == models.end() ? std::filesystem::path() : *found;
}

}  // namespace

std::optional<FileIdentity> identity_of(std::filesystem::path const& path) {
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
    return FileIdentity{status.st_dev, status.st_ino};
}

DurableFile::DurableFile(std::filesystem::path path, Mode mode, For whom) : path_(std::move(path)) {
    mode_t const permissions = whom == For::everyone ? 0666 : 0600;
    descriptor_ = above_standard(::open(path_.c_str(), flags_of(mode) | O_CLOEXEC, permissions));
    if (descriptor_ >= 0) return;
    if (errno == ELOOP && mode != Mode::read) {
        throw sim::StorageError(
            path_, fmt::format(
                       "cannot write {} (it is a symbolic link, and its target would be overwritten). Remove the link?",
                       path_.string()));
    }
    throw sim::StorageError::from_errno(path_, mode == Mode::read ? "read" : "write", errno);
}

DurableFile::~DurableFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

bool DurableFile::try_lock(Lock kind) const {
    auto locked = try_flock(descriptor_, kind);
    if (!locked && without_flock(errno)) locked = try_record_lock(descriptor_, kind);
    if (locked) return *locked;
    throw sim::StorageError(
        path_,
        "cannot lock {} ({}: this file system does not support locks, so two runs could write the same file). Mount it "
        "with locks (Lustre: option flock, or localflock for runs on one node), or write to another file system?",
        path_.string(), std::generic_category().message(errno));
}

bool DurableFile::try_lock_beside_readers() const {
    auto const locked = try_record_lock(descriptor_, Lock::exclusive);
    return locked ? *locked : try_lock();
}

FileIdentity DurableFile::identity() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw sim::StorageError::from_errno(path_, "read", errno);
    return {status.st_dev, status.st_ino};
}

void DurableFile::write(std::span<std::byte const> bytes) const {
    while (!bytes.empty()) {
        ssize_t const written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throw sim::StorageError::from_errno(path_, "write", errno);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

std::size_t DurableFile::read_at(std::uint64_t offset, std::span<std::byte> into) const {
    std::size_t filled = 0;
    while (filled < into.size()) {
        ssize_t const got =
            ::pread(descriptor_, into.data() + filled, into.size() - filled, static_cast<off_t>(offset + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw sim::StorageError::from_errno(path_, "read", errno);
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    return filled;
}

std::uint64_t DurableFile::size() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw sim::StorageError::from_errno(path_, "read", errno);
    return static_cast<std::uint64_t>(status.st_size);
}

void DurableFile::truncate(std::uint64_t size) const {
    if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0)
        throw sim::StorageError::from_errno(path_, "write", errno);
}

std::optional<std::uint32_t> DurableFile::take_access_of(std::filesystem::path const& other) const {
    struct stat theirs {};
    if (::stat(other.c_str(), &theirs) != 0) return std::nullopt;
    set_permissions(S_IRUSR | S_IWUSR);  // nobody else may open it in the meantime
    bool const same_group = ::fchown(descriptor_, theirs.st_uid, theirs.st_gid) == 0 ||
                            ::fchown(descriptor_, static_cast<uid_t>(-1), theirs.st_gid) == 0;
    mode_t permissions = theirs.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    if (!copy_access_list(other, descriptor_) || !same_group) {
        // Those of the new group were among all others, and those of the old one are now.
        mode_t const both = permissions >> 3 & permissions & S_IRWXO;
        permissions = (permissions & S_IRWXU) | both << 3 | both;
    }
    set_permissions(permissions | S_IRUSR | S_IWUSR);
    return permissions;
}

void DurableFile::set_permissions(std::uint32_t mode) const {
    if (::fchmod(descriptor_, mode) == 0) return;
    int const error = errno;
    struct stat now {};
    bool const narrower = ::fstat(descriptor_, &now) == 0 && (now.st_mode & (S_IRWXG | S_IRWXO) & ~mode) == 0;
    if (!narrower) throw sim::StorageError::from_errno(path_, "set the permissions of", error);
}

void DurableFile::sync() const {
    if (::fdatasync(descriptor_) != 0) throw sim::StorageError::from_errno(path_, "write", errno);
}

void sync_directory_of(std::filesystem::path const& file) {
    auto const directory = directory_of(file);
    int const descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) throw sim::StorageError::from_errno(directory, "open", errno);
    int const result = ::fsync(descriptor);
    int const error = errno;
    ::close(descriptor);
    // Some file systems cannot sync a directory and report EINVAL or EROFS.
    if (result != 0 && error != EINVAL && error != EROFS)
        throw sim::StorageError::from_errno(directory, "write", error);
}

std::optional<DurableFile> lock_existing(std::filesystem::path const& path, std::chrono::milliseconds patience) {
    try {
        return lock_patiently(path, DurableFile::Mode::append, patience);
    } catch (sim::StorageError const&) {
        if (!identity_of(path)) return std::nullopt;
        throw;
    }
}

Holder holder_of(std::filesystem::path const& path) {
    DurableFile const file(path, DurableFile::Mode::read);
    try {
        return file.try_lock(DurableFile::Lock::shared) ? Holder::nobody
                                                        : Holder::somebody;  // closing the file releases the lock
    } catch (sim::StorageError const&) {
        return Holder::unknown;
    }
}

Replacement::Replacement(std::filesystem::path path, Guard guard, std::span<std::filesystem::path const> models)
    : path_(std::move(path)),
      model_(first_existing(path_, models)),
      file_(lock_patiently(temporary_of(path_), DurableFile::Mode::append_or_create, std::chrono::seconds(10), guard,
                           model_.empty() ? DurableFile::For::everyone : DurableFile::For::owner)) {
    file_.truncate(0);
    if (model_.empty()) return;
    auto const permissions = file_.take_access_of(model_);
    if (model_ == path_) permissions_ = permissions;
}

Replacement::~Replacement() {
    // If somebody removed the temporary file by hand, another file may have its name by now.
    if (file_.path() == temporary_of(path_) && file_.still_there()) ::unlink(file_.path().c_str());
}

DurableFile Replacement::take_name() {
    if (permissions_) file_.set_permissions(*permissions_);
    file_.sync();
    if (!file_.still_there()) {
        throw sim::StorageError(path_, "cannot write {} (another process removed {} in the meantime)", path_.string(),
                                file_.path().string());
    }
    if (::rename(file_.path().c_str(), path_.c_str()) != 0) throw sim::StorageError::from_errno(path_, "write", errno);
    file_.renamed(path_);
    sync_directory_of(path_);
    return std::move(file_);
}

std::filesystem::path destination_of(std::filesystem::path path) {
    constexpr int max_links = 40;
    std::filesystem::path const requested = path;
    std::error_code none;
    for (int links = 0; std::filesystem::is_symlink(path, none); ++links) {
        if (links == max_links) throw sim::StorageError::from_errno(requested, "write", ELOOP);
        path = directory_of(path) / std::filesystem::read_symlink(path);
    }
    return path;
}

void check_writable(std::filesystem::path const& name) {
    auto const path = destination_of(name);
    auto const directory = directory_of(path);
    if (!std::filesystem::is_directory(directory)) {
        throw sim::StorageError(path, "cannot write {} ({} is not a directory). Create it first?", path.string(),
                                directory.string());
    }
    if (std::filesystem::is_directory(path))
        throw sim::StorageError(path, "cannot write {} (it is a directory)", path.string());
    // Only an attempt is conclusive: permission bits do not decide for root, on read-only mounts and on network file
    // systems.
    auto probe = path;
    probe += fmt::format(".probe-{}", ::getpid());
    int const descriptor = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) throw sim::StorageError::from_errno(path, "write", errno);
    ::close(descriptor);
    ::unlink(probe.c_str());
}

void replace_file(std::filesystem::path const& path, std::span<std::byte const> content,
                  std::span<std::filesystem::path const> models) {
    Replacement replacement(destination_of(path), Replacement::Guard::temporary, models);
    replacement.file().write(content);
    static_cast<void>(replacement.take_name());
}

}  // namespace pimdse::dse::base
