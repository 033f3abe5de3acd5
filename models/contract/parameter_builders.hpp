#pragma once

#include "models/contract/architecture.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Rows of an architecture's parameter table, one call a row: name, unit, default, limits, meaning.
namespace pimdse::models {

/// What a number must lie in, both ends included, in the unit of a count and in SI for a quantity. Beyond: InputError
/// on reading.
struct Limits {
    double low = 0.0, high = 0.0;
};
inline constexpr Limits unlimited{};

/// A whole number of `unit` ("B", "tokens", "cycles"; "" or "1" for a plain one). Precondition: `fallback` is within
/// the limits.
[[nodiscard]] Parameter count(std::string name, std::string unit, std::int64_t fallback, Limits limits,
                              std::string meaning);

/// A number shown in `unit` ("GB/s", "ns"); `fallback_si` and the limits are in SI. Precondition as for count.
[[nodiscard]] Parameter quantity(std::string name, std::string unit, double fallback_si, Limits limits,
                                 std::string meaning);

/// One of `choices`, the first by default. Precondition: there is one.
[[nodiscard]] Parameter choice(std::string name, std::vector<std::string> choices, std::string meaning);

/// One of `choices`, `fallback` by default. Precondition: it is one of them.
[[nodiscard]] Parameter choice(std::string name, std::vector<std::string> choices, std::string_view fallback,
                               std::string meaning);

/// True or false.
[[nodiscard]] Parameter flag(std::string name, bool fallback, std::string meaning);

/// The same row under a further name.
[[nodiscard]] Parameter also_called(Parameter parameter, std::string alias);

/// The same row, its default marked as an assumption of ours.
[[nodiscard]] Parameter assumed(Parameter parameter);

/// The same row, of which more is more hardware.
[[nodiscard]] Parameter resource(Parameter parameter);

/// A parameter whose faster values may cost nothing, and why.
struct FreeOfCost {
    std::string_view parameter, because;
};
/// The same table with these reasons (Parameter::free_because). Precondition: it has the parameters.
[[nodiscard]] Parameters with_reasons(Parameters parameters, std::vector<FreeOfCost> const& reasons);

}  // namespace pimdse::models
