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

/// Whether all bytes of a text are ASCII.
[[nodiscard]] bool is_ascii(std::string_view text);

class Group : public Object {
  public:
    [[nodiscard]] Group create_group(std::string const& name);
    [[nodiscard]] Group open_group(std::string const& name) const;
    [[nodiscard]] bool has(std::string const& name) const;

    /// Creates a column with chunks of 4096 rows (fewer for long texts), shuffled, deflated at level 1, with a
    /// checksum.
    template <class T>
    [[nodiscard]] Column create_column(std::string const& name, std::uint64_t rows) {
        return create(name, {rows}, type_of<T>);
    }
    /// The same for a table with `width` numbers per row. A chunk has up to 4096 numbers, of as many rows as possible.
    template <class T>
    [[nodiscard]] Column create_table(std::string const& name, std::uint64_t rows, std::uint64_t width) {
        return create(name, {rows, width, 2}, type_of<T>);
    }
    /// `ascii`: no text will have another byte.
    [[nodiscard]] Column create_text_column(std::string const& name, std::uint64_t rows, std::size_t longest,
                                            bool ascii = false);
    [[nodiscard]] Column open_column(std::string const& name) const { return open(name, 1); }
    [[nodiscard]] Column open_table(std::string const& name) const { return open(name, 2); }

    /// Gives the object at `path` in the same file a second name in this group (a hard link).
    void link(std::string const& name, std::string const& path);

    /// Adds everything that a reader of this group sees: names, types, sizes, values and attributes of all objects, but
    /// not how they are stored, nor references between them.
    void add_content(sim::Sha256& into) const;

    /// Creates a column and writes all its rows.
    template <class T>
    Column put(std::string const& name, std::vector<T> const& values) {
        auto column = create_column<T>(name, values.size());
        column.write(0, std::span<T const>(values));
        return column;
    }
    /// Bytes of a text that are not valid UTF-8 become U+FFFD.
    Column put_texts(std::string const& name, std::vector<std::string_view> const& texts);
    Column put_texts(std::string const& name, std::vector<std::string> const& texts) {
        return put_texts(name, std::vector<std::string_view>(texts.begin(), texts.end()));
    }

  private:
    friend class File;
    Group(Handle handle, std::shared_ptr<Origin const> file) : Object(std::move(handle), std::move(file)) {}
    [[nodiscard]] Column create(std::string const& name, Shape const& shape, Type type);
    [[nodiscard]] Column create_of_type(std::string const& name, Shape const& shape, Handle::Id type,
                                        std::size_t text_length);
    [[nodiscard]] Column open(std::string const& name, int rank) const;
};

// The hdf5_*.cpp files are the only ones that hold HDF5 handles. They use the serial C API; every handle has an owner,
// and every failure is a StorageError with the name of the file. HDF5 does not print errors itself. Files have the
// default (earliest) format, without time stamps. All data are checked before they are read: class, rank and size are
// those that the caller expects, no object claims more than the file can hold, and texts are UTF-8. Anything else is
// damage, a StorageError.

/// Whether a file has the signature of HDF5; false if it cannot be read.
[[nodiscard]] bool is_hdf5(std::filesystem::path const& path);

/// An HDF5 file: either built in memory, so that its bytes are written to disk by ordinary calls with ordinary errors,
/// or opened for reading.
class File {
  public:
    /// Starts a file in memory. `path` is used in messages only; nothing is written there.
    static File build(std::filesystem::path const& path);
    /// Opens the file at `place` for reading, without a lock, so that readers and writers do not disturb each other.
    /// Messages name it `path`. Throws InputError if it is not an HDF5 file.
    static File open(std::filesystem::path const& path, std::filesystem::path const& place);
    static File open(std::filesystem::path const& path) { return open(path, path); }

    [[nodiscard]] Group root() const;
    /// The bytes of a file built in memory, starting with its user block, which is zero. All groups and columns must be
    /// closed. Valid as long as this object, which must not be used for anything else afterwards.
    [[nodiscard]] std::span<std::byte> image();

    /// Bytes at the start of the file that HDF5 skips; 512 is the smallest size that HDF5 allows.
    static constexpr std::size_t user_block = 512;

  private:
    File(Handle handle, std::shared_ptr<Origin const> file) : handle_(std::move(handle)), file_(std::move(file)) {}
    Handle handle_;
    std::shared_ptr<Origin const> file_;
};

}  // namespace pimdse::dse::store::hdf5
