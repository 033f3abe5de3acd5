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

/// Pareto local search (Paquete, Chiarandini and Stuetzle, 2004) in rounds: from random points, the neighbours of what
/// nobody in the round dominates, first those of the members of whom the fewest were looked at, so that a member that
/// is dominated soon costs little. A round ends in a local optimum: every neighbour of every member is known, or could
/// not be better at best.
class LocalSearch {
  public:
    /// The best that a point may come to; nothing if it is not feasible. It is asked for again where it is needed
    /// again.
    using LowerBoundOf = std::function<std::optional<ParetoTree::Vector>(CodedPoint const&)>;
    struct Settings {
        std::size_t objectives = 1;
        std::uint64_t seed = 1;
        bool again = true;  ///< begins another round when one has ended
        std::size_t starts = 4;
        LowerBoundOf lower_of =
            {};  ///< where answers cost more than lows: neighbours whose lows are covered are skipped
    };
    LocalSearch(Genomes const& genomes, Settings settings);

    /// A point that was not asked for before; nothing: there is none before more is told, or at all.
    [[nodiscard]] std::optional<CodedPoint> ask();
    void tell(CodedPoint const& point, ObjectiveValues const& merit);
    /// What is known before anything is asked: a start of the first round, and never asked for.
    void know(CodedPoint const& point, ObjectiveValues const& merit);

    /// What nobody dominates, of all rounds.
    [[nodiscard]] std::size_t members() const { return best_.size(); }
    /// Of these, with neighbours of which nothing is known.
    [[nodiscard]] std::size_t unchecked() const;
    /// How often a neighbour was not asked for because it could not be better.
    [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

  private:
    using Serial = std::uint64_t;
    struct Member {
        CodedPoint point;
        ParetoTree::Vector values{};
        std::uint64_t looked = 0;  ///< at so many of its neighbours
    };
    using Turn = std::pair<std::uint64_t, Serial>;  ///< neighbours looked at, member
    [[nodiscard]] std::optional<CodedPoint> start();
    [[nodiscard]] std::optional<CodedPoint> next_neighbour();
    [[nodiscard]] std::optional<CodedPoint> next_neighbour_of(Serial serial, Member& member);
    [[nodiscard]] bool is_worth_asking(CodedPoint const& point) const;
    void join(CodedPoint const& point, ObjectiveValues const& merit);
    void begin_round();

    Genomes const& genomes_;
    Settings settings_;
    Rng rng_;
    DuplicateFilter duplicates_;
    std::unordered_map<std::uint64_t, ObjectiveValues> known_;
    std::uint64_t under_way_ = 0;  ///< asked for and not told
    std::uint64_t skipped_ = 0;
    ParetoTree best_;
    Serial next_ = 0;
    // Of this round:
    std::size_t begun_ = 0;  ///< starts
    ParetoTree round_;       ///< points are serials, as they are in best_
    std::map<Serial, Member> open_;
    std::set<Turn> turns_;
};

/// How many neighbours a point has: one step along an ordinal, any other choice, an ordering with two items swapped or
/// one inserted elsewhere.
[[nodiscard]] std::uint64_t neighbours_of(CodedPoint const& point, Genome const& genome);

/// One of them; all are different.
[[nodiscard]] CodedPoint neighbour(CodedPoint const& point, Genome const& genome, std::uint64_t index);

}  // namespace pimdse::dse::search
