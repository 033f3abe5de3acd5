#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

/// Binary encoding of numbers and texts; little-endian on every host.
namespace pimdse::sim::wire {

template <std::unsigned_integral T>
void put(std::vector<std::byte>& into, T number) {
    std::byte bytes[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = static_cast<std::byte>(number >> (8 * i));
    into.insert(into.end(), bytes, bytes + sizeof(T));
}

inline void put(std::vector<std::byte>& into, double number) { put(into, std::bit_cast<std::uint64_t>(number)); }

/// Encodes the length (u32), then the characters.
inline void put(std::vector<std::byte>& into, std::string_view text) {
    put(into, static_cast<std::uint32_t>(text.size()));
    auto const bytes = std::as_bytes(std::span(text));
    into.insert(into.end(), bytes.begin(), bytes.end());
}

template <class T>
requires std::is_enum_v<T>
void put(std::vector<std::byte>& into, T value) { put(into, static_cast<std::underlying_type_t<T>>(value)); }

/// Several values, in this order.
template <class First, class Second, class... Rest>
void put(std::vector<std::byte>& into, First const& first, Second const& second, Rest const&... rest) {
    put(into, first);
    put(into, second, rest...);
}

/// Overwrites bytes that were written before.
template <std::unsigned_integral T>
void set(std::byte* at, T number) {
    for (std::size_t i = 0; i < sizeof(T); ++i) at[i] = static_cast<std::byte>(number >> (8 * i));
}

template <std::unsigned_integral T>
[[nodiscard]] T number_at(std::byte const* bytes) {
    T number = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i)
        number = static_cast<T>(number | static_cast<T>(std::to_integer<T>(bytes[i]) << (8 * i)));
    return number;
}

/// Reads numbers and texts from the front of a byte sequence; nullopt if it is too short.
class Reader {
  public:
    explicit Reader(std::span<std::byte const> bytes) : bytes_(bytes) {}

    template <std::unsigned_integral T>
    [[nodiscard]] std::optional<T> take() {
        if (bytes_.size() < sizeof(T)) return std::nullopt;
        T const number = number_at<T>(bytes_.data());
        bytes_ = bytes_.subspan(sizeof(T));
        return number;
    }
    [[nodiscard]] std::optional<double> take_double() {
        auto const bits = take<std::uint64_t>();
        return bits ? std::optional(std::bit_cast<double>(*bits)) : std::nullopt;
    }
    /// A view into the bytes.
    [[nodiscard]] std::optional<std::string_view> take_text() {
        auto const length = take<std::uint32_t>();
        if (!length || bytes_.size() < *length) return std::nullopt;
        std::string_view const text(reinterpret_cast<char const*>(bytes_.data()), *length);
        bytes_ = bytes_.subspan(*length);
        return text;
    }
    /// A view into the bytes.
    [[nodiscard]] std::optional<std::span<std::byte const>> take_bytes(std::uint64_t count) {
        if (bytes_.size() < count) return std::nullopt;
        auto const taken = bytes_.first(static_cast<std::size_t>(count));
        bytes_ = bytes_.subspan(taken.size());
        return taken;
    }
    [[nodiscard]] bool empty() const { return bytes_.empty(); }
    /// The bytes that were not read yet.
    [[nodiscard]] std::span<std::byte const> rest() const { return bytes_; }

  private:
    std::span<std::byte const> bytes_;
};

}  // namespace pimdse::sim::wire
