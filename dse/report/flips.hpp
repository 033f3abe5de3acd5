#pragma once

#include "dse/report/winners.hpp"
#include "dse/space/space.hpp"
#include "dse/space/space_reader.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::report {

/// One assumption with another value than the space's.
struct Variation {
    std::string assumption;  ///< "view", "sram_leakage", "batch"
    std::string from, to;    ///< as texts
    std::vector<space::Override> overrides;
    bool numeric = false;  ///< has values between: `lower_end` and `other_end` in `unit`
    double start = 0.0, end = 0.0;
    std::string unit;
    std::string key;  ///< of a numeric one: the override's name

    /// The overrides of a value between; of a numeric one.
    [[nodiscard]] std::vector<space::Override> at(double value) const;
};

/// Each assumption that bears on a machine of the space, with every other choice, or at both ends of its stated range.
[[nodiscard]] std::vector<Variation> variations_of(space::Space const& space);

struct Settings {
    std::size_t candidates = 64;  ///< kept of each machine and question from each view's sweep
    bool full = false;            ///< sweeps the whole space for every variation instead of the candidates
    int threads = 0;
    std::function<void(std::string const&)> progress{};  ///< told what is next; may be empty
};

/// A question whose winner another assumption changes.
struct Flip {
    std::size_t question = 0, variation = 0;
    std::optional<std::size_t> before, after;  ///< machines; none: no machine has a feasible design
    Ranked design;                             ///< the new winner's, where there is one
    double ratio =
        1.0;  ///< the old winner's best over the new one's then; above 1 where less is better; NaN: infeasible
    /// The value at which the winner changes, in SI, to one part in a thousand of the way in logarithms; of numeric
    /// assumptions only.
    std::optional<double> break_even;
};

struct Report {
    std::vector<Question> questions;
    std::vector<MachineRanking> as_assumed;  ///< by question, of the whole space
    std::vector<Variation> variations;
    std::vector<Flip> flips;
    std::uint64_t points = 0;      ///< of the space
    std::uint64_t candidates = 0;  ///< evaluated for each variation
    /// Questions whose winner no variation changes.
    [[nodiscard]] std::vector<std::size_t> robust() const;
};

/// Sweeps the space as assumed and under the other view, then varies each assumption alone. `parse` makes the space
/// with further overrides; its points are numbered alike, whatever they are. Throws InputError for what `parse`
/// refuses.
using Parse = std::function<space::Space(std::vector<space::Override> const&)>;
[[nodiscard]] Report flips_of(Parse const& parse, Settings const& settings);

}  // namespace pimdse::dse::report
