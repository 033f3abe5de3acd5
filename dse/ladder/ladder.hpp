#pragma once

#include "dse/front/pareto_tree.hpp"
#include "dse/ladder/corner.hpp"
#include "dse/ladder/flights.hpp"
#include "dse/ladder/ranking.hpp"
#include "dse/task/answer.hpp"
#include "dse/task/certificate.hpp"
#include "dse/task/standing.hpp"
#include "models/contract/cycle_key.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace pimdse::dse::ladder {

/// What a point came to at cycle level.
struct Reply {
    enum class End : std::uint8_t { feasible, infeasible, failed };
    End end = End::feasible;
    Values values{};  ///< of a feasible one
};

/// How a point, or a box of points, stands by the best it may come to and its smallest id.
struct Outlook {
    enum class Kind : std::uint8_t { free, covered, blocked, answered };
    Kind kind = Kind::free;
    task::PointId by{};  ///< what is under way and may cover it, or has its key; of `covered`: the member that does
};

/// Finds the exact front of points of which only a best corner is known, by answers to as few of them as any method
/// needs that trusts corners: best corner first; what a member of the front covers is closed; what a point under way
/// might cover waits for it; points of one cycle key are answered once. Which keys are answered does not depend on the
/// order of answers nor on how many are under way, as long as no calibrated corner turns out to be wrong.
/// covers(a, x): a is as good as x in every objective and, where it is equal in all, has the smaller id.
class Ladder {
  public:
    struct Settings {
        std::size_t objectives = 1;
        std::uint64_t most_runs = 0;  ///< answers at most; 0: as many as it takes
    };
    using KeyOf = std::function<models::CycleKey(task::PointId)>;
    Ladder(Settings settings, KeyOf key_of);

    /// Every point that may be on the front, ids ascending, before anything is asked.
    void add(task::PointId point, Corner const& corner);
    /// Points to be answered at cycle level, at most so many. None: there is nothing to ask before more is told, or at
    /// all.
    [[nodiscard]] std::vector<task::PointId> ask(std::uint64_t most);
    /// The answer of a point that was asked for, in any order. Throws BrokenBound, BrokenKey.
    void tell(task::PointId point, Reply const& reply);

    // For who decides himself what is looked at, best corner first, instead of add() and ask():
    [[nodiscard]] Outlook outlook(task::PointId least, Values const& corner) const;
    /// Of a point that is free: asked for by this (free), in need of an answer under way (blocked), or answered by its
    /// twin.
    Outlook run(task::PointId point, Corner const& corner);
    /// Twins on the front that have no answer of their own, asked for by this when nothing else is left, at most so
    /// many.
    [[nodiscard]] std::vector<task::PointId> confirmations(std::uint64_t most);
    [[nodiscard]] bool flies() const { return !flights_.empty(); }
    [[nodiscard]] bool may_run() const { return settings_.most_runs == 0 || runs_ < settings_.most_runs; }
    /// An answered member of the front that covers it.
    [[nodiscard]] std::optional<task::PointId> witness_of(task::PointId least, Values const& corner) const;

    [[nodiscard]] std::uint64_t runs() const { return runs_; }
    [[nodiscard]] std::size_t points() const { return ids_.size(); }
    /// Where it stands; costs a few milliseconds at most.
    [[nodiscard]] task::Standing standing() const {
        auto now = standing(possible(), ranking_.left() <= most_possible);
        if (!ranked_) now.gap = std::numeric_limits<double>::quiet_NaN();
        return now;
    }
    /// The same with the best that points may come to that are not closed; `all`: those are all there are. Of points
    /// that run() was not given it counts none.
    [[nodiscard]] task::Standing standing(std::vector<Values> others, bool all) const;
    /// The best that points may come to that are not closed, as far as this knows, the first `most_possible` of those
    /// to be looked at.
    [[nodiscard]] std::vector<Values> possible() const {
        std::vector<Values> lows;
        for (auto const item : failed_) lows.push_back(corner_of(item));
        for (auto const& flight : flights_.all()) {
            lows.push_back(flight.corner);
            for (auto const item : flight.waiting) lows.push_back(corner_of(item));
        }
        for (auto const item : ranking_.ahead(most_possible)) lows.push_back(corner_of(item));
        return lows;
    }
    static constexpr std::size_t most_possible = 4096;
    /// Members of the front, ids ascending.
    [[nodiscard]] std::vector<front::ParetoTree::Entry> members() const;
    /// Of these points; `infeasible`, `points` and `lag` are for the caller to fill in. What is not decided is open.
    [[nodiscard]] task::Certificate certificate() const;

  private:
    using Item = Ranking::Item;
    enum class State : std::uint8_t { ready, waiting, flying, answered, closed, twin, failed };
    static constexpr std::size_t state_count = 7;
    struct Done {
        Reply reply;
        Item item = 0;
    };

    void set(Item item, State state) {
        --count(states_[item]);
        states_[item] = state;
        ++count(state);
        if (state == State::failed) failed_.push_back(item);
    }
    [[nodiscard]] std::uint64_t& count(State state) { return counts_[static_cast<std::size_t>(state)]; }
    [[nodiscard]] std::uint64_t count(State state) const { return counts_[static_cast<std::size_t>(state)]; }
    [[nodiscard]] Values corner_of(Item item) const;
    [[nodiscard]] bool covered(Item item, Values const& corner) const;
    /// The member, or whose answer it has.
    [[nodiscard]] task::PointId answered_for(task::PointId member) const {
        auto const twin = twins_.find(item_of(member));
        return twin != twins_.end() && states_[twin->first] != State::answered ? ids_[twin->second] : member;
    }
    [[nodiscard]] Item item_of(task::PointId point) const;
    Item append(task::PointId point, Corner const& corner);
    void rank();
    /// Closes it, lets it wait or settles it, or else gives its key.
    [[nodiscard]] std::optional<models::CycleKey> key_to_run(Item item);
    void launch(Item item, models::CycleKey key, bool confirms);
    void settle(Item item, Reply const& reply);
    void settle_twin(Item item, Done const& done);
    void confirm(Flight const& flight, Reply const& reply) const;
    void check_bounds(Item item, Values const& values);
    void widen(std::size_t objective, double low, double value);
    void open_again();
    [[nodiscard]] std::vector<front::ParetoTree::Entry> witnesses() const;
    void put(Item item, std::span<front::ParetoTree::Entry const> witnesses, task::Certificate& into) const;
    void put_closed(Item item, task::PointId witness, task::Certificate& into) const;

    Settings settings_;
    KeyOf key_of_;
    std::vector<task::PointId> ids_;
    std::map<task::PointId, Item> places_;  ///< of points that run() was given, whose ids are in no order
    std::vector<double> lows_;              ///< as they were given, the objectives of a point together
    std::vector<std::uint8_t> calibrated_;
    std::vector<State> states_;
    std::array<std::uint64_t, state_count> counts_{};  ///< of points by state
    std::vector<Item> failed_;
    std::map<Item, Item> twins_;  ///< and whom they are twins of
    Ranking ranking_;
    bool ranked_ = false;
    front::ParetoTree front_;
    Flights flights_;
    std::map<models::CycleKey, Done> done_;
    Values slack_{};  ///< per objective, of calibrated lows
    std::uint64_t runs_ = 0, below_ = 0;
};

}  // namespace pimdse::dse::ladder
