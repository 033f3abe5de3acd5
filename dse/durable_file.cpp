#include "dse/durable_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <thread>

namespace pimdse::dse {
namespace {

int flags_of(DurableFile::Mode mode) {
    switch (mode) {
        case DurableFile::Mode::read:
            return O_RDONLY;
        case DurableFile::Mode::append:
            return O_RDWR | O_APPEND;
        case DurableFile::Mode::create_new:
            return O_RDWR | O_APPEND | O_CREAT | O_EXCL;
        case DurableFile::Mode::append_or_create:
            return O_RDWR | O_APPEND | O_CREAT;
    }
    return O_RDONLY;
}

std::filesystem::path directory_of(std::filesystem::path const& file) {
    auto const parent = file.parent_path();
    return parent.empty() ? std::filesystem::path(".") : parent;
}

}  // namespace

DurableFile::DurableFile(std::filesystem::path path, Mode mode) : path_(std::move(path)) {
    constexpr mode_t everyone = 0666;  // the umask takes away what the user wants taken away
    descriptor_ = ::open(path_.c_str(), flags_of(mode) | O_CLOEXEC, everyone);
    if (descriptor_ < 0) throw StorageError::from_errno(path_, mode == Mode::read ? "read" : "write", errno);
}

DurableFile::~DurableFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void DurableFile::lock(std::chrono::milliseconds patience) const {
    using Clock = std::chrono::steady_clock;
    auto const deadline = Clock::now() + patience;
    while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EINTR) continue;
        if (errno != EWOULDBLOCK) throw StorageError::from_errno(path_, "lock", errno);
        if (Clock::now() >= deadline) {
            throw StorageError(
                path_,
                fmt::format("another run is using {} (its lock was held for {:.0f} s). Wait for it to end, or choose another output?",
                            path_.string(), std::chrono::duration<double>(patience).count()));
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

bool DurableFile::still_there() const {
    struct stat mine {
    }, named{};
    return ::fstat(descriptor_, &mine) == 0 && ::stat(path_.c_str(), &named) == 0 && mine.st_dev == named.st_dev &&
           mine.st_ino == named.st_ino;
}

void DurableFile::write(std::span<std::byte const> bytes) const {
    while (!bytes.empty()) {
        ssize_t const written = ::write(descriptor_, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) throw StorageError::from_errno(path_, "write", errno);
        bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
}

std::size_t DurableFile::read_at(std::uint64_t offset, std::span<std::byte> into) const {
    std::size_t filled = 0;
    while (filled < into.size()) {
        ssize_t const got = ::pread(descriptor_, into.data() + filled, into.size() - filled, static_cast<off_t>(offset + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw StorageError::from_errno(path_, "read", errno);
        if (got == 0) break;
        filled += static_cast<std::size_t>(got);
    }
    return filled;
}

std::uint64_t DurableFile::size() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw StorageError::from_errno(path_, "read", errno);
    return static_cast<std::uint64_t>(status.st_size);
}

void DurableFile::truncate(std::uint64_t size) const {
    if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) throw StorageError::from_errno(path_, "write", errno);
}

void DurableFile::sync() const {
    if (::fdatasync(descriptor_) != 0) throw StorageError::from_errno(path_, "write", errno);
}

void sync_directory_of(std::filesystem::path const& file) {
    auto const directory = directory_of(file);
    int const descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) throw StorageError::from_errno(directory, "open", errno);
    int const result = ::fsync(descriptor);
    int const error = errno;
    ::close(descriptor);
    // Some file systems have nothing to sync in a directory and say so.
    if (result != 0 && error != EINVAL && error != EROFS) throw StorageError::from_errno(directory, "write", error);
}

namespace {

/// The temporary beside `path`, locked and empty. A killed process leaves one behind; the next one takes it over.
DurableFile locked_temporary(std::filesystem::path const& path) {
    auto name = path;
    name += ".tmp";
    while (true) {
        DurableFile file(name, DurableFile::Mode::append_or_create);
        file.lock(std::chrono::seconds(10));
        if (!file.still_there()) continue;  // whoever held it has renamed it meanwhile
        file.truncate(0);
        return file;
    }
}

}  // namespace

void check_writable(std::filesystem::path const& path) {
    auto const directory = directory_of(path);
    if (!std::filesystem::is_directory(directory)) {
        throw StorageError(path,
                           fmt::format("cannot write {} ({} is not a directory). Create it first?", path.string(), directory.string()));
    }
    if (std::filesystem::is_directory(path)) throw StorageError(path, fmt::format("cannot write {} (it is a directory)", path.string()));
    // Only trying tells: permission bits mean nothing to root, on read-only mounts and to network file systems.
    auto probe = path;
    probe += fmt::format(".probe-{}", ::getpid());
    int const descriptor = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) throw StorageError::from_errno(path, "write", errno);
    ::close(descriptor);
    ::unlink(probe.c_str());
}

void replace_file(std::filesystem::path const& path, std::span<std::byte const> content) {
    auto const file = locked_temporary(path);
    try {
        file.write(content);
        file.sync();
        if (::rename(file.path().c_str(), path.c_str()) != 0) throw StorageError::from_errno(path, "write", errno);
    } catch (StorageError const&) {
        ::unlink(file.path().c_str());
        throw;
    }
    sync_directory_of(path);
}

}  // namespace pimdse::dse
