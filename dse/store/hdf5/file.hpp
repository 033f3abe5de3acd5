#pragma once

#include "dse/store/hdf5/group.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <utility>

/// The only place that holds HDF5 handles: serial C API, every handle owned, every failure a StorageError with the
/// file's name. HDF5's own printing of errors is silenced. Files are in the default (earliest) format, without time
/// stamps. What is read is checked first: class, rank and size are what the caller asks for, nothing claims more than
/// the file can hold, texts are UTF-8. Anything else is damage, a StorageError.
namespace pimdse::dse::store::hdf5 {

/// Whether a file has the signature of HDF5; false where it cannot be read.
[[nodiscard]] bool is_hdf5(std::filesystem::path const& path);

/// A file: built in memory, so that its bytes reach the disk by ordinary writes with ordinary errors, or opened to be
/// read.
class File {
  public:
    /// `path` is for messages; nothing is written there.
    static File build(std::filesystem::path const& path);
    /// Without a lock, so that readers and writers do not disturb each other. `path` is for messages where the file is
    /// at `place`. Throws InputError if it is no HDF5 file.
    static File open(std::filesystem::path const& path, std::filesystem::path const& place);
    static File open(std::filesystem::path const& path) { return open(path, path); }

    [[nodiscard]] Group root() const;
    /// The bytes of a built file from its user block on, which is zero. All groups and columns must be closed. Valid as
    /// long as the file; it can only be closed after that.
    [[nodiscard]] std::span<std::byte> image();

    /// Bytes in front of what is HDF5's; its readers skip them.
    static constexpr std::size_t user_block = 512;  ///< the smallest there is

  private:
    File(Handle handle, std::shared_ptr<Origin const> file) : handle_(std::move(handle)), file_(std::move(file)) {}
    Handle handle_;
    std::shared_ptr<Origin const> file_;
};

}  // namespace pimdse::dse::store::hdf5
