#include "dse/ladder/ladder.hpp"
#include "dse/ladder/broken.hpp"
#include "dse/ladder/gap.hpp"
#include "synthetic.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::ladder {
namespace {

using testing::Dice;
using testing::Synthetic;

/// What a search asked for, in order.
using Log = std::vector<std::uint64_t>;

/// Of what is under way, but for twins that are answered again in the end.
void expect_antichain(std::vector<task::PointId> const& flying, Synthetic const& truth) {
    for (auto const a : flying) {
        for (auto const b : flying) {
            bool as_good = a != b;
            for (std::size_t i = 0; i < truth.objectives; ++i)
                as_good = as_good && truth.corners[index_of(a)].low[i] <= truth.corners[index_of(b)].low[i];
            ASSERT_FALSE(as_good) << "a point is under way that another one under way may cover";
        }
    }
}

/// Answers in an order that the seed decides, up to `lag` under way.
Log climb(Ladder& ladder, Synthetic const& truth, std::uint64_t lag, std::uint64_t seed, bool audits = false) {
    Dice dice(seed);
    Log log;
    std::vector<task::PointId> flying;
    std::set<std::uint64_t> told;
    while (true) {
        for (auto const point : ladder.ask(lag - flying.size())) {
            flying.push_back(point);
            log.push_back(index_of(point));
        }
        if (flying.empty()) return log;
        bool const confirming = told.contains(truth.keys[index_of(flying.front())]);
        if (!confirming && !audits) expect_antichain(flying, truth);
        auto const pick = flying.begin() + static_cast<std::ptrdiff_t>(dice.below(flying.size()));
        auto const point = *pick;
        flying.erase(pick);
        told.insert(truth.keys[index_of(point)]);
        ladder.tell(point, truth.reply(index_of(point)));
    }
}

Ladder ladder_on(Synthetic const& truth, Ladder::Settings settings) {
    settings.objectives = truth.objectives;
    Ladder made(settings, [&truth](task::PointId point) { return truth.key(point); });
    for (std::uint64_t i = 0; i < truth.corners.size(); ++i) made.add(task::PointId{i}, truth.corners[i]);
    return made;
}

std::vector<std::uint64_t> ids_of(Ladder const& ladder) {
    std::vector<std::uint64_t> ids;
    for (auto const& member : ladder.members()) ids.push_back(index_of(member.point));
    return ids;
}

std::set<std::uint64_t> keys_of(Log const& log, Synthetic const& truth) {
    std::set<std::uint64_t> keys;
    for (auto const id : log) keys.insert(truth.keys[id]);
    return keys;
}

void expect_partition(task::Certificate const& certificate, Log const& log, std::uint64_t points) {
    std::vector<std::uint64_t> all = log;
    for (auto const* part : {&certificate.closed, &certificate.twins, &certificate.open}) {
        for (auto const id : *part) {
            if (std::ranges::find(log, index_of(id)) == log.end()) all.push_back(index_of(id));
        }
        EXPECT_TRUE(std::ranges::is_sorted(*part));
    }
    std::ranges::sort(all);
    std::vector<std::uint64_t> every(points);
    for (std::uint64_t i = 0; i < points; ++i) every[i] = i;
    EXPECT_EQ(all, every) << "a point is in one place";
}

void expect_covered(task::Certificate const& certificate, Synthetic const& truth) {
    for (std::size_t c = 0; c < certificate.closed.size(); ++c) {
        Values best{};
        for (std::size_t i = 0; i < truth.objectives; ++i) best[i] = certificate.best[i][c];
        best = relaxed(best, certificate.epsilon, truth.objectives);
        EXPECT_TRUE(truth.covers(index_of(certificate.witnesses[c]), best, index_of(certificate.closed[c])));
    }
    for (std::size_t t = 0; t < certificate.twins.size(); ++t)
        EXPECT_EQ(truth.keys[index_of(certificate.twins[t])], truth.keys[index_of(certificate.representatives[t])]);
}

std::vector<Synthetic::Kind> kinds() {
    std::vector<Synthetic::Kind> all;
    for (std::size_t objectives = 1; objectives <= 6; ++objectives) {
        all.push_back({.objectives = objectives});
        all.push_back({.keys = 1000, .levels = 40, .loose = 20, .objectives = objectives});
        all.push_back({.keys = 12, .levels = 4, .loose = 3, .objectives = objectives, .surprises = true});
        all.push_back({.loose = 12, .objectives = objectives, .failures = true, .surprises = true, .infinities = true});
    }
    return all;
}

TEST(Ladder, finds_the_front_and_answers_what_any_method_must_in_every_order) {
    std::uint64_t seed = 0;
    for (auto const& kind : kinds()) {
        for (int space = 0; space < 12; ++space) {
            Synthetic const truth(kind, ++seed);
            auto const front = truth.front();
            auto const needed = truth.needed_keys();
            for (std::uint64_t order = 0; order < 12; ++order) {
                auto ladder = truth.ladder();
                auto const log = climb(ladder, truth, order == 0 ? 1 : 1 + order * order, seed * 100 + order);
                ASSERT_EQ(ids_of(ladder), front);
                ASSERT_EQ(keys_of(log, truth), needed) << "neither more nor less";
                auto const certificate = ladder.certificate();
                EXPECT_EQ(certificate.runs, log.size());
                expect_partition(certificate, log, kind.points);
                expect_covered(certificate, truth);
                ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed << ", order " << order;
            }
        }
    }
}

/// Of what may still come, by definition.
std::vector<Values> still_possible(Synthetic const& truth, std::set<std::uint64_t> const& told,
                                   std::vector<Values> const& front) {
    std::vector<Values> lows;
    for (std::uint64_t id = 0; id < truth.keys.size(); ++id) {
        auto const& low = truth.corners[id].low;
        bool const known = told.contains(truth.keys[id]) && truth.reply(id).end != Reply::End::failed;
        bool const covered = std::ranges::any_of(front, [&](Values const& member) {
            return std::ranges::equal(std::span(member).first(truth.objectives), std::span(low).first(truth.objectives),
                                      std::less_equal<>());
        });
        if (!known && !covered) lows.push_back(low);
    }
    return lows;
}

/// The ladder does not know that a point is a twin before it looks at it.
bool has_untold_twins(Synthetic const& truth, std::set<std::uint64_t> const& told,
                      std::set<std::uint64_t> const& asked) {
    for (std::uint64_t id = 0; id < truth.keys.size(); ++id) {
        if (told.contains(truth.keys[id]) && !asked.contains(id)) return true;
    }
    return false;
}

TEST(Ladder, says_where_it_stands_after_every_answer) {
    std::uint64_t seed = 0, compared = 0;
    for (auto const& kind : kinds()) {
        Synthetic const truth(kind, ++seed);
        auto ladder = truth.ladder();
        std::set<std::uint64_t> told, asked;
        std::uint64_t closed = 0;
        EXPECT_EQ(ladder.standing().open, kind.points);
        EXPECT_TRUE(std::isnan(ladder.standing().gap)) << "nothing was looked at";
        std::vector<task::PointId> flying;
        for (Dice dice(seed);;) {
            for (auto const point : ladder.ask(4 - flying.size())) {
                flying.push_back(point);
                asked.insert(index_of(point));
            }
            auto const now = ladder.standing();
            EXPECT_EQ(now.flying, flying.size());
            EXPECT_GE(now.closed, closed);
            EXPECT_LE(now.closed + now.flying + now.open, kind.points);
            std::vector<Values> front;
            for (auto const& member : ladder.members()) front.push_back(member.values);
            auto const gap = gap_between(front, still_possible(truth, told, front), kind.objectives);
            EXPECT_EQ(now.gap_is_rough, gap.rough);
            bool const unseen = has_untold_twins(truth, told, asked);
            compared += unseen ? 0 : 1;
            if (!gap.rough && !unseen) EXPECT_NEAR(now.gap, gap.share, 1e-9) << "seed " << seed;
            closed = now.closed;
            if (flying.empty()) break;
            auto const pick = flying.begin() + static_cast<std::ptrdiff_t>(dice.below(flying.size()));
            auto const point = *pick;
            flying.erase(pick);
            told.insert(truth.keys[index_of(point)]);
            ladder.tell(point, truth.reply(index_of(point)));
        }
        auto const certificate = ladder.certificate();
        if (!kind.failures) EXPECT_EQ(ladder.standing().closed, certificate.closed.size());
        if (!kind.failures) EXPECT_EQ(ladder.standing().gap, 0.0);
        EXPECT_GE(ladder.standing().open, certificate.open.size()) << "of those that failed, some are covered later";
        ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
    }
    EXPECT_GE(compared, 50U) << "this test should see some";
}

TEST(Ladder, asks_for_equal_keys_once_unless_the_front_needs_an_answer_of_its_own) {
    std::uint64_t confirmed = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Synthetic const truth({.points = 80, .keys = 15, .loose = 6}, seed);
        auto ladder = truth.ladder();
        auto const log = climb(ladder, truth, 5, seed);
        auto const extra = log.size() - keys_of(log, truth).size();
        confirmed += extra;
        EXPECT_LE(extra, truth.front().size());
        for (auto const member : truth.front()) EXPECT_TRUE(std::ranges::find(log, member) != log.end());
    }
    EXPECT_GT(confirmed, 0U) << "this test should see some";
}

TEST(Ladder, says_what_is_open_where_points_fail) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Synthetic const truth({.failures = true}, seed);
        auto ladder = truth.ladder();
        (void)climb(ladder, truth, 4, seed);
        auto const certificate = ladder.certificate();
        for (auto const id : certificate.open) EXPECT_EQ(truth.reply(index_of(id)).end, Reply::End::failed);
        std::uint64_t failed = 0;
        for (std::uint64_t id = 0; id < 60; ++id) {
            failed += truth.reply(id).end == Reply::End::failed &&
                      !truth.covered_by(truth.front(), truth.corners[id].low, id);
        }
        EXPECT_EQ(certificate.open.size(), failed);
    }
}

TEST(Ladder, stops_at_its_budget_with_points_that_are_open) {
    Synthetic const truth({.points = 200, .keys = 1000, .levels = 100, .loose = 40}, 3);
    auto ladder = truth.ladder(7);
    auto const log = climb(ladder, truth, 3, 1);
    EXPECT_EQ(log.size(), 7U);
    auto const certificate = ladder.certificate();
    EXPECT_FALSE(certificate.open.empty());
    expect_partition(certificate, log, 200);
    expect_covered(certificate, truth);
}

TEST(Ladder, catches_a_low_that_was_said_to_be_proved) {
    int caught = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Synthetic truth({.points = 100, .keys = 1000, .levels = 1000, .loose = 100}, seed);
        auto const liar = truth.front().front();
        truth.corners[liar].low[0] = truth.reply(liar).values[0] + 1e-6;
        auto ladder = truth.ladder();
        try {
            (void)climb(ladder, truth, 4, seed);
        } catch (BrokenBound const& broken) {
            EXPECT_EQ(index_of(broken.point), liar);
            EXPECT_EQ(broken.objective, 0U);
            ++caught;
        }
    }
    EXPECT_EQ(caught, 100);
}

TEST(Ladder, catches_a_key_that_two_answers_share) {
    Ladder ladder({.objectives = 1}, [](task::PointId) { return models::CycleKey{1, 1}; });
    Corner corner;
    corner.low[0] = 3.0;
    ladder.add(task::PointId{4}, corner);
    corner.low[0] = 1.0;
    ladder.add(task::PointId{9}, corner);
    ASSERT_EQ(ladder.ask(5), std::vector{task::PointId{9}});
    ladder.tell(task::PointId{9}, {Reply::End::feasible, {5.0}});
    ASSERT_EQ(ladder.ask(5), std::vector{task::PointId{4}}) << "the smaller id is the one on the front";
    EXPECT_THROW(ladder.tell(task::PointId{4}, {Reply::End::feasible, {6.0}}), BrokenKey);
}

TEST(Ladder, widens_calibrated_lows_that_an_answer_is_below) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Synthetic truth({.points = 150, .keys = 1000, .levels = 1000, .loose = 200}, seed);
        for (auto& reply : truth.replies) reply.values[0] = std::abs(reply.values[0]) + 1.0;
        for (std::uint64_t id = 0; id < 150; ++id) {
            truth.corners[id].low[0] = 1.1 * truth.reply(id).values[0];
            truth.corners[id].calibrated = 1;
        }
        auto ladder = truth.ladder();
        (void)climb(ladder, truth, 4, seed);
        EXPECT_EQ(ids_of(ladder), truth.front()) << "they are all wrong by as much";
        auto const certificate = ladder.certificate();
        EXPECT_GT(certificate.below, 0U);
        EXPECT_GT(certificate.grounds[0].slack, 0.09);
        EXPECT_EQ(certificate.grounds[0].kind,
                  certificate.closed.empty() ? models::Bound::proved : models::Bound::calibrated);
        EXPECT_EQ(certificate.grounds[1].kind, models::Bound::proved);
        EXPECT_EQ(certificate.grounds[1].slack, 0.0);
    }
}

TEST(Ladder, with_an_epsilon_comes_as_near_to_every_point) {
    std::uint64_t seed = 0, exact = 0, near = 0;
    for (auto const& kind : kinds()) {
        for (double const epsilon : {0.01, 0.3}) {
            Synthetic const truth(kind, ++seed);
            auto all = truth.ladder();
            exact += climb(all, truth, 3, seed).size();
            auto ladder = ladder_on(truth, {.epsilon = epsilon});
            auto const log = climb(ladder, truth, 3, seed);
            near += log.size();
            auto const certificate = ladder.certificate();
            expect_partition(certificate, log, kind.points);
            expect_covered(certificate, truth);
            for (std::uint64_t id = 0; id < kind.points; ++id) {
                auto const reach = relaxed(truth.reply(id).values, epsilon, kind.objectives);
                auto const members = ids_of(ladder);
                bool const is_member = std::ranges::find(members, id) != members.end();
                EXPECT_TRUE(!truth.feasible(id) || is_member || truth.covered_by(members, reach, id))
                    << "seed " << seed;
            }
        }
    }
    EXPECT_LT(near, exact) << "that is what it is for";
}

TEST(Ladder, audits_closed_points_and_finds_the_same_front) {
    std::uint64_t seed = 0;
    for (auto const& kind : kinds()) {
        for (std::uint64_t const wanted : {1U, 10U, 1000U}) {
            Synthetic const truth(kind, ++seed);
            auto unaudited = truth.ladder();
            (void)climb(unaudited, truth, 3, seed);
            auto const closed = unaudited.standing().closed;
            auto ladder = ladder_on(truth, {.audit = wanted, .seed = seed});
            auto const log = climb(ladder, truth, 3, seed, true);
            auto const certificate = ladder.certificate();
            EXPECT_EQ(ids_of(ladder), truth.front());
            EXPECT_EQ(certificate.audited, std::min(wanted, closed)) << "seed " << seed;
            EXPECT_EQ(certificate.audited_wrong, 0U);
            expect_partition(certificate, log, kind.points);
            expect_covered(certificate, truth);
        }
    }
}

TEST(Ladder, finds_by_an_audit_that_calibrated_lows_closed_what_belongs_on_the_front) {
    std::uint64_t wrong = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Synthetic truth({.points = 150, .keys = 1000, .levels = 1000, .loose = 20}, seed);
        for (std::uint64_t id = 0; id < 150; ++id) {
            for (std::size_t i = 0; i < 2; ++i) {
                truth.corners[id].calibrated |= static_cast<std::uint8_t>(1U << i);
                if (id % 3 == 0) truth.corners[id].low[i] = 2000.0;  // far too high: closed by anything
            }
        }
        auto ladder = ladder_on(truth, {.audit = 150, .seed = seed});
        (void)climb(ladder, truth, 4, seed, true);
        EXPECT_EQ(ids_of(ladder), truth.front()) << "everything was audited";
        wrong += ladder.certificate().audited_wrong;
    }
    EXPECT_GT(wrong, 5U) << "this test should see some";
}

/// By definition: keys that nobody answered, of points that nobody on the front covers if lows are so much lower.
std::uint64_t price(Synthetic const& truth, std::vector<std::uint64_t> const& members, Log const& log, double share) {
    std::set<std::uint64_t> keys;
    auto const answered = keys_of(log, truth);
    for (std::uint64_t id = 0; id < truth.keys.size(); ++id) {
        auto low = truth.corners[id].low;
        for (std::size_t i = 0; i < truth.objectives; ++i) {
            if ((truth.corners[id].exact >> i & 1) == 0) low[i] -= share * std::abs(low[i]);
        }
        if (!answered.contains(truth.keys[id]) && !truth.covered_by(members, low, id)) keys.insert(truth.keys[id]);
    }
    return keys.size();
}

TEST(Ladder, says_what_lower_bounds_would_have_cost) {
    std::uint64_t more = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Synthetic truth({.points = 200, .keys = 1000, .levels = 400, .loose = 30}, seed);
        for (std::uint64_t id = 0; id < 200; id += 2) truth.corners[id].exact = 2;
        auto ladder = ladder_on(truth, {.audit = 1, .seed = seed});
        auto const log = climb(ladder, truth, 4, seed, true);
        auto const prices = ladder.certificate().prices;
        ASSERT_EQ(prices.size(), 4U);
        for (auto const& found : prices) {
            EXPECT_EQ(found.runs, price(truth, truth.front(), log, found.share)) << "seed " << seed;
            more += found.runs;
        }
        EXPECT_EQ(prices[0].share, 0.01);
        EXPECT_EQ(prices[3].share, 0.10);
    }
    EXPECT_GT(more, 40U);
}

TEST(Ladder, of_no_points_asks_for_nothing) {
    Ladder ladder({.objectives = 3}, [](task::PointId) { return models::CycleKey{}; });
    EXPECT_TRUE(ladder.ask(9).empty());
    EXPECT_TRUE(ladder.members().empty());
    EXPECT_TRUE(ladder.certificate().closed.empty());
}

}  // namespace
}  // namespace pimdse::dse::ladder
