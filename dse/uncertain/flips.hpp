#pragma once

#include "dse/space/space.hpp"
#include "dse/space/space_reader.hpp"
#include "dse/uncertain/uncertainty.hpp"
#include "dse/uncertain/winners.hpp"
#include "models/contract/value.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::uncertain {

/// An assumption, or an uncertain constant, with a value other than that of the space.
struct Variation {
    std::string assumption;  ///< "view", "sram_leakage", "batch"
    std::string from, to;    ///< values as texts
    std::vector<space::Override> overrides;
    bool numeric = false;           ///< true: the assumption may have any value between `start` and `end`
    double start = 0.0, end = 0.0;  ///< if numeric: the value of the space and the value of the variation, in SI
    std::string unit;               ///< if numeric: unit of the texts
    std::string key;                ///< if numeric: name of the override; "" for an uncertain constant
    std::optional<std::size_t> constant{};  ///< position of the uncertain constant

    /// Overrides that set the assumption to a value [SI]. Precondition: numeric.
    [[nodiscard]] std::vector<space::Override> overrides_at(double value) const;
};

/// Variations of each assumption that affects a machine of the space: every other choice, or both ends of the range
/// that its source states.
[[nodiscard]] std::vector<Variation> variations_of(space::Space const& space);

struct FlipSettings {
    std::size_t kept = 64;  ///< designs kept per machine and question from the sweep of each view: the candidates
    /// True: evaluates the whole space for every variation, not only the candidates. Among candidates a flip can be
    /// missed, if the design that would win is not among the best of its machine in any view.
    bool full = false;
    int threads = 0;  ///< 0: as many as the host allows
    /// Constants that are varied like assumptions, and drawn together `samples` times.
    std::optional<Uncertainty> uncertainty{};
    std::function<void(std::string const&)> progress{};  ///< receives the name of each step; may be empty
};

/// A question (winners.hpp) whose winner changes under a variation.
struct Flip {
    std::size_t question = 0, variation = 0;   ///< positions in the report
    std::optional<std::size_t> before, after;  ///< positions of machines; nullopt: no machine has a feasible design
    Ranked design;                             ///< best design of the new winner, if there is one
    /// Under the variation, how many times worse the old winner's best design is than the new winner's (1 or more); NaN
    /// if one of them has no feasible design.
    double ratio = 1.0;
    /// Numeric assumptions only: a value [SI] at which the winner changes, found by bisection to 1/1024 of the range,
    /// which is divided logarithmically if both ends are positive. If the winner changes several times, one of them.
    std::optional<double> break_even;
};

/// How often the machines have the best design of a question.
using DrawsWon = std::vector<std::uint64_t>;  ///< by machine; draws without a feasible design are in none

struct FlipReport {
    std::vector<Question> questions;
    std::vector<MachineRanking> as_assumed;  ///< by question, over the whole space
    std::vector<Variation> variations;
    std::vector<Flip> flips;
    std::uint64_t points = 0;                    ///< number of points of the space
    std::uint64_t candidates = 0;                ///< number of designs evaluated for each variation
    std::uint64_t draws = 0, refused_draws = 0;  ///< draws of uncertain constants; those that rules refuse
    std::vector<DrawsWon> draws_won;             ///< by question, if there are draws
    std::size_t constants_in_effect = 0;         ///< number of uncertain constants that change a best value
    /// Positions of the questions whose winner no variation changes.
    [[nodiscard]] std::vector<std::size_t> robust() const;
};

/// Evaluates the space as assumed and under the other view, then varies each assumption alone. `parse` makes the space
/// with additional overrides, which must not change the ids of points. Throws InputError if `parse` does.
using Parse = std::function<space::Space(std::vector<space::Override> const&)>;
[[nodiscard]] FlipReport flips_of(Parse const& parse, FlipSettings const& settings);

/// A parameter whose value in best designs of a machine is the smallest or the largest that the space offers, although
/// the architecture allows others. The comparison may then rest on the range.
struct AxisEnd {
    std::size_t machine = 0, parameter = 0;  ///< positions in the space and in the machine
    models::Value value;
    bool largest = false;
    std::size_t designs = 0;       ///< number of best designs with this value
    std::size_t best_designs = 0;  ///< number of best designs of the machine: one per question that it can answer
};

/// By machine and parameter; the smallest value before the largest. Numbers only, of parameters with several values.
[[nodiscard]] std::vector<AxisEnd> axis_ends_of(space::Space const& space, FlipReport const& report);

}  // namespace pimdse::dse::uncertain
