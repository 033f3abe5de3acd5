#pragma once

#include <cstdint>
#include <string>

namespace pimdse::models {

/// A number about the physical world with its unit and source.
struct Constant {
    double si = 0.0;
    std::string unit;  ///< as written
    std::string source;
    bool assumed = false;
    /// Range of an assumed constant in SI; both 0 if none is stated.
    double range_lower = 0.0, range_upper = 0.0;
    std::string file;
    std::uint32_t line = 0;         ///< of its file
    std::string technology{};       ///< row of technology.toml that replaces it when machines are compared; "" = none
    double technology_scale = 1.0;  ///< factor of that row: 0.5 for one FLOP of a multiply-accumulate
    /// Of a plain number: the unit of constants that move metrics as it does, "W" for a share of a power, "1/mm2" for
    /// what divides areas (constant_slopes.hpp); "" = nothing is stated.
    std::string acts_as{};
};

/// A plain number that this project chose and no source gives: a margin, a sufficient length, a shape of a fit.
struct Allowance {
    double value = 0.0;
    std::string allows_for;
    std::string evidence;  ///< what was examined, and the outcome
    std::string command;   ///< repeats the examination
    std::uint32_t line = 0;
};

}  // namespace pimdse::models
