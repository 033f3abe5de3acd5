#pragma once

#include "models/contract/architecture.hpp"
#include "sim/base/check.hpp"

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// Rows of an architecture's parameter table, one call a row: name, unit, default, limits, meaning.
namespace pimdse::models {

/// What a number must lie in, both ends included, in the unit of a count and in SI for a quantity. Beyond: InputError
/// on reading.
struct Limits {
    double lower = 0.0, upper = 0.0;
};
inline constexpr Limits unlimited{};

/// A whole number of `unit` ("B", "tokens", "cycles"; "" or "1" for a plain one). Precondition: `default_value` is
/// within the limits.
[[nodiscard]] Parameter count(std::string name, std::string unit, std::int64_t default_value, Limits limits,
                              std::string meaning);

/// A number shown in `unit` ("GB/s", "ns"); `fallback_si` and the limits are in SI. Precondition as for count.
[[nodiscard]] Parameter quantity(std::string name, std::string unit, double fallback_si, Limits limits,
                                 std::string meaning);

/// One of `choices`, the first by default. Precondition: there is one.
[[nodiscard]] Parameter choice(std::string name, std::vector<std::string> choices, std::string meaning);

/// One of `choices`, `default_value` by default. Precondition: it is one of them.
[[nodiscard]] Parameter choice(std::string name, std::vector<std::string> choices, std::string_view default_value,
                               std::string meaning);

/// True or false.
[[nodiscard]] Parameter flag(std::string name, bool default_value, std::string meaning);

/// The same row under a further name.
[[nodiscard]] Parameter also_called(Parameter parameter, std::string alias);

/// The same row, its default marked as an assumption of ours.
[[nodiscard]] Parameter assumed(Parameter parameter);

/// The same row, of which more is more hardware.
[[nodiscard]] Parameter resource(Parameter parameter);

/// A value as a member of a design: a whole number, a real one or a quantity in SI, a flag, or a choice by its
/// position.
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

/// The parameters of an architecture and what each sets in its design: one row a parameter, so that the table that
/// people see and the reader of points cannot differ. `Context` is what choices stand for, where that is needed to read
/// them.
template <class Design, class Context = std::monostate>
class ParameterTable {
  public:
    using Read = void (*)(Design&, Value const&, Context const&);

    /// A parameter whose value is this member.
    template <auto member>
    void row(Parameter parameter) {
        row(std::move(parameter),
            [](Design& design, Value const& value, Context const&) { assign(design.*member, value); });
    }
    /// A parameter of which `reader` makes something else.
    void row(Parameter parameter, Read reader) {
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
