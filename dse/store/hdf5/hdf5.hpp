#pragma once

#include "dse/store/storage_error.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The only place that holds HDF5 handles: serial C API, every handle owned, every failure a StorageError with the
/// file's name. HDF5's own printing of errors is silenced. Files are in the default (earliest) format, without time
/// stamps. What is read is checked first: class, rank and size are what the caller asks for, nothing claims more than
/// the file can hold, texts are UTF-8. Anything else is damage, a StorageError.
namespace pimdse::dse::hdf5 {

/// Owns one hid_t; closes it with the function for its kind.
class Handle {
  public:
    using Id = std::int64_t;  ///< hid_t
    using Close = int (*)(Id);
    Handle() = default;
    Handle(Id id, Close close) : id_(id), close_(close) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Handle& operator=(Handle&& other) noexcept;
    ~Handle() { reset(); }
    [[nodiscard]] Id get() const { return id_; }
    void reset() noexcept;

  private:
    Id id_ = -1;
    Close close_ = nullptr;
};

/// What the numbers of a column are in the file; texts have a fixed length.
enum class Type : std::uint8_t { u8, i32, i64, u64, f64 };
template <class T>
constexpr Type type_of();
template <>
constexpr Type type_of<std::uint8_t>() {
    return Type::u8;
}
template <>
constexpr Type type_of<std::int32_t>() {
    return Type::i32;
}
template <>
constexpr Type type_of<std::int64_t>() {
    return Type::i64;
}
template <>
constexpr Type type_of<std::uint64_t>() {
    return Type::u64;
}
template <>
constexpr Type type_of<double>() {
    return Type::f64;
}

/// The file that groups and columns belong to, for messages and limits.
struct Origin {
    std::filesystem::path path;
    std::uint64_t bytes = ~std::uint64_t{0};  ///< its size, where it is read
};

/// A group or a column: what attributes hang on. Texts are variable-length UTF-8, so that one may be long. All of a
/// list lies in the object's head, which ends at 64 KiB: lists without a limit are text columns.
class Object {
  public:
    static constexpr std::size_t longest_list = 4000;
    void attribute(std::string const& name, std::string_view text);
    void attribute(std::string const& name, std::vector<std::string> const& texts);
    void attribute(std::string const& name, std::uint64_t number) { write_numbers(name, Type::u64, &number, 1, true); }
    void attribute(std::string const& name, std::int32_t number) { write_numbers(name, Type::i32, &number, 1, true); }
    template <class T>
    void attribute(std::string const& name, std::span<T const> numbers) {
        write_numbers(name, type_of<T>(), numbers.data(), numbers.size(), false);
    }

    [[nodiscard]] bool has_attribute(std::string const& name) const;
    /// The names of all attributes that are one text.
    [[nodiscard]] std::vector<std::string> text_attributes() const;
    [[nodiscard]] std::string text(std::string const& name) const;
    [[nodiscard]] std::vector<std::string> texts(std::string const& name) const;
    [[nodiscard]] std::vector<double> reals(std::string const& name) const;
    /// A whole number that is not negative.
    [[nodiscard]] std::uint64_t number(std::string const& name) const;

    /// Throws a StorageError: the file is damaged, and how.
    [[noreturn]] void damaged(std::string const& what) const;

  protected:
    Object(Handle handle, std::shared_ptr<Origin const> file) : handle_(std::move(handle)), file_(std::move(file)) {}
    Handle::Id check(Handle::Id result, std::string const& doing) const;
    void write_numbers(std::string const& name, Type type, void const* numbers, std::size_t count, bool scalar);

    Handle handle_;
    std::shared_ptr<Origin const> file_;
};

/// A one-dimensional data set.
class Column : public Object {
  public:
    [[nodiscard]] std::uint64_t rows() const { return rows_; }
    /// True if both are one column under two names.
    [[nodiscard]] bool is(Column const& other) const;
    template <class T>
    void write(std::uint64_t first, std::span<T const> values) {
        write_rows(first, values.size(), type_of<T>(), values.data());
    }
    /// A chunk as filter_chunk() makes it: the rows from `first` on, which is a multiple of chunk_rows().
    void write_chunk(std::uint64_t first, std::span<std::byte const> filtered, std::uint32_t skipped_filters);
    static constexpr std::size_t most_chunk_rows = 4096;
    /// Divides most_chunk_rows where there is more than one chunk.
    [[nodiscard]] std::size_t chunk_rows() const;
    [[nodiscard]] std::size_t element_bytes() const;
    /// Texts must not be longer than the column was made for.
    void write(std::uint64_t first, std::span<std::string_view const> texts);

    template <class T>
    [[nodiscard]] std::vector<T> read() const {
        return read<T>(0, rows_);
    }
    /// `count` rows from `first` on, which must be there.
    template <class T>
    [[nodiscard]] std::vector<T> read(std::uint64_t first, std::uint64_t count) const {
        check_type(type_of<T>());
        std::vector<T> values(count);
        read_rows(first, count, ids_in_memory(type_of<T>()), values.data());
        return values;
    }
    [[nodiscard]] std::vector<std::string> read_texts() const { return read_texts(0, rows_); }
    [[nodiscard]] std::vector<std::string> read_texts(std::uint64_t first, std::uint64_t count) const;

    /// Makes this column the dimension that others are measured along.
    void make_scale(std::string const& name);
    void attach_scale(Column const& scale);

  private:
    friend class Group;
    Column(Handle handle, std::shared_ptr<Origin const> file, std::string name, std::uint64_t rows,
           std::size_t text_length)
        : Object(std::move(handle), std::move(file)), name_(std::move(name)), rows_(rows), text_length_(text_length) {}
    void write_rows(std::uint64_t first, std::size_t count, Type type, void const* values);
    void write_selected(std::uint64_t first, std::size_t count, Handle::Id memory_type, void const* values);
    [[nodiscard]] static Handle::Id ids_in_memory(Type type);
    void check_type(Type wanted) const;
    void check_storage() const;
    void read_rows(std::uint64_t first, std::uint64_t count, Handle::Id memory_type, void* values) const;
    std::string name_;
    std::uint64_t rows_;
    std::size_t text_length_;  ///< bytes of an element
};

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

}  // namespace pimdse::dse::hdf5
