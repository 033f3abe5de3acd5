#pragma once

#include "dse/search/robust_front.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// How sure is a front? Constants of machines that are known within a range only: their draws, the share of draws in
/// which a design is on the front, and the constants that decide.
namespace pimdse::dse::uncertain {

using search::Binding;
using search::Distribution;
using search::UncertainConstant;

/// Constants that are drawn together: every pair of them has this correlation (of their normal scores), 0 to 1.
struct Correlation {
    std::vector<std::size_t> constants;
    double coefficient = 0.0;
};

/// What [uncertain] of a space and the command line state.
struct Uncertainty {
    std::vector<UncertainConstant> constants;  ///< by name
    std::vector<Correlation> correlated;
    std::uint64_t samples = 0;
    std::uint64_t seed = 1;
    std::vector<std::string> remarks;  ///< about ranges that the rules of a machine cut off
};

/// A value of one uncertain constant.
struct Setting {
    std::size_t constant = 0;
    double si = 0.0;
    auto operator<=>(Setting const&) const = default;
};
/// Constants that are not listed keep their nominal value.
using Settings = std::vector<Setting>;

}  // namespace pimdse::dse::uncertain
