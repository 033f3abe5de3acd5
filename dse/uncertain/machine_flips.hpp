#pragma once

#include "dse/search/result_store.hpp"
#include "dse/space/space.hpp"
#include "dse/uncertain/design_set.hpp"
#include "dse/uncertain/robust_front.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace pimdse::dse::uncertain {

/// Sets each effective constant alone to both ends of its range, and finds by bisection where another machine becomes
/// the best in an objective; every value is evaluated. Empty for a space of one machine. `possible`: the designs that
/// may be on the front; the best ones of each machine in each objective, as assumed, are tried, so that a flip to
/// another design is missed.
[[nodiscard]] std::vector<MachineFlip> machine_flips(space::Space const& space, search::ResultStore const& store,
                                                     std::vector<UncertainConstant> const& constants,
                                                     std::vector<bool> const& effective,
                                                     std::vector<space::PointId> const& possible,
                                                     models::Fidelity fidelity, KnownResults& known);

/// A constant that alone makes another machine the best.
struct FinalistFlip {
    std::size_t constant = 0;  ///< in Uncertainty::constants
    double beyond = 0.0;       ///< SI: the value nearest to the nominal one at which `wins` is the best
    std::size_t wins = 0;      ///< machine
};

/// A design that may be the best.
struct Finalist {
    std::size_t machine = 0;
    std::vector<models::Value> point;
    double nominal = 0.0;  ///< its objective
};

/// How sure it is which of a few designs is the best, and whose.
struct FinalistStanding {
    std::uint64_t draws = 0;                     ///< of all constants
    std::uint64_t stays = 0, machine_stays = 0;  ///< those in which the best design, and its machine, is the same
    std::vector<FinalistFlip> flips;             ///< to another machine, in the order of the constants
};

/// Is told how many of how many draws and ends of ranges were looked at, by any thread, one after the other.
using FinalistWatch = std::function<void(std::size_t done, std::size_t all)>;

/// Draws the constants, and sets each alone to both ends of its range, for these designs of the machines of a space, in
/// its only objective. A design is served only where what is known of it before it serves does not tell that another
/// one is better. All designs are feasible, the best one is the first: of equal designs the first one counts. Throws
/// InputError.
[[nodiscard]] FinalistStanding finalist_standing(space::Space const& space, Uncertainty const& uncertainty,
                                                 std::vector<Finalist> const& designs, FinalistWatch const& watch = {});

}  // namespace pimdse::dse::uncertain
