#pragma once

#include "dse/space/space.hpp"
#include "dse/space_file/space_reader.hpp"

#include <string>
#include <vector>

namespace pimdse::dse::flips {

/// One assumption with another value than the space's.
struct Variation {
    std::string assumption;  ///< "view", "sram_leakage", "batch"
    std::string from, to;    ///< as texts
    std::vector<space_file::Override> overrides;
    bool numeric = false;  ///< has values between: `low_end` and `other_end` in `unit`
    double start = 0.0, end = 0.0;
    std::string unit;
    std::string key;  ///< of a numeric one: the override's name

    /// The overrides of a value between; of a numeric one.
    [[nodiscard]] std::vector<space_file::Override> at(double value) const;
};

/// Each assumption that bears on a machine of the space, with every other choice, or at both ends of its stated range.
[[nodiscard]] std::vector<Variation> variations_of(space::Space const& space);

}  // namespace pimdse::dse::flips
