#pragma once

#include "dse/search/archive.hpp"
#include "dse/search/crowding.hpp"
#include "dse/search/genome.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace pimdse::dse::search {

/// Pareto local search (Paquete, Chiarandini and Stuetzle, 2004) in rounds. A round starts from random points and
/// visits the neighbours of its non-dominated points, first those of members with the fewest visited neighbours, so
/// that little work is spent on a member that is soon dominated. While a round has no feasible point, its only member
/// is the point with the smallest violation (constraint domination, as in Fitness). A round ends in a local optimum:
/// every neighbour of every member is known, or cannot improve the front by its bounds.
class LocalSearch {
  public:
    /// The ideal point of a point; nullopt if it is infeasible. Called again whenever it is needed.
    using LowerBoundOf = std::function<std::optional<ParetoTree::Vector>(CodedPoint const&)>;
    struct Settings {
        std::size_t objectives = 1;
        std::uint64_t seed = 1;
        bool again = true;  ///< start another round after a local optimum
        std::size_t starts = 4;
        LowerBoundOf lower_of = {};  ///< set if evaluations cost more than lower bounds: neighbours whose lower bounds
                                     ///< are dominated are skipped
    };
    LocalSearch(Genomes const& genomes, Settings settings);

    /// A point that was not requested before; nullopt if results are needed first, or if there is none.
    [[nodiscard]] std::optional<CodedPoint> ask();
    void tell(CodedPoint const& point, ObjectiveValues const& objective_values);
    /// Adds a known result before the first ask(): a start of the first round that is never requested.
    void know(CodedPoint const& point, ObjectiveValues const& objective_values);

    /// Number of non-dominated points, of all rounds.
    [[nodiscard]] std::size_t members() const { return best_.size(); }
    /// How many of these have neighbours without a known result.
    [[nodiscard]] std::size_t unchecked() const;
    /// How often a neighbour was skipped because it could not be better.
    [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

  private:
    using Serial = std::uint64_t;
    struct Member {
        CodedPoint point;
        ObjectiveValues values;
        std::uint64_t looked = 0;  ///< number of neighbours visited
    };
    using Turn = std::pair<std::uint64_t, Serial>;  ///< neighbours visited, member
    [[nodiscard]] std::optional<CodedPoint> start();
    [[nodiscard]] std::optional<CodedPoint> next_neighbour();
    [[nodiscard]] std::optional<CodedPoint> next_neighbour_of(Serial serial, Member& member);
    [[nodiscard]] bool is_worth_asking(CodedPoint const& point) const;
    [[nodiscard]] bool enters_round(Serial serial, ObjectiveValues const& objective_values);
    [[nodiscard]] bool is_in_round(Serial serial, ObjectiveValues const& objective_values) const;
    void join(CodedPoint const& point, ObjectiveValues const& objective_values);
    void begin_round();

    Genomes const& genomes_;
    Settings settings_;
    Rng rng_;
    DuplicateFilter duplicates_;
    std::unordered_map<std::uint64_t, ObjectiveValues> known_;
    std::uint64_t in_flight_ = 0;  ///< requested and not evaluated yet
    std::uint64_t skipped_ = 0;
    ParetoTree best_;
    Serial next_ = 0;
    // Of this round:
    std::size_t begun_ = 0;                             ///< starting points
    ParetoTree round_;                                  ///< ids are serial numbers, as in best_
    std::optional<std::pair<double, Serial>> nearest_;  ///< smallest violation so far
    std::map<Serial, Member> open_;
    std::set<Turn> turns_;
};

/// Number of neighbours of a point: one step along an ordinal, any other choice, an ordering with two items swapped or
/// one item inserted elsewhere.
[[nodiscard]] std::uint64_t neighbours_of(CodedPoint const& point, Genome const& genome);

/// The neighbour with this index; all neighbours are different.
[[nodiscard]] CodedPoint neighbour(CodedPoint const& point, Genome const& genome, std::uint64_t index);

}  // namespace pimdse::dse::search
