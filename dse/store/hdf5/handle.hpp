#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>

namespace pimdse::dse::store::hdf5 {

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

}  // namespace pimdse::dse::store::hdf5
