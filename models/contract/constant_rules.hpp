#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// What must hold of the constants of an architecture, whichever file they are from: one table per architecture,
/// checked where they are loaded. It says what a constant may be physically, and what a proof of a bound presupposes of
/// it.
namespace pimdse::models {

/// The value of a constant in SI by its name; of an allowance by "allowance.NAME".
using ConstantValues = std::function<double(std::string_view)>;

struct ConstantRule {
    std::string relation;            ///< as a reader understands it: "chip_power >= dram_background + dram_refresh"
    std::vector<std::string> names;  ///< all that the relation ties together; the order does not matter
    std::string why;                 ///< "it is a share of a whole"
    std::function<bool(ConstantValues const&)> holds;
    bool allows_zero = false;  ///< of a single constant that may be 0 although the shipped one is not
};
using ConstantRules = std::vector<ConstantRule>;

using ConstantNames = std::vector<std::string>;

/// A rule for each name: 0 to 1.
[[nodiscard]] ConstantRules shares(ConstantNames const& names, std::string const& why);
/// A rule for each name: above 0, up to 1.
[[nodiscard]] ConstantRules efficiencies(ConstantNames const& names, std::string const& why);
/// A rule for each name: a whole number from `low` to `high`, in SI.
[[nodiscard]] ConstantRules whole_numbers(ConstantNames const& names, double lower, double upper,
                                          std::string const& why);
/// A rule for each name: from `low` to `high`, in SI.
[[nodiscard]] ConstantRules within(ConstantNames const& names, double lower, double upper, std::string const& why);
/// Rules that each name is at most the next one.
[[nodiscard]] ConstantRules ascending(ConstantNames const& names, std::string const& why);

/// All of them, one after the other.
[[nodiscard]] ConstantRules together(std::vector<ConstantRules> const& parts);

}  // namespace pimdse::models
