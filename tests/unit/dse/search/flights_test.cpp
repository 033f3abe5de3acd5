#include "dse/search/roster.hpp"

#include "sim/base/check.hpp"
#include "synthetic.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <array>
#include <list>
#include <vector>

namespace pimdse::dse::search {
namespace {

using space::PointId;
using testing::Dice;

Values some_corner(Dice& dice) {
    return {static_cast<double>(dice.below(4)), static_cast<double>(dice.below(4)),
            99.0 - static_cast<double>(dice.below(50))};  // behind the two objectives, where nothing counts
}

TEST(Flights, name_the_last_one_that_may_cover_a_point) {
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        Dice dice(seed);
        Flights flights(2);
        std::list<Flight> slow;
        for (std::uint64_t step = 0; step < 80; ++step) {
            if (slow.size() < 8) {
                Flight const flight{PointId{step}, 0, {0, dice.below(5)}, some_corner(dice)};
                slow.push_back(flight);
                flights.launch(flight);
            } else {
                auto const at = std::next(slow.begin(), static_cast<std::ptrdiff_t>(dice.below(slow.size())));
                EXPECT_EQ(flights.land(at->point).corner, at->corner);
                slow.erase(at);
            }
            auto const corner = some_corner(dice);
            auto const id = PointId{dice.below(100)};
            Flight const* last = nullptr;
            for (auto const& one : slow) {
                bool const worse = one.corner[0] > corner[0] || one.corner[1] > corner[1];
                bool const equal = one.corner[0] == corner[0] && one.corner[1] == corner[1];
                if (!worse && !(equal && id <= one.point)) last = &one;
            }
            auto const* blocker = flights.blocker_of(id, corner);
            ASSERT_EQ(blocker == nullptr, last == nullptr);
            if (last != nullptr) {
                EXPECT_EQ(blocker->point, last->point);
            }
            for (std::uint64_t key = 0; key < 5; ++key) {
                auto const first = std::ranges::find(slow, models::CycleKey{0, key}, &Flight::key);
                auto const* with = flights.with({0, key});
                ASSERT_EQ(with == nullptr, first == slow.end());
                if (with != nullptr) {
                    EXPECT_EQ(with->point, first->point);
                }
            }
        }
    }
}

TEST(Flights, do_not_land_twice) {
    Flights flights(1);
    flights.launch({PointId{4}});
    EXPECT_THROW((void)flights.land(PointId{5}), sim::ContractViolation);
    (void)flights.land(PointId{4});
    EXPECT_TRUE(flights.empty());
    EXPECT_THROW((void)flights.land(PointId{4}), sim::ContractViolation);
}

TEST(Roster, counts_and_lists_its_points_by_state_and_finds_them_by_id) {
    constexpr std::array states{Roster::State::ready,    Roster::State::waiting, Roster::State::flying,
                                Roster::State::answered, Roster::State::closed,  Roster::State::twin,
                                Roster::State::failed};
    for (bool const in_order : {true, false}) {
        Dice dice(in_order ? 1 : 2);
        Roster roster;
        std::vector<PointId> ids;
        for (std::uint64_t i = 0; i < 50; ++i) ids.push_back(PointId{7 * (in_order ? i : (i * 13) % 50)});
        std::vector<Roster::State> slow(ids.size(), Roster::State::ready);
        std::vector<Roster::Item> failed;
        for (auto const id : ids) (void)(in_order ? roster.add(id) : roster.add_anywhere(id));
        for (int step = 0; step < 300; ++step) {
            auto const item = static_cast<Roster::Item>(dice.below(ids.size()));
            slow[item] = states[dice.below(states.size())];
            if (slow[item] == Roster::State::failed) failed.push_back(item);
            roster.set(item, slow[item]);
        }
        EXPECT_EQ(roster.failed(), failed);
        for (auto const state : states) {
            EXPECT_EQ(roster.count(state), static_cast<std::uint64_t>(std::ranges::count(slow, state)));
            std::vector<Roster::Item> items;
            for (Roster::Item i = 0; i < slow.size(); ++i) {
                if (slow[i] == state) items.push_back(i);
            }
            EXPECT_EQ(roster.in(state), items);
        }
        for (Roster::Item i = 0; i < ids.size(); ++i) EXPECT_EQ(roster.item_of(ids[i]), i);
        EXPECT_ANY_THROW((void)roster.item_of(PointId{3}));
    }
}

}  // namespace
}  // namespace pimdse::dse::search
