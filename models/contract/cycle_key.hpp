#pragma once

#include "models/contract/value.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

namespace pimdse::models {

/// 128 bits that identify everything that the cycle-level metrics of a point depend on: points with equal keys have
/// equal cycle-level metrics, bit for bit. So a search simulates one of them and knows the results of the others.
struct CycleKey {
    std::uint64_t upper = 0, lower = 0;
    auto operator<=>(CycleKey const&) const = default;
};

/// Collects what an evaluation depends on, in a fixed order, and computes the key (XXH3, 128 bits). Tests leave out
/// parts.
class CycleKeyMaker {
  public:
    CycleKeyMaker() { bytes_.reserve(1024); }

    template <class T>
    requires std::is_arithmetic_v<T> || std::is_enum_v<T> CycleKeyMaker& add(T value) {
        return append(&value, sizeof value);
    }
    /// Adds a text with its length, so that two consecutive texts differ from their concatenation.
    CycleKeyMaker& add(std::string_view text);
    /// Adds a value with its kind.
    CycleKeyMaker& add(Value const& value);

    /// Everything added from here on belongs to a new part.
    void begin_part() {
        if (parts_.empty()) parts_.reserve(64);
        parts_.push_back(bytes_.size());
    }
    [[nodiscard]] std::size_t parts() const { return parts_.size(); }
    /// Adds what another key has in its part `part`.
    CycleKeyMaker& add_part(CycleKeyMaker const& other, std::size_t part);

    static constexpr std::size_t no_part = std::numeric_limits<std::size_t>::max();
    /// The key; with `left_out`, the key without that part.
    [[nodiscard]] CycleKey key(std::size_t left_out = no_part) const;

  private:
    CycleKeyMaker& append(void const* from, std::size_t count);
    std::vector<unsigned char> bytes_;
    std::vector<std::size_t> parts_;  ///< start of each part
};

/// Declaration of a parameter whose value does not enter a key directly, and the reason why that loses nothing.
struct KeyDeclaration {
    std::string_view parameter;
    std::string_view because;
    bool always = false;  ///< the declaration has no condition
};
inline constexpr std::size_t no_declaration = std::numeric_limits<std::size_t>::max();

}  // namespace pimdse::models
