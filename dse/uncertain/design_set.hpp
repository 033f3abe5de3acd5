#pragma once

#include "dse/uncertain/known_results.hpp"
#include "dse/uncertain/pass.hpp"
#include "dse/uncertain/uncertainty.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace pimdse::dse::uncertain {

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

}  // namespace pimdse::dse::uncertain
