#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

namespace pimdse::models {

/// 128 bits that name what the cycle-level answer of a point depends on: points with equal keys have equal metrics at
/// cycle level, bit for bit. So a search simulates one of them and knows the rest.
struct CycleKey {
    std::uint64_t high = 0, low = 0;
    auto operator<=>(CycleKey const&) const = default;
};

/// Takes what an answer depends on, in a fixed order, and makes its key (XXH3, 128 bits). What a point says and its
/// design does not use must not be added, or be added as the same value everywhere.
class CycleKeyMaker {
  public:
    CycleKeyMaker() { bytes_.reserve(256); }

    template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T> CycleKeyMaker& add(T value) {
        return append(&value, sizeof value);
    }
    /// A text with its length, so that two texts in a row are not one.
    CycleKeyMaker& add(std::string_view text);

    [[nodiscard]] CycleKey key() const;

  private:
    CycleKeyMaker& append(void const* from, std::size_t count);
    std::vector<unsigned char> bytes_;
};

}  // namespace pimdse::models
