#include "dse/search/certificate_check.hpp"

#include "dse/search/bounded_search_strategy.hpp"
#include "dse/search/ideal_point.hpp"
#include "dse/search/strategy.hpp"
#include "dse/space/evaluation.hpp"
#include "tests/unit/dse/made_up_space.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <functional>

namespace pimdse::dse::search::certificate_check_test {
namespace {

using models::Fidelity;
using search::Certificate;
using space::PointId;
using ::testing::Contains;
using ::testing::HasSubstr;

/// A search that has come to its end, and what it says of it.
struct Ended {
    explicit Ended(space::Space made, bool boxes) : space(std::move(made)), store(space.metrics().size()) {
        auto const strategy = boxes ? make_box_search(space) : make_strategy(space);
        while (true) {
            auto const batch = strategy->ask(1 << 20);
            if (batch.empty()) break;
            for (std::uint64_t i = 0; i < batch.size(); ++i) {
                store.insert(space::evaluate(space, batch.task(i)));
                strategy->tell(space::evaluate(space, batch.task(i)));
            }
        }
        certificate = *strategy->certificate();
    }
    [[nodiscard]] std::vector<std::string> wrong(std::function<void(Certificate&)> const& change) const {
        auto changed = certificate;
        change(changed);
        return wrong_in_certificate(changed, store, space);
    }
    space::Space space;
    search::ResultStore store;
    Certificate certificate;
};

Ended ended(bool boxes, std::vector<std::string> const& conditions = {}, std::uint64_t audit = 0) {
    auto space = dse::testing::made_up_space({dse::testing::made_up_machine(
        {.rows = dse::testing::up_to(30), .depth = {1, 2, 4, 8, 16, 32}, .modes = 3, .clocks = {1e9, 2e9}},
        conditions)});
    space.set_search({.strategy = "ladder", .audit = audit});
    return Ended(std::move(space), boxes);
}

TEST(CertificateCheck, finds_nothing_wrong_with_what_a_search_says) {
    for (bool const boxes : {false, true}) {
        for (std::vector<std::string> const& conditions :
             {std::vector<std::string>{}, {"latency <= 25 s"}, {"rows * depth < 300", "energy <= 90 J"}}) {
            auto const run = ended(boxes, conditions);
            EXPECT_EQ(run.wrong([](Certificate&) {}), std::vector<std::string>{}) << "boxes: " << boxes;
            EXPECT_FALSE(run.certificate.pruned.empty());
            EXPECT_FALSE(run.certificate.equal_keys.empty()) << "the clock decides nothing";
        }
    }
}

/// Every way to say something else of a point that is listed.
std::vector<std::pair<std::string, std::function<void(Certificate&)>>> lies_of_lists() {
    return {
        {"is in no list", [](Certificate& c) { c.pruned.pop_back(), c.witnesses.pop_back(); }},
        {"is in two lists", [](Certificate& c) { c.open.push_back(c.pruned.front()); }},
        {"is in two lists", [](Certificate& c) { c.equal_keys[0] = c.pruned[0]; }},
        {"is beyond its space", [](Certificate& c) { c.open.push_back(PointId{c.points}); }},
        {"is beyond its space", [](Certificate& c) { c.pruned[0] = PointId{~std::uint64_t{0}}; }},
        {"has a witness without a result", [](Certificate& c) { c.witnesses[3] = c.pruned[3]; }},
        {"could be better than the certificate states", [](Certificate& c) { c.best[1][5] *= 1.01; }},
        {"could be better than its witness", [](Certificate& c) { c.best[0][5] = 0.0; }},
        {"counts 0 infeasible points", [](Certificate& c) { c.infeasible = 0; }},
        {"another number of points", [](Certificate& c) { ++c.points; }},
        {"for other objectives", [](Certificate& c) { c.best.pop_back(); }},
        {"for other objectives", [](Certificate& c) { c.grounds.emplace_back(); }},
    };
}

TEST(CertificateCheck, finds_every_kind_of_lie_about_listed_points) {
    auto const run = ended(false);
    for (auto const& [sentence, lie] : lies_of_lists()) EXPECT_THAT(run.wrong(lie), Contains(HasSubstr(sentence)));
}

TEST(CertificateCheck, finds_equal_keys_that_differ) {
    auto const run = ended(false);
    auto const other = [&](PointId than) {
        for (std::size_t i = 0;; ++i)
            if (run.certificate.representatives[i] != than) return run.certificate.representatives[i];
    };
    EXPECT_THAT(run.wrong([&](Certificate& c) { c.representatives[0] = other(c.representatives[0]); }),
                Contains(says("cycle-key")));
    EXPECT_THAT(run.wrong([](Certificate& c) { c.representatives[0] = PointId{c.points}; }),
                Contains(says("cycle-key-2")));
    EXPECT_THAT(run.wrong([](Certificate& c) { c.representatives[0] = c.equal_keys[0]; }),
                Contains(says("representative-without-result")));
}

/// Every point taken out of its place, one after the other.
TEST(CertificateCheck, misses_no_point_that_is_left_out) {
    auto const run = ended(false);
    for (std::size_t i = 0; i < run.certificate.pruned.size(); i += 7) {
        auto const at = static_cast<std::ptrdiff_t>(i);
        EXPECT_THAT(run.wrong([&](Certificate& c) {
            c.pruned.erase(c.pruned.begin() + at);
            c.witnesses.erase(c.witnesses.begin() + at);
            for (auto& best : c.best) best.erase(best.begin() + at);
        }),
                    Contains(HasSubstr("is in no list")))
            << "pruned point " << i;
    }
}

TEST(CertificateCheck, finds_every_kind_of_lie_about_boxes) {
    auto const run = ended(true);
    ASSERT_FALSE(run.certificate.refused.empty());
    std::vector<std::function<void(Certificate&)>> const misplaced{
        [](Certificate& c) { ++c.pruned_extents[0]; },
        [](Certificate& c) { c.pruned[1] = c.pruned[0]; },
        [](Certificate& c) { c.equal_keys.pop_back(), c.representatives.pop_back(); },
        [](Certificate& c) {
            c.refused.push_back(PointId{c.points}), c.refused_extents.resize(4 * c.refused.size(), 1);
        },
    };
    for (auto const& lie : misplaced) EXPECT_THAT(run.wrong(lie), list("point-in-no-list"));
    EXPECT_THAT(run.wrong([](Certificate& c) { c.grids[0].sizes[0] *= 2; }), Contains(HasSubstr("numbers points")));
    EXPECT_THAT(run.wrong([](Certificate& c) { c.best[0][0] *= 1.5; }), Contains(says("could-better")));
    EXPECT_THAT(run.wrong([](Certificate& c) { c.witnesses[0] = c.pruned[0]; }),
                Contains(HasSubstr("witness without")));
    auto const feasible_as_refused = run.wrong([](Certificate& c) {
        std::size_t const axes = c.grids[0].sizes.size();
        c.refused.push_back(c.pruned.back());
        c.refused_extents.insert(c.refused_extents.end(), c.pruned_extents.end() - static_cast<std::ptrdiff_t>(axes),
                                 c.pruned_extents.end());
        c.pruned.pop_back(), c.witnesses.pop_back();
        c.pruned_extents.resize(c.pruned_extents.size() - axes);
    });
    EXPECT_THAT(feasible_as_refused, Contains(says("refused-although-bounds-allow")));
}

/// Takes the first refused box of one point out of the certificate.
PointId without_a_refused_point(Certificate& c) {
    std::size_t const axes = c.grids[0].sizes.size();
    auto const box = [&](std::size_t at) { return c.refused_extents.begin() + static_cast<std::ptrdiff_t>(at * axes); };
    std::size_t at = 0;
    while (std::any_of(box(at), box(at + 1), [](auto count) { return count != 1; })) ++at;
    auto const id = c.refused[at];
    c.refused.erase(c.refused.begin() + static_cast<std::ptrdiff_t>(at));
    c.refused_extents.erase(box(at), box(at + 1));
    return id;
}

TEST(CertificateCheck, finds_a_point_that_is_feasible_although_its_bounds_refuse_it) {
    auto const results_of = [](PointId id, models::Outcome outcome) {
        return space::Result{{id, Fidelity::cycle}, std::move(outcome), 0.0, 0};
    };
    models::Metrics const good(3, models::Estimate::exact(1e-9));
    auto boxes = ended(true), refused = ended(true), list = ended(false);
    boxes.store.insert(results_of(without_a_refused_point(boxes.certificate), good));
    EXPECT_THAT(boxes.wrong([](Certificate&) {}), Contains(says("although-bounds-refuse")));
    refused.store.insert(results_of(without_a_refused_point(refused.certificate), models::Infeasible{"fits", "no"}));
    EXPECT_EQ(refused.wrong([](Certificate&) {}), std::vector<std::string>{});
    list.store.insert(results_of(PointId{list.space.size() - 1}, good));
    EXPECT_THAT(list.wrong([](Certificate&) {}), Contains(says("although-bounds-refuse-2")));
}

TEST(CertificateCheck, finds_a_result_that_is_better_than_its_proved_bounds) {
    for (bool const boxes : {false, true}) {
        auto const run = ended(boxes);
        search::ResultStore store(3);
        bool changed = false;
        for (search::Row row = 0; row < run.store.size(); ++row) {
            auto result = run.store.result(row);
            auto* metrics = std::get_if<models::Metrics>(&result.outcome);
            if (!changed && metrics != nullptr && result.task.fidelity == Fidelity::cycle) {
                (*metrics)[0] = models::Estimate::exact((*metrics)[0].value / 2);
                changed = true;
            }
            store.insert(result);
        }
        EXPECT_THAT(wrong_in_certificate(run.certificate, store, run.space), Contains(says("better-proved-bounds")));
    }
}

TEST(CertificateCheck, counts_the_points_that_an_audit_simulated) {
    for (bool const boxes : {false, true}) {
        for (std::vector<std::string> const& conditions :
             {std::vector<std::string>{}, {"rows * depth < 300", "energy <= 90 J"}}) {
            for (std::uint64_t const audit : {0U, 1U, 40U}) {
                auto const run = ended(boxes, conditions, audit);
                EXPECT_EQ(run.wrong([](Certificate&) {}), std::vector<std::string>{}) << boxes << " " << audit;
                EXPECT_EQ(run.certificate.audited, audit);
                EXPECT_NE(run.wrong([](Certificate& c) { ++c.audited; }), std::vector<std::string>{});
                EXPECT_NE(run.wrong([](Certificate& c) { --c.audited; }), std::vector<std::string>{});
                EXPECT_NE(run.wrong([](Certificate& c) { c.audited_wrong = 1; }), std::vector<std::string>{});
                EXPECT_NE(run.wrong([](Certificate& c) { c.below = 1; }), std::vector<std::string>{});
            }
        }
    }
}

TEST(CertificateCheck, knows_points_that_an_earlier_search_simulated) {
    for (bool const boxes : {false, true}) {
        auto const audited = ended(boxes, {}, 40);
        auto later = ended(boxes);
        for (search::Row row = 0; row < audited.store.size(); ++row) later.store.insert(audited.store.result(row));
        EXPECT_EQ(later.wrong([](Certificate&) {}), std::vector<std::string>{}) << "boxes: " << boxes;
        EXPECT_NE(later.wrong([](Certificate& c) { c.audited = 40; }), std::vector<std::string>{});
    }
}

TEST(CertificateCheck, holds_where_no_design_is_feasible) {
    for (bool const boxes : {false, true}) {
        auto const run = ended(boxes, {"latency <= 1 ps"});
        EXPECT_EQ(run.wrong([](Certificate&) {}), std::vector<std::string>{}) << "boxes: " << boxes;
        EXPECT_TRUE(run.certificate.pruned.empty() && run.certificate.runs == 0);
        auto const left_out = [&](Certificate& c) {
            if (!boxes) return void(--c.infeasible);
            c.refused.pop_back();
            c.refused_extents.resize(c.refused_extents.size() - c.grids[0].sizes.size());
        };
        EXPECT_NE(run.wrong(left_out), std::vector<std::string>{});
    }
}

}  // namespace
}  // namespace pimdse::dse::search::certificate_check_test
