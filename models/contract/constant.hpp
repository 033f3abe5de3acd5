#pragma once

#include <cstdint>
#include <string>

namespace pimdse::models {

/// A number about the world with its unit and where it comes from.
struct Constant {
    double si = 0.0;
    std::string unit;  ///< as written
    std::string source;
    bool assumed = false;
    /// What an assumed constant may as well be, in SI; both 0 where nobody says.
    double range_low = 0.0, range_high = 0.0;
    std::string file;
    std::uint32_t line = 0;    ///< of its file
    std::string technology{};  ///< the row of technology.toml that stands for it where machines are compared; "" = none
    double technology_scale = 1.0;  ///< how often that row makes this constant: 0.5 FLOP of a multiply-accumulate
};

}  // namespace pimdse::models
