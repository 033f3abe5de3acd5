#pragma once

#include <span>
#include <string_view>

namespace pimdse::models {

/// Parameters with values that may make a request faster although area, silicon, idle power and energy do not rise.
struct FreeOfCost {
    std::string_view architectures, parameters;  ///< names with spaces between them; no architecture: all that have it
    std::string_view because;                    ///< reason why that is not free hardware
};

/// All such parameters. A test (tests/laws/free_hardware_test.cpp) requires that every other parameter costs something.
[[nodiscard]] std::span<FreeOfCost const> parameters_free_of_cost();

/// Reason why a faster value of this parameter may be free of cost; "" if it must cost something.
[[nodiscard]] std::string_view free_because(std::string_view architecture, std::string_view parameter);

}  // namespace pimdse::models
