#include "dse/search/candidate_table.hpp"

#include "sim/base/check.hpp"
#include "synthetic.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <list>
#include <vector>

namespace pimdse::dse::search::in_flight_test {
namespace {

using space::PointId;

Values some_ideal_point(testing::Rng& rng) {
    return {static_cast<double>(rng.below(4)), static_cast<double>(rng.below(4)),
            99.0 - static_cast<double>(rng.below(50))};  // behind the two objectives, where nothing counts
}

TEST(InFlightPoints, name_the_last_one_that_may_dominate_a_point) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        testing::Rng rng(seed);
        InFlightPoints in_flight(2);
        std::list<InFlight> slow;
        for (std::uint64_t step = 0; step < 80; ++step) {
            if (slow.size() < 8) {
                InFlight const flight{PointId{step}, 0, {0, rng.below(5)}, some_ideal_point(rng)};
                slow.push_back(flight);
                in_flight.submit(flight);
            } else {
                auto const at = std::next(slow.begin(), static_cast<std::ptrdiff_t>(rng.below(slow.size())));
                EXPECT_EQ(in_flight.complete(at->point).ideal, at->ideal);
                slow.erase(at);
            }
            auto const ideal = some_ideal_point(rng);
            auto const id = PointId{rng.below(100)};
            InFlight const* last = nullptr;
            for (auto const& one : slow) {
                bool const worse = one.ideal[0] > ideal[0] || one.ideal[1] > ideal[1];
                bool const equal = one.ideal[0] == ideal[0] && one.ideal[1] == ideal[1];
                if (!worse && !(equal && id <= one.point)) last = &one;
            }
            auto const* blocker = in_flight.blocker_of(id, ideal);
            ASSERT_EQ(blocker == nullptr, last == nullptr);
            if (last != nullptr) {
                EXPECT_EQ(blocker->point, last->point);
            }
            for (std::uint64_t key = 0; key < 5; ++key) {
                auto const first = std::ranges::find(slow, models::CycleKey{0, key}, &InFlight::key);
                auto const* with = in_flight.with({0, key});
                ASSERT_EQ(with == nullptr, first == slow.end());
                if (with != nullptr) {
                    EXPECT_EQ(with->point, first->point);
                }
            }
        }
    }
}

TEST(InFlightPoints, do_not_land_twice) {
    InFlightPoints in_flight(1);
    in_flight.submit({PointId{4}});
    EXPECT_THROW((void)in_flight.complete(PointId{5}), sim::ContractViolation);
    (void)in_flight.complete(PointId{4});
    EXPECT_TRUE(in_flight.empty());
    EXPECT_THROW((void)in_flight.complete(PointId{4}), sim::ContractViolation);
}

TEST(CandidateTable, counts_and_lists_its_points_by_state_and_finds_them_by_id) {
    constexpr std::array states{CandidateTable::State::ready,     CandidateTable::State::in_flight,
                                CandidateTable::State::evaluated, CandidateTable::State::pruned,
                                CandidateTable::State::equal_key, CandidateTable::State::failed};
    for (bool const in_order : {true, false}) {
        testing::Rng rng(in_order ? 1 : 2);
        CandidateTable candidates;
        std::vector<PointId> ids;
        for (std::uint64_t i = 0; i < 50; ++i) ids.push_back(PointId{7 * (in_order ? i : (i * 13) % 50)});
        std::vector<CandidateTable::State> slow(ids.size(), CandidateTable::State::ready);
        std::vector<CandidateTable::Item> failed;
        for (auto const id : ids) (void)(in_order ? candidates.add(id) : candidates.add_anywhere(id));
        for (int step = 0; step < 300; ++step) {
            auto const item = static_cast<CandidateTable::Item>(rng.below(ids.size()));
            slow[item] = states[rng.below(states.size())];
            if (slow[item] == CandidateTable::State::failed) failed.push_back(item);
            candidates.set(item, slow[item]);
        }
        EXPECT_EQ(candidates.failed(), failed);
        for (auto const state : states) {
            EXPECT_EQ(candidates.count(state), static_cast<std::uint64_t>(std::ranges::count(slow, state)));
            std::vector<CandidateTable::Item> items;
            for (CandidateTable::Item i = 0; i < slow.size(); ++i) {
                if (slow[i] == state) items.push_back(i);
            }
            EXPECT_EQ(candidates.in(state), items);
        }
        for (CandidateTable::Item i = 0; i < ids.size(); ++i) EXPECT_EQ(candidates.item_of(ids[i]), i);
        EXPECT_ANY_THROW((void)candidates.item_of(PointId{3}));
    }
}

}  // namespace
}  // namespace pimdse::dse::search::in_flight_test
