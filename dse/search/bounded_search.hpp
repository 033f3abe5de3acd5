#pragma once

#include "dse/search/archive.hpp"
#include "dse/search/candidate_table.hpp"
#include "dse/search/certificate.hpp"
#include "dse/search/gap.hpp"
#include "dse/search/ideal_point.hpp"
#include "dse/space/result.hpp"
#include "models/contract/cycle_key.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::search {

/// What a point came to at cycle level.
struct Reply {
    enum class End : std::uint8_t { feasible, infeasible, failed };
    End end = End::feasible;
    Values values{};  ///< of a feasible one
};

/// How a point, or a box of points, stands by the best it may come to and its smallest id.
struct SearchStatus {
    enum class Kind : std::uint8_t { free, dominated, blocked, evaluated };
    Kind kind = Kind::free;
    space::PointId by{};  ///< what is under way and may cover it, or has its key; of `covered`: the member that does
};

/// Finds the exact front of points of which only a best ideal point is known, by answers to as few of them as any
/// method needs that trusts ideal points: best ideal point first; what a member of the front covers is closed; what a
/// point under way might cover waits for it; points of one cycle key are answered once. Which keys are answered does
/// not depend on the order of answers nor on how many are under way, as long as no calibrated ideal point turns out to
/// be wrong. covers(a, x): a is as good as x in every objective and, where it is equal in all, has the smaller id.
class BoundedSearch {
  public:
    struct Settings {
        std::size_t objectives = 1;
        std::uint64_t max_runs = 0;  ///< answers at most, but for those of the audit; 0: as many as it takes
        double epsilon = 0.0;        ///< what could improve no objective by more than this share is closed, too
        std::uint64_t audit = 0;     ///< closed points to be answered in the end, picked at random
        std::uint64_t seed = 1;      ///< of the audit
    };
    using KeyOf = std::function<models::CycleKey(space::PointId)>;
    /// Why two points cannot have one cycle-level result, as far as coarse evaluations tell; none: nothing is known.
    using DifferenceOf = std::function<std::optional<std::string>(space::PointId, space::PointId)>;
    BoundedSearch(Settings settings, KeyOf key_of, DifferenceOf difference_of = {});

    /// Every point that may be on the front, ids ascending, before anything is asked.
    void add(space::PointId point, IdealPoint const& ideal);
    /// Points to be answered at cycle level, at most so many. None: there is nothing to ask before more is told, or at
    /// all.
    /// Throws BrokenBound, BrokenKey: a twin gets the result of its representative here.
    [[nodiscard]] std::vector<space::PointId> ask(std::uint64_t max);
    /// The answer of a point that was asked for, in any order. Throws BrokenBound, BrokenKey.
    void tell(space::PointId point, Reply const& reply);

    // For who decides himself what is looked at, best ideal point first, instead of add() and ask():
    [[nodiscard]] SearchStatus status(space::PointId min_id, Values const& ideal) const;
    /// Of a point that is free: asked for by this (free), in need of an answer under way (blocked), or answered by its
    /// twin. Throws BrokenBound, BrokenKey.
    SearchStatus run(space::PointId point, IdealPoint const& ideal);
    /// Asks for a closed point that the audit picked, also where its cycle key has a result: both are compared.
    void audit(space::PointId point, IdealPoint const& ideal);
    [[nodiscard]] Audit& auditing() { return audit_; }
    /// Twins that the audit picked, to be simulated and compared with their representatives, at most so many.
    [[nodiscard]] std::vector<space::PointId> audited_equal_keys(std::uint64_t max);
    /// Twins on the front that have no answer of their own, asked for by this when nothing else is left, at most so
    /// many.
    [[nodiscard]] std::vector<space::PointId> confirmations(std::uint64_t max);
    [[nodiscard]] bool has_in_flight() const { return !in_flight_.empty(); }
    [[nodiscard]] bool may_run() const {
        return settings_.max_runs == 0 ||
               runs_ - audit_.submissions() - equal_key_audit_.submissions() < settings_.max_runs;
    }
    /// An answered member of the front that covers it.
    [[nodiscard]] std::optional<space::PointId> witness_of(space::PointId min_id, Values const& ideal) const;

    [[nodiscard]] std::uint64_t runs() const { return runs_; }
    [[nodiscard]] std::size_t points() const { return candidates_.size(); }
    /// Where it stands; costs a few milliseconds at most.
    [[nodiscard]] Standing standing() const {
        auto now = standing(possible(), ranking_.left() <= max_possible);
        if (!ranked_) now.gap = std::numeric_limits<double>::quiet_NaN();
        return now;
    }
    /// The same with the best that points may come to that are not closed; `all`: those are all there are. Of points
    /// that run() was not given it counts none.
    [[nodiscard]] Standing standing(std::vector<Values> others, bool all) const;
    /// The best that points may come to that are not closed, as far as this knows, the first `max_possible` of those
    /// to be looked at.
    [[nodiscard]] std::vector<Values> possible() const {
        std::vector<Values> lower_bounds;
        for (auto const item : candidates_.failed()) lower_bounds.push_back(ideal_point_of(item));
        for (auto const& in_flight : in_flight_.all()) {
            lower_bounds.push_back(in_flight.ideal);
            for (auto const item : in_flight.waiting) lower_bounds.push_back(ideal_point_of(item));
        }
        for (auto const item : ranking_.ahead(max_possible)) lower_bounds.push_back(ideal_point_of(item));
        return lower_bounds;
    }
    static constexpr std::size_t max_possible = 4096;
    /// Members of the front, ids ascending.
    [[nodiscard]] std::vector<ParetoTree::Entry> members() const;
    /// Of these points; `infeasible`, `points` and `lag` are for the caller to fill in. What is not decided is open.
    [[nodiscard]] Certificate certificate() const;

  private:
    using Item = CandidateTable::Item;
    using State = CandidateTable::State;
    struct Done {
        Reply reply;
        Item item = 0;
    };

    [[nodiscard]] Values ideal_point_of(Item item) const { return lower_bounds_.of(item); }
    /// The member of the front that closes what can be no better than this ideal point and has no smaller ids.
    [[nodiscard]] Entry const* dominator_of(space::PointId min_id, Values const& ideal) const;
    [[nodiscard]] bool dominated(Item item, Values const& ideal) const {
        return dominator_of(candidates_.id(item), ideal) != nullptr;
    }
    /// The member, or whose answer it has.
    [[nodiscard]] space::PointId evaluated_for(space::PointId member) const {
        auto const equal_key = equal_keys_.find(candidates_.item_of(member));
        return equal_key != equal_keys_.end() && candidates_.state(equal_key->first) != State::evaluated
                   ? candidates_.id(equal_key->second)
                   : member;
    }
    void rank();
    /// Closes it, lets it wait or settles it, or else gives its key.
    [[nodiscard]] std::optional<models::CycleKey> key_to_run(Item item);
    void submit(Item item, models::CycleKey key, InFlight::Why why);
    void settle(Item item, Reply const& reply);
    void settle_equal_key(Item item, Done const& done);
    /// True if it is worth a place on the front.
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
    std::map<Item, Item> equal_keys_;  ///< and whom they are twins of
    Ranking ranking_;
    bool ranked_ = false;
    ParetoTree front_;
    InFlightPoints in_flight_;
    std::map<models::CycleKey, Done> done_;
    Audit audit_, equal_key_audit_;
    std::vector<Item> to_audit_;             ///< what was closed when it began
    std::vector<Item> equal_keys_to_audit_;  ///< as many of them as there were when it began
    std::vector<Certificate::BoundSensitivity> sensitivities_;
    std::uint64_t runs_ = 0, below_ = 0;
};

}  // namespace pimdse::dse::search
