#pragma once

#include "models/contract/value.hpp"

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

namespace pimdse::models {

/// 128 bits that name what the cycle-level metrics of a point depend on: points with equal keys have equal metrics at
/// cycle level, bit for bit. So a search simulates one of them and knows the rest.
struct CycleKey {
    std::uint64_t upper = 0, lower = 0;
    auto operator<=>(CycleKey const&) const = default;
};

/// Takes what an evaluation depends on, in a fixed order, and makes its key (XXH3, 128 bits). Tests take parts of it
/// out.
class CycleKeyMaker {
  public:
    CycleKeyMaker() { bytes_.reserve(1024); }

    template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T> CycleKeyMaker& add(T value) {
        return append(&value, sizeof value);
    }
    /// A text with its length, so that two texts in a row are not one.
    CycleKeyMaker& add(std::string_view text);
    /// A value with its kind.
    CycleKeyMaker& add(Value const& value);

    /// What is added from here on is one part more.
    void begin_part() {
        if (parts_.empty()) parts_.reserve(64);
        parts_.push_back(bytes_.size());
    }
    [[nodiscard]] std::size_t parts() const { return parts_.size(); }

    static constexpr std::size_t no_part = std::numeric_limits<std::size_t>::max();
    /// The key, or what it would be if nobody had thought of one part.
    [[nodiscard]] CycleKey key(std::size_t forgotten = no_part) const;

  private:
    CycleKeyMaker& append(void const* from, std::size_t count);
    std::vector<unsigned char> bytes_;
    std::vector<std::size_t> parts_;  ///< where each begins
};

/// A parameter whose value does not enter a key as it is, and why that loses nothing.
struct KeyDeclaration {
    std::string_view parameter;
    std::string_view because;
    bool always = false;  ///< it has no condition
};
inline constexpr std::size_t no_declaration = std::numeric_limits<std::size_t>::max();

}  // namespace pimdse::models
