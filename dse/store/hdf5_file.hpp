#pragma once

#include "dse/store/hdf5_column.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::dse::store::hdf5 {

class Group : public Object {
  public:
    [[nodiscard]] Group create_group(std::string const& name);
    [[nodiscard]] Group open_group(std::string const& name) const;
    [[nodiscard]] bool has(std::string const& name) const;

    /// Chunks of 4096 rows (fewer of long texts), shuffled, deflated at level 1, with a checksum.
    template <class T>
    [[nodiscard]] Column create_column(std::string const& name, std::uint64_t rows) {
        return create(name, rows, type_of<T>());
    }
    [[nodiscard]] Column create_text_column(std::string const& name, std::uint64_t rows, std::size_t longest);
    [[nodiscard]] Column open_column(std::string const& name) const;

    /// A second name for what is at `path` in the same file.
    void link(std::string const& name, std::string const& path);

    /// A whole column at once.
    template <class T>
    Column put(std::string const& name, std::vector<T> const& values) {
        auto column = create_column<T>(name, values.size());
        column.write(0, std::span<T const>(values));
        return column;
    }
    /// Where a text is not UTF-8, what is no character becomes U+FFFD.
    Column put_texts(std::string const& name, std::vector<std::string_view> const& texts);
    Column put_texts(std::string const& name, std::vector<std::string> const& texts) {
        return put_texts(name, std::vector<std::string_view>(texts.begin(), texts.end()));
    }

  private:
    friend class File;
    Group(Handle handle, std::shared_ptr<Origin const> file) : Object(std::move(handle), std::move(file)) {}
    [[nodiscard]] Column create(std::string const& name, std::uint64_t rows, Type type);
    [[nodiscard]] Column create_of_type(std::string const& name, std::uint64_t rows, Handle::Id type,
                                        std::size_t text_length);
};

// The only place that holds HDF5 handles: serial C API, every handle owned, every failure a StorageError with the
// file's name. HDF5's own printing of errors is silenced. Files are in the default (earliest) format, without time
// stamps. What is read is checked first: class, rank and size are what the caller asks for, nothing claims more than
// the file can hold, texts are UTF-8. Anything else is damage, a StorageError.

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
