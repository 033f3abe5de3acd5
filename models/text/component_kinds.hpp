#pragma once

#include "models/llm/weight_format.hpp"
#include "models/text/number_range.hpp"
#include "sim/base/quantity_text.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models::text {

struct PartKind;  // part.hpp

/// A key of a section that is a number.
struct NumberKey {
    std::string name;
    sim::Dimension dimension;
    std::string default_text;  ///< "": the key is required
    bool by_format = false;    ///< may be a table with a number for each format of products
    NumberRange range = NumberRange::not_negative;
};

struct TextKey {
    std::string name;
    bool required = false;
    std::vector<std::string> choices{};  ///< if it is one of these, or the parameter in braces that says which
};

/// What a kind of component may have.
struct ComponentKind {
    std::string name;
    std::vector<NumberKey> numbers;
    std::vector<TextKey> texts;
    sim::Dimension energy;           ///< of its rows of energy: J/B, J/FLOP
    bool energy_by_format = false;   ///< which may be tables by format
    PartKind const* part = nullptr;  ///< its laws are C++ (part.hpp)
};

/// Names of the kinds of "memory", "compute" or "link".
[[nodiscard]] std::vector<std::string> kind_names(std::string_view section);
/// Precondition: the section has this kind.
[[nodiscard]] ComponentKind const& component_kind(std::string_view section, std::string_view name);

/// Keys that are numbers of [format], [power], [cost] or [bounds], or of a rule of [run].
[[nodiscard]] std::span<NumberKey const> keys_of(std::string_view section);
inline constexpr std::string_view no_product = "0 USD";  ///< default of key `product` of [cost]

/// Formats of products and of cached keys and values, and their bits.
[[nodiscard]] std::vector<std::string> product_format_names();
/// The numbers of such a format. Precondition: it is one of them.
[[nodiscard]] ProductFormat numbers_of(std::string_view format);
[[nodiscard]] std::vector<std::string> cache_format_names();
[[nodiscard]] double bits_of_format(std::string_view name);
inline constexpr double bits_per_byte = 8;

}  // namespace pimdse::models::text
