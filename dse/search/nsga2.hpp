#pragma once

#include "dse/search/crowding.hpp"
#include "dse/search/genome.hpp"

#include <optional>
#include <vector>

namespace pimdse::dse::search {

/// NSGA-II (Deb et al., 2002) in steady state (Durillo et al., 2009): every result joins the population at once and the
/// worst member leaves. Parents are chosen among the results so far, so results may be late. Requests depend only on
/// the results passed to tell() before them.
class Nsga2 {
  public:
    struct Settings {
        std::size_t objectives = 1;
        std::uint64_t seed = 1;
        std::size_t population = 100;
    };
    Nsga2(Genomes const& genomes, Settings settings);

    /// A point that was not requested before; nullopt if none is left.
    [[nodiscard]] std::optional<CodedPoint> ask();
    void tell(CodedPoint point, ObjectiveValues const& objective_values);
    /// Adds a known result before the first ask(): a possible parent that is never requested.
    void know(CodedPoint const& point, ObjectiveValues const& objective_values);

  private:
    [[nodiscard]] std::size_t tournament();
    [[nodiscard]] CodedPoint child();
    [[nodiscard]] std::optional<CodedPoint> unseen_child();
    void drop_worst();

    Genomes const& genomes_;
    Settings settings_;
    Rng rng_;
    DuplicateFilter duplicates_;
    std::size_t founders_ = 0;        ///< points without parents, requested or known
    std::vector<CodedPoint> points_;  ///< the population, the oldest first
    std::vector<ObjectiveValues> values_;
    std::vector<Fitness> fitness_;
};

/// A crossover of two points with the same genome: ordinals by simulated binary crossover (Deb and Agrawal, 1995)
/// rounded to integers, choices from either parent, orderings by order crossover.
[[nodiscard]] CodedPoint crossed(CodedPoint const& one, CodedPoint const& other, Genome const& genome, Rng& rng);

/// Mutates about one gene: an ordinal by a polynomial mutation (Deb and Goyal, 1996) of at least one step, a choice to
/// any other value, an ordering by a swap or an insertion.
void mutate(CodedPoint& point, Genome const& genome, Rng& rng);

}  // namespace pimdse::dse::search
