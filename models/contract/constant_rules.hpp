#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Rules that the constants of an architecture must satisfy, whichever file they come from: one table per architecture,
/// checked when they are loaded. A rule states what is physically possible, or what the proof of a bound presupposes.
namespace pimdse::models {

/// Value of a constant in SI by name; allowances have the name "allowance.NAME".
using ConstantValues = std::function<double(std::string_view)>;

struct ConstantRule {
    std::string relation;            ///< as shown to the user: "chip_power >= dram_background + dram_refresh"
    std::vector<std::string> names;  ///< constants that occur in the relation, in any order
    std::string why;                 ///< "it is a share of a whole"
    std::function<bool(ConstantValues const&)> holds;
    bool allows_zero = false;  ///< for a rule about a single constant, which may be 0 although the shipped one is not
};
using ConstantRules = std::vector<ConstantRule>;

using ConstantNames = std::vector<std::string>;

/// A rule for each name: from 0 to 1.
[[nodiscard]] ConstantRules shares(ConstantNames const& names, std::string const& why);
/// A rule for each name: above 0, up to 1.
[[nodiscard]] ConstantRules efficiencies(ConstantNames const& names, std::string const& why);
/// A rule for each name: a whole number from `lower` to `upper`, in SI.
[[nodiscard]] ConstantRules whole_numbers(ConstantNames const& names, double lower, double upper,
                                          std::string const& why);
/// A rule for each name: from `lower` to `upper`, in SI.
[[nodiscard]] ConstantRules within(ConstantNames const& names, double lower, double upper, std::string const& why);
/// Rules that each constant is at most the next one.
[[nodiscard]] ConstantRules ascending(ConstantNames const& names, std::string const& why);

/// Concatenation of rules.
[[nodiscard]] ConstantRules together(std::vector<ConstantRules> const& parts);

}  // namespace pimdse::models
