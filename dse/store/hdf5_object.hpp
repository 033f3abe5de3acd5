#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace pimdse::sim {
class Sha256;
}  // namespace pimdse::sim

namespace pimdse::dse::store::hdf5 {

/// Owner of one hid_t, which it closes with the function for its kind.
class Handle {
  public:
    using Id = std::int64_t;  ///< hid_t
    using Close = int (*)(Id);
    Handle() = default;
    Handle(Id id, Close close) : id_(id), close_(close) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~Handle() {
        if (id_ >= 0) close_(id_);
    }
    [[nodiscard]] Id get() const { return id_; }

  private:
    Id id_ = -1;
    Close close_ = nullptr;
};

/// The type of the numbers of a column in the file. (Columns of texts have a fixed length instead.)
enum class Type : std::uint8_t { u8, i32, i64, u64, f64 };
struct TypeIds;
template <class T>
constexpr Type type_of = std::is_floating_point_v<T> ? Type::f64
                         : std::is_signed_v<T>       ? (sizeof(T) == 4 ? Type::i32 : Type::i64)
                                                     : (sizeof(T) == 1 ? Type::u8 : Type::u64);

/// The extent of a data set: a column with an element per row (rank 1), or a table with `width` elements per row.
struct Shape {
    std::uint64_t rows = 0, width = 1;
    int rank = 1;
};

/// The file that groups and columns belong to: its name for messages, its size for limits.
struct Origin {
    std::filesystem::path path;
    std::uint64_t bytes = ~std::uint64_t{0};                ///< size of a file that is read; no limit otherwise
    mutable std::map<std::uint64_t, std::uint32_t> sums{};  ///< CRC-32 of known columns, by their addresses
};

/// A group or a column: an object that can have attributes. Text attributes are UTF-8 of variable length, so that a
/// text may be long. A list is stored in the object header, which is limited to 64 KiB; lists without a limit are text
/// columns instead.
class Object {
  public:
    static constexpr std::size_t longest_list = 4000;
    void attribute(std::string const& name, std::string_view text) { write_texts(name, {std::string(text)}, true); }
    void attribute(std::string const& name, std::vector<std::string> const& texts) { write_texts(name, texts, false); }
    void attribute(std::string const& name, std::uint64_t number) { write_numbers(name, Type::u64, &number, 1, true); }
    void attribute(std::string const& name, std::int32_t number) { write_numbers(name, Type::i32, &number, 1, true); }
    template <class T>
    void attribute(std::string const& name, std::span<T const> numbers) {
        write_numbers(name, type_of<T>, numbers.data(), numbers.size(), false);
    }

    [[nodiscard]] bool has_attribute(std::string const& name) const;
    /// The names of all attributes that hold a single text.
    [[nodiscard]] std::vector<std::string> text_attributes() const;
    [[nodiscard]] std::string text(std::string const& name) const;
    [[nodiscard]] std::vector<std::string> texts(std::string const& name) const;
    [[nodiscard]] std::vector<double> reals(std::string const& name) const;
    /// A whole number, not negative.
    [[nodiscard]] std::uint64_t number(std::string const& name) const;

    /// Adds names, types and values of all attributes, except references to other objects.
    void add_attributes(sim::Sha256& into) const;

    /// Throws a StorageError "FILE is damaged (WHAT)".
    [[noreturn]] void damaged(std::string const& what) const;

  protected:
    Object(Handle handle, std::shared_ptr<Origin const> file) : handle_(std::move(handle)), file_(std::move(file)) {}
    Handle::Id check(Handle::Id result, std::string const& doing) const;
    void write_numbers(std::string const& name, Type type, void const* numbers, std::size_t count, bool scalar);
    void write_texts(std::string const& name, std::vector<std::string> texts, bool scalar);
    void write_attribute(std::string const& name, TypeIds const& type, void const* data, std::size_t count,
                         bool scalar);

    Handle handle_;
    std::shared_ptr<Origin const> file_;
};

}  // namespace pimdse::dse::store::hdf5
