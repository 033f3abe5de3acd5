#pragma once

#include "models/contract/parameter.hpp"
#include "sim/base/check.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// Builders of the rows of a parameter table, one call per row: name, unit, default, limits, meaning. Texts are views,
/// so that a row costs a call and no temporary texts where it is written.
namespace pimdse::models {

/// Limits of a number, both ends included, in the unit of a count and in SI for a quantity. A value outside them is an
/// InputError on reading.
struct Limits {
    double lower = 0.0, upper = 0.0;
};
inline constexpr Limits unlimited{};

/// A whole number of `unit` ("B", "tokens", "cycles"; "" or "1" for a plain number). Precondition: `default_value` is
/// within the limits.
[[nodiscard]] Parameter count(std::string_view name, std::string_view unit, std::int64_t default_value, Limits limits,
                              std::string_view meaning);

/// A number that is shown in `unit` ("GB/s", "ns"); `default_si` and the limits are in SI. Precondition as for count.
[[nodiscard]] Parameter quantity(std::string_view name, std::string_view unit, double default_si, Limits limits,
                                 std::string_view meaning);

/// One of `choices`; the first is the default. Precondition: there is at least one.
[[nodiscard]] Parameter choice(std::string_view name, std::vector<std::string> choices, std::string_view meaning);
[[nodiscard]] Parameter choice(std::string_view name, std::initializer_list<std::string_view> choices,
                               std::string_view meaning);

/// One of `choices` with the default `default_value`. Precondition: it is one of them.
[[nodiscard]] Parameter choice(std::string_view name, std::vector<std::string> choices, std::string_view default_value,
                               std::string_view meaning);
[[nodiscard]] Parameter choice(std::string_view name, std::initializer_list<std::string_view> choices,
                               std::string_view default_value, std::string_view meaning);

/// True or false.
[[nodiscard]] Parameter flag(std::string_view name, bool default_value, std::string_view meaning);

/// The same row with an additional name.
[[nodiscard]] Parameter also_called(Parameter parameter, std::string_view alias);

/// The same row with its default marked as an assumption of this project.
[[nodiscard]] Parameter assumed(Parameter parameter);

/// The same row, marked as a resource: more of it is more hardware.
[[nodiscard]] Parameter resource(Parameter parameter);

/// Assigns a value to a member of a design: a whole number, a real number or a quantity in SI, a flag, or a choice by
/// its position.
template <class Member>
void assign(Member& member, Value const& value) {
    if constexpr (std::same_as<Member, bool>)
        member = value.as_flag();
    else if constexpr (std::same_as<Member, std::int64_t>)
        member = value.as_integer();
    else if constexpr (std::same_as<Member, double>)
        member = value.as_quantity();
    else if constexpr (std::same_as<Member, Value>)
        member = value;
    else if constexpr (std::is_enum_v<Member> || std::same_as<Member, std::size_t>)
        member = static_cast<Member>(value.as_choice());
    else
        member = Member{value.as_quantity()};
}

/// The name of a member, "vlen" of &Design::vlen.
template <auto member>
[[nodiscard]] consteval std::string_view member_name() {
    std::string_view text = std::source_location::current().function_name();
    constexpr std::string_view is = "member = ";
    text.remove_prefix(text.find(is) + is.size());
    text = text.substr(0, text.find_first_of(";]"));
    return text.substr(text.rfind(':') + 1);
}

/// The parameters of an architecture and the member of the design that each sets. One row per parameter keeps the table
/// that users see and the reader of points in step. `Context` has what choices stand for, if that is needed to read
/// them.
template <class Design, class Context = std::monostate>
class ParameterTable {
  public:
    using Read = void (*)(Design&, Value const&, Context const&);

    /// A parameter whose value becomes this member.
    template <auto member>
    void row(Parameter&& parameter) {
        row(std::move(parameter),
            [](Design& design, Value const& value, Context const&) { assign(design.*member, value); });
    }
    /// The parameters of the names of these members in `keys`.
    template <auto... members>
    void rows(auto const& keys) {
        (row<members>(keys[member_name<members>()]), ...);
    }
    /// A parameter whose value is converted by `reader`.
    void row(Parameter&& parameter, Read reader) {
        parameters_.push_back(std::move(parameter));
        reads_.push_back(reader);
    }

    [[nodiscard]] Parameters const& parameters() const { return parameters_; }
    [[nodiscard]] Design read(Point point, Context const& context = {}) const {
        sim::expects(point.size() == reads_.size(), "a point has one value per parameter");
        Design design;
        for (std::size_t i = 0; i < reads_.size(); ++i) reads_[i](design, point[i], context);
        return design;
    }

  private:
    Parameters parameters_;
    std::vector<Read> reads_;
};

}  // namespace pimdse::models
