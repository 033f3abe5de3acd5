#pragma once

#include <span>
#include <string_view>

namespace pimdse::models {

/// A parameter of which a value may make a request faster although area, silicon, idle power and energy do not rise.
struct FreeOfCost {
    std::string_view architecture, parameter;
    std::string_view because;  ///< why that is no free hardware
};

/// All of them. A law (tests/laws/free_hardware_test.cpp) holds every other parameter to a cost.
[[nodiscard]] std::span<FreeOfCost const> parameters_free_of_cost();

/// Why a faster value of this parameter may cost nothing; "": it costs.
[[nodiscard]] std::string_view free_because(std::string_view architecture, std::string_view parameter);

}  // namespace pimdse::models
