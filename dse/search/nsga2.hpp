#pragma once

#include "dse/search/crowding.hpp"
#include "dse/search/genome.hpp"

#include <optional>
#include <vector>

namespace pimdse::dse::search {

/// NSGA-II (Deb et al., 2002) in steady state (Durillo et al., 2009): every answer joins the population at once and the
/// worst of it leaves. Parents are chosen among the answers told so far, so answers may be as late as they like; what
/// is asked depends on nothing but what was told before.
class Nsga2 {
  public:
    struct Settings {
        std::size_t objectives = 1;
        std::uint64_t seed = 1;
        std::size_t population = 100;
    };
    Nsga2(Genomes const& genomes, Settings settings);

    /// A point that was not asked for before; nothing where none is left.
    [[nodiscard]] std::optional<CodedPoint> ask();
    void tell(CodedPoint point, ObjectiveValues const& merit);
    /// What is known before anything is asked: a parent, and never asked for.
    void know(CodedPoint const& point, ObjectiveValues const& merit);

  private:
    [[nodiscard]] std::size_t tournament();
    [[nodiscard]] CodedPoint child();
    [[nodiscard]] std::optional<CodedPoint> unseen_child();
    void drop_worst();

    Genomes const& genomes_;
    Settings settings_;
    Rng rng_;
    DuplicateFilter duplicates_;
    std::size_t founders_ = 0;        ///< points that need no parents, asked for or known
    std::vector<CodedPoint> points_;  ///< the population, the oldest first
    std::vector<ObjectiveValues> merits_;
    std::vector<Fitness> fitness_;
};

/// A point between two of one genome: ordinals by simulated binary crossover (Deb and Agrawal, 1995) between whole
/// numbers, choices of either, orderings by order crossover.
[[nodiscard]] CodedPoint crossed(CodedPoint const& one, CodedPoint const& other, Genome const& genome, Rng& rng);

/// Changes about one gene: an ordinal by a polynomial mutation (Deb and Goyal, 1996) of a step or more, a choice to any
/// other, an ordering by a swap or an insertion.
void mutate(CodedPoint& point, Genome const& genome, Rng& rng);

}  // namespace pimdse::dse::search
