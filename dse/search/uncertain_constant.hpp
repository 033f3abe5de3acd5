#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::search {

/// How values of a constant are distributed between its ends. log_uniform: the logarithm is uniform. normal: cut off at
/// its ends, three standard deviations from the mean. choices: each of a list is equally likely.
enum class Distribution : std::uint8_t { uniform, log_uniform, normal, choices };
[[nodiscard]] std::string_view name_of(Distribution distribution);

/// Where a machine reads an uncertain constant. `constant`: a name of models::DrawnConstants; `technology`: a row of
/// technology.toml; `parameter`: a parameter that has one value in the space.
struct Binding {
    enum class Place : std::uint8_t { constant, technology, parameter };
    std::size_t machine = 0;  ///< position in the space
    Place place = Place::constant;
    std::string name;
    bool operator==(Binding const&) const = default;
};

/// A constant or a fixed parameter with a range. All numbers are in SI.
struct UncertainConstant {
    std::string name;  ///< "umdam.chip_power", "technology.sram_leakage"
    std::string unit;  ///< of texts
    double nominal = 0.0;
    double lower = 0.0, upper = 0.0;
    Distribution distribution = Distribution::log_uniform;
    double mean = 0.0, deviation = 0.0;  ///< of normal
    std::vector<double> choices{};       ///< of choices, ascending
    bool whole = false;                  ///< only whole numbers are accepted: values are rounded
    std::string source;                  ///< where the range comes from, for the reader of a table
    std::vector<Binding> bindings;

    /// The value at a share of the probability, 0 to 1.
    [[nodiscard]] double at(double probability) const;
    /// The nearest value that the machine accepts, if only whole numbers are.
    [[nodiscard]] double rounded(double si) const;
    /// "0.3 pJ".
    [[nodiscard]] std::string text_of(double si) const;
};

}  // namespace pimdse::dse::search
