#pragma once

#include "dse/search/archive.hpp"
#include "dse/search/candidate_table.hpp"
#include "dse/search/certificate.hpp"
#include "dse/search/gap.hpp"
#include "dse/search/ideal_point.hpp"
#include "dse/search/waiting_queue.hpp"
#include "dse/space/result.hpp"
#include "models/contract/cycle_key.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::search {

/// The outcome of a point at cycle level.
struct Reply {
    enum class End : std::uint8_t { feasible, infeasible, failed };
    End end = End::feasible;
    Values values{};  ///< if feasible
};

/// Exact multi-fidelity branch and bound, the strategy `ladder`: finds the exact front of the cycle level from ideal
/// points (vectors of the best bounds of each point at analytic fidelity) and as few cycle-level evaluations as any
/// method needs that relies only on ideal points. Points are visited in the order of their ideal points, best first. A
/// point that a member of the front dominates is pruned; a point that a point in flight might dominate waits for that
/// one; points with one cycle key are evaluated once. With one objective every point in flight may dominate all others:
/// so that workers need not wait for each other, a batch of points is then requested at once, at most a sixteenth of
/// the evaluations so far and so at most this share more than necessary. Which keys are evaluated does not depend on
/// the order of results or on the number of points in flight, as long as no calibrated bound turns out to be wrong.
/// Dominance (dominates()) is as in ideal_point.hpp: at least as good in every objective and, if equal in all, with the
/// smaller id.
class BoundedSearch {
  public:
    struct Settings {
        std::size_t objectives = 1;
        std::uint64_t max_runs = 0;  ///< most evaluations, not counting the audit; 0: no limit
        double epsilon = 0.0;        ///< also prunes points that could improve no objective by more than this share
        std::uint64_t audit = 0;     ///< number of pruned points, picked at random, to evaluate in the end
        std::uint64_t seed = 1;      ///< seed of the audit
    };
    using KeyOf = std::function<models::CycleKey(space::PointId)>;
    /// The reason why two points cannot have the same cycle-level result, according to their coarse evaluations;
    /// nullopt if none is known.
    using DifferenceOf = std::function<std::optional<std::string>(space::PointId, space::PointId)>;
    BoundedSearch(Settings settings, KeyOf key_of, DifferenceOf difference_of = {});

    /// Adds a point that may be on the front; ids ascending, all before the first ask().
    void add(space::PointId point, IdealPoint const& ideal);
    /// Returns up to `max` points to evaluate at cycle level. Empty: results are needed first, or the search is
    /// complete. Throws BrokenBound, BrokenKey: an equal-key point takes the result of its representative here.
    [[nodiscard]] std::vector<space::PointId> ask(std::uint64_t max);
    /// The result of a requested point, in any order. Throws BrokenBound, BrokenKey.
    void tell(space::PointId point, Reply const& reply);

    // For callers that choose the visiting order themselves (by ideal points, best first), instead of add() and ask():
    /// What is left of the batch that was requested last: up to `max` points for ask() to return, before any others.
    [[nodiscard]] std::vector<space::PointId> rest_of_batch(std::uint64_t max);
    /// Begins a batch: returns how many points ask() is to request now, `max` or more. Call end_batch() after them.
    [[nodiscard]] std::uint64_t begin_batch(std::uint64_t max);
    /// Ends a batch: returns up to `max` of its points, and keeps the others for rest_of_batch().
    [[nodiscard]] std::vector<space::PointId> end_batch(std::vector<space::PointId> runs, std::uint64_t max);
    /// The status of what has this reach (of its ideal point) and no smaller id, or a worse reach.
    [[nodiscard]] SearchStatus status(space::PointId min_id, Values const& reach) const;
    /// What a member must dominate to prune a point with this ideal point.
    [[nodiscard]] Values reach(Values const& ideal) const { return lower_bounds_.reach(ideal); }
    /// For a point whose status is `free`: requests it (free), reports the point in flight whose result it needs
    /// (blocked), or takes the result of the evaluated point with its key (evaluated). Throws BrokenBound, BrokenKey.
    SearchStatus run(space::PointId point, IdealPoint const& ideal);
    /// Requests a pruned point that the audit picked, even if its cycle key has a result; both results are then
    /// compared.
    void audit(space::PointId point, IdealPoint const& ideal);
    [[nodiscard]] Audit& auditing() { return audit_; }
    /// Up to `max` equal-key points that the audit picked, to be simulated and compared with their representatives.
    [[nodiscard]] std::vector<space::PointId> audited_equal_keys(std::uint64_t max);
    /// Up to `max` equal-key points on the front without a result of their own; requests them. To be called when no
    /// other point is left to request.
    [[nodiscard]] std::vector<space::PointId> confirmations(std::uint64_t max);
    [[nodiscard]] bool has_in_flight() const { return !in_flight_.empty(); }
    [[nodiscard]] bool may_run() const {
        return settings_.max_runs == 0 ||
               runs_ - audit_.submissions() - equal_key_audit_.submissions() < settings_.max_runs;
    }
    /// An evaluated member of the front that dominates it.
    [[nodiscard]] std::optional<space::PointId> witness_of(space::PointId min_id, Values const& ideal) const;

    [[nodiscard]] std::uint64_t runs() const { return runs_; }
    [[nodiscard]] std::size_t points() const { return candidates_.size(); }
    /// The progress of the search; takes a few milliseconds at most.
    [[nodiscard]] Standing standing() const {
        auto now = standing(possible(), ranking_.ahead().size() + waiting_.size() <= max_possible);
        if (!ranked_) now.gap = std::numeric_limits<double>::quiet_NaN();
        return now;
    }
    /// The same, given the ideal points of points that are not pruned; `all`: whether these are all of them. Points
    /// that were never passed to run() are not counted.
    [[nodiscard]] Standing standing(std::vector<Values> others, bool all) const;
    /// Ideal points of points that are known here and not pruned: of failed points, of points in flight, and of the
    /// first `max_possible` points to be visited next or that wait.
    [[nodiscard]] std::vector<Values> possible() const {
        std::vector<Values> lower_bounds;
        for (auto const item : candidates_.failed()) lower_bounds.push_back(ideal_point_of(item));
        for (auto const& in_flight : in_flight_.all()) lower_bounds.push_back(in_flight.ideal);
        waiting_.each(max_possible, [&](auto rank) { lower_bounds.push_back(ideal_point_of(ranking_.at(rank))); });
        auto const ahead = ranking_.ahead();
        for (auto const item :
             ahead.first(std::min(ahead.size(), max_possible - std::min(waiting_.size(), max_possible))))
            lower_bounds.push_back(ideal_point_of(item));
        return lower_bounds;
    }
    static constexpr std::size_t max_possible = 4096;
    /// The members of the front, ids ascending.
    [[nodiscard]] std::vector<ParetoTree::Entry> members() const;
    /// The certificate for the points added; the caller fills in `infeasible`, `points` and `lag`. Undecided points are
    /// open.
    [[nodiscard]] Certificate certificate() const;

  private:
    using Item = CandidateTable::Item;
    using State = CandidateTable::State;
    struct Done {
        Reply reply;
        Item item = 0;
    };

    [[nodiscard]] Values ideal_point_of(Item item) const { return lower_bounds_.of(item); }
    /// The member of the front that dominates every point with this reach (or a worse one) and an id not smaller than
    /// `min_id`; nullptr if there is none.
    [[nodiscard]] Entry const* dominator_of(space::PointId min_id, Values const& reach) const;
    [[nodiscard]] bool dominated(Item item, Values const& ideal) const {
        return dominator_of(candidates_.id(item), reach(ideal)) != nullptr;
    }
    /// The member, or the evaluated point whose result it has.
    [[nodiscard]] space::PointId evaluated_for(space::PointId member) const {
        auto const equal_key = equal_keys_.find(candidates_.item_of(member));
        return equal_key != equal_keys_.end() && candidates_.state(equal_key->first) != State::evaluated
                   ? candidates_.id(equal_key->second)
                   : member;
    }
    void rank();
    /// The next item to visit: those whose blocker has a result rank before all that were never visited.
    [[nodiscard]] std::optional<Item> next_item();
    void wait_for(space::PointId by, Item item) {
        waiting_.wait_for(by, ranking_.rank_of(item), candidates_.id(item), reach(ideal_point_of(item)));
    }
    /// Prunes the item, lets it wait, or settles it with the result of its key; otherwise returns its cycle key to be
    /// submitted.
    [[nodiscard]] std::optional<models::CycleKey> key_to_run(Item item);
    void submit(Item item, models::CycleKey key, InFlight::Why why);
    void settle(Item item, Reply const& reply);
    void settle_equal_key(Item item, Done const& done);
    /// True if it belongs on the front.
    [[nodiscard]] bool is_missing(Item item, Reply const& reply) const;
    void audit(Item item, models::CycleKey key);
    [[nodiscard]] std::vector<space::PointId> audited(std::uint64_t max);
    [[nodiscard]] std::vector<Certificate::BoundSensitivity> sensitivities() const;
    void confirm(InFlight const& in_flight, Reply const& reply);
    void compare(Item item, Reply const& reply, Done const& done) const;
    void check_bounds(Item item, Values const& values);
    void open_again();
    void put(Item item, Witnesses const& witnesses, Certificate& into) const;

    Settings settings_;
    KeyOf key_of_;
    DifferenceOf difference_of_;
    CandidateTable candidates_;
    LowerBounds lower_bounds_;
    std::map<Item, Item> equal_keys_;      ///< equal-key points and their representatives
    Ranking ranking_;                      ///< of the items that were not visited yet
    WaitingQueue<std::uint32_t> waiting_;  ///< ranks of items that wait, or did
    bool ranked_ = false;
    ParetoTree front_;
    InFlightPoints in_flight_;
    std::map<models::CycleKey, Done> done_;
    Audit audit_, equal_key_audit_;
    std::vector<Item> to_audit_;             ///< points that were pruned when the audit began
    std::vector<Item> equal_keys_to_audit_;  ///< equal-key points when their audit began
    std::vector<Certificate::BoundSensitivity> sensitivities_;
    std::vector<space::PointId> batch_;  ///< requested points that ask() did not return yet, the last one first
    bool in_batch_ = false;              ///< what a point in flight may dominate is requested all the same
    std::uint64_t runs_ = 0, below_ = 0;
};

}  // namespace pimdse::dse::search
