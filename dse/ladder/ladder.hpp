#pragma once

#include "dse/front/pareto_tree.hpp"
#include "dse/ladder/corner.hpp"
#include "dse/ladder/ranking.hpp"
#include "dse/task/answer.hpp"
#include "dse/task/certificate.hpp"
#include "models/contract/cycle_key.hpp"

#include <cstdint>
#include <functional>
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

    [[nodiscard]] std::uint64_t runs() const { return runs_; }
    [[nodiscard]] std::size_t points() const { return ids_.size(); }
    /// Members of the front, ids ascending.
    [[nodiscard]] std::vector<front::ParetoTree::Entry> members() const;
    /// Of these points; `infeasible`, `points` and `lag` are for the caller to fill in. What is not decided is open.
    [[nodiscard]] task::Certificate certificate() const;

  private:
    using Item = Ranking::Item;
    enum class State : std::uint8_t { ready, waiting, flying, answered, closed, twin, failed };
    struct Flying {
        Item item = 0;
        models::CycleKey key;
        Values corner{};
        bool confirms = false;  ///< is a twin on the front, answered so that the front has its answer
        std::vector<Item> waiting;
    };
    struct Done {
        Reply reply;
        Item item = 0;
    };

    [[nodiscard]] Values corner_of(Item item) const;
    [[nodiscard]] bool covered(Item item, Values const& corner) const;
    [[nodiscard]] Item item_of(task::PointId point) const;
    [[nodiscard]] bool may_run() const { return settings_.most_runs == 0 || runs_ < settings_.most_runs; }
    void rank();
    /// Closes it, lets it wait or settles it, or else gives its key.
    [[nodiscard]] std::optional<models::CycleKey> key_to_run(Item item);
    [[nodiscard]] Flying* blocker_of(Item item, Values const& corner);
    void launch(Item item, models::CycleKey key, bool confirms);
    void launch_confirmations(std::uint64_t most, std::vector<task::PointId>& into);
    [[nodiscard]] Flying take_flying(task::PointId point);
    void settle(Item item, Reply const& reply);
    void settle_twin(Item item, Done const& done);
    void confirm(Flying const& flying, Reply const& reply) const;
    void check_bounds(Item item, Values const& values);
    void widen(std::size_t objective, double low, double value);
    void open_again();
    [[nodiscard]] std::vector<front::ParetoTree::Entry> witnesses() const;
    void put(Item item, std::span<front::ParetoTree::Entry const> witnesses, task::Certificate& into) const;
    void put_closed(Item item, task::PointId witness, task::Certificate& into) const;

    Settings settings_;
    KeyOf key_of_;
    std::vector<task::PointId> ids_;
    std::vector<double> lows_;  ///< as they were given, the objectives of a point together
    std::vector<std::uint8_t> calibrated_;
    std::vector<State> states_;
    std::map<Item, Item> twins_;  ///< and whom they are twins of
    Ranking ranking_;
    bool ranked_ = false;
    front::ParetoTree front_;
    std::vector<Flying> flying_;  ///< in the order in which they were asked for
    std::map<models::CycleKey, Done> done_;
    Values slack_{};  ///< per objective, of calibrated lows
    std::uint64_t runs_ = 0, below_ = 0;
};

}  // namespace pimdse::dse::ladder
