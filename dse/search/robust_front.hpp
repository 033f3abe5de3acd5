#pragma once

#include "dse/space/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A front when constants of the machines are known within ranges only, as a result file keeps it.
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

/// Probabilities of the quantiles that are kept of every objective.
inline constexpr std::array<double, 3> quantile_probabilities{0.05, 0.5, 0.95};
using Quantiles = std::array<double, quantile_probabilities.size()>;

/// A design that is on the front as assumed or in a draw, or that may be.
struct RobustDesign {
    space::PointId point{};
    bool now = false;                  ///< on the front with the nominal constants
    bool possible = true;              ///< not excluded by the extents of the designs
    bool certain = false;              ///< on the front for all constants within their ranges, by the extents
    std::uint64_t draws_on_front = 0;  ///< number of draws
    /// The largest factor, minus 1, over all draws, by which every objective would have to improve for the design to be
    /// on the front; NaN if it is on no front, or infinite if it is infeasible in a draw.
    double regret = 0.0;
    std::vector<Quantiles> quantiles;  ///< by objective, of the draws in which it is feasible
};

/// A machine of the space.
struct MachineStanding {
    std::string name;
    std::uint64_t draws_on_front = 0;       ///< draws in which one of its designs is on the front
    std::vector<std::uint64_t> draws_best;  ///< by objective: draws in which it has the best design
    /// Draws in which none of its designs is feasible, of those that the ends of the ranges do not exclude; 0 if they
    /// exclude all.
    std::uint64_t draws_infeasible = 0;
};

/// A parameter that has the same value in every design of a machine that is on the front in any draw, although the
/// space offers several.
struct Decision {
    std::string machine, parameter, value;
};

/// A constant at which another machine becomes the best in an objective.
struct MachineFlip {
    std::size_t constant = 0, objective = 0;
    std::size_t before = 0, after = 0;  ///< machines
    double break_even = 0.0;            ///< SI; found by bisection to 1/1024 of the range
    space::PointId old_best{}, new_best{};
    double old_value = 0.0, new_value = 0.0;  ///< of the objective there, evaluated
};

/// The result of `explore --uncertain`.
struct RobustFront {
    std::string key;  ///< digest of everything that it follows from, but for the results
    std::vector<UncertainConstant> constants;
    std::vector<std::vector<double>> draws;  ///< values of all constants, by draw [SI]
    std::uint64_t seed = 0, refused_draws = 0;
    std::vector<std::string> remarks;
    std::vector<std::string> objectives;     ///< names
    std::vector<RobustDesign> designs;       ///< by id
    std::vector<space::PointId> possible;    ///< designs that may be on the front, by id
    std::vector<std::uint64_t> front_sizes;  ///< by draw
    std::vector<MachineStanding> machines;
    std::vector<Decision> decisions;
    std::vector<MachineFlip> flips;
    std::vector<bool> effective;  ///< by constant: whether a result of a machine depends on it
    /// Names of constants of which the machines do not state how they move objectives and limits; none: what the
    /// ends of the ranges tell (possible, certain, designs_excluded) is proved.
    std::vector<std::string> not_stated;
    std::uint64_t designs_considered = 0;  ///< all with a result
    std::uint64_t designs_excluded = 0;    ///< by their extents: not drawn
    std::uint64_t designs_linear = 0;      ///< drawn as linear forms
    std::uint64_t designs_evaluated = 0;   ///< evaluated in every draw
    std::string statement;                 ///< what was found, and what it rests on
};

/// The objectives of a design if one constant is at an end of its range.
struct TornadoRow {
    std::size_t constant = 0;
    std::optional<std::vector<double>> at_lower, at_upper;  ///< nullopt: it is infeasible there
};

/// A value of one constant at which a design leaves the front.
struct Departure {
    std::size_t constant = 0;
    double value = 0.0;                          ///< SI; found by bisection, and evaluated
    double factor = 1.0;                         ///< the value over the nominal one, or the other way round: above 1
    std::optional<space::PointId> dominated_by;  ///< nullopt: the design is infeasible there
};

/// What would have to be otherwise for a design to leave the front.
struct PointStudy {
    std::vector<double> nominal;      ///< objectives; empty if the design is infeasible
    std::vector<TornadoRow> tornado;  ///< effective constants, the largest effect on an objective first
    /// None for a design that is not on the front as assumed.
    std::vector<Departure> departures;  ///< by factor: the smallest change first; at most one per constant and end
};

}  // namespace pimdse::dse::search
