#pragma once

#include "dse/space/space.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace pimdse::dse::uncertain {

/// The objectives of designs under settings of the uncertain constants, each computed once: pilots, draws and flips ask
/// for the same ends of ranges. Thread-safe; the space and the constants must outlive it.
class KnownResults {
  public:
    KnownResults(space::Space const& space, std::span<UncertainConstant const> constants, models::Fidelity fidelity)
        : space_(space), constants_(constants), fidelity_(fidelity) {}

    /// By design, given as points of the machine at this position; nullopt if a rule of the machine refuses the
    /// settings. Settings that the machine does not read are left out.
    [[nodiscard]] std::optional<std::vector<MaybeObjectives>> of(
        std::size_t machine, Settings const& settings, std::vector<std::vector<models::Value>> const& designs);

  private:
    using Key = std::pair<std::size_t, Settings>;
    struct Known {
        std::optional<bool> allowed{};                     ///< by the rules of the machine
        std::map<std::uint64_t, MaybeObjectives> results;  ///< by number of the point
    };

    space::Space const& space_;
    std::span<UncertainConstant const> constants_;
    models::Fidelity fidelity_;
    std::mutex guard_;
    std::map<Key, Known> known_;
};

/// A few designs, evaluated by the threads of this process under settings of the uncertain constants.
class DesignSet {
  public:
    struct Design {
        space::PointId point{};
        std::size_t machine = 0;
        std::vector<models::Value> values;
    };
    /// By design: its objectives.
    using Results = std::vector<MaybeObjectives>;

    /// Evaluates the designs with nominal constants. The arguments must outlive the set.
    DesignSet(space::Space const& space, std::vector<space::PointId> const& points, KnownResults& known);

    [[nodiscard]] std::vector<Design> const& designs() const { return designs_; }
    [[nodiscard]] Results const& nominal() const { return nominal_; }
    /// The results under some settings; nullopt if a rule of a machine refuses them. Designs of machines that read none
    /// of the constants have their nominal ones. `wanted`: positions of designs; the others are nullopt.
    [[nodiscard]] std::optional<Results> results(Settings const& settings,
                                                 std::vector<std::size_t> const& wanted) const;
    [[nodiscard]] std::optional<Results> results(Settings const& settings) const;

  private:
    space::Space const& space_;
    KnownResults& known_;
    std::vector<Design> designs_;
    std::vector<std::size_t> all_;
    Results nominal_;
};

/// A value between two others, at a share of the way; the way is logarithmic if both are above 0.
[[nodiscard]] double between(double start, double end, double share);

/// The smallest share of a way at which something is known to have turned, after it is halved so many times; at its end
/// it has. `turned`: whether it has at a share; nullopt ends the search.
[[nodiscard]] double share_that_turns(int halvings, std::function<std::optional<bool>(double)> const& turned);

}  // namespace pimdse::dse::uncertain
