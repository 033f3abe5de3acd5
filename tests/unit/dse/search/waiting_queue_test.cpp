#include "dse/search/waiting_queue.hpp"

#include "synthetic.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace pimdse::dse::search::waiting_queue_test {
namespace {

using space::PointId;

struct Queued {
    std::uint64_t number = 0;
    Values ideal{};
    PointId id{number};
    bool operator<(Queued const& other) const { return number < other.number; }
};

/// What decides things: the values of a front, and points in flight with their ideal points.
struct Judge {
    std::size_t objectives = 1;
    std::vector<Values> front;
    std::map<PointId, Values> in_flight;
    mutable std::uint64_t judged = 0;

    [[nodiscard]] bool reaches(Values const& good, Values const& ideal) const {
        return std::equal(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(objectives), ideal.begin(),
                          [](double a, double b) { return a <= b; });
    }
    [[nodiscard]] SearchStatus operator()(PointId id, Values const& ideal) const {
        ++judged;
        for (auto const& values : front)
            if (reaches(values, ideal)) return {SearchStatus::Kind::dominated, {}};
        for (auto const& [point, values] : in_flight)
            if (reaches(values, ideal) && (point < id || !reaches(ideal, values)))
                return {SearchStatus::Kind::blocked, point};
        return {};
    }
};

/// Visits until something is free; what is dominated goes to `pruned`.
std::optional<std::uint64_t> next_free(WaitingQueue<Queued>& queue, Judge const& search,
                                       std::set<std::uint64_t>& pruned) {
    while (!queue.idle()) {
        auto const thing = queue.visit(search, [&](Queued const& one) { pruned.insert(one.number); });
        if (!thing) continue;
        auto const status = search(thing->id, thing->ideal);
        if (status.kind == SearchStatus::Kind::free) return thing->number;
        if (status.kind == SearchStatus::Kind::dominated) pruned.insert(thing->number);
        if (status.kind == SearchStatus::Kind::blocked) queue.wait_for(status.by, *thing, thing->id, thing->ideal);
    }
    return std::nullopt;
}

/// The same with a list.
std::optional<std::uint64_t> next_free(std::map<std::uint64_t, Values>& list, Judge const& search,
                                       std::set<std::uint64_t>& pruned) {
    for (auto at = list.begin(); at != list.end();) {
        auto const status = search(PointId{at->first}, at->second);
        if (status.kind == SearchStatus::Kind::free) return list.extract(at).key();
        if (status.kind == SearchStatus::Kind::dominated) pruned.insert(at->first);
        at = status.kind == SearchStatus::Kind::dominated ? list.erase(at) : std::next(at);
    }
    return std::nullopt;
}

TEST(WaitingQueue, frees_and_prunes_what_a_list_that_is_judged_one_by_one_does) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        testing::Rng rng(seed);
        std::size_t const objectives = 1 + rng.below(3);
        auto const some_values = [&] {
            Values values{};
            for (std::size_t i = 0; i < objectives; ++i) values[i] = static_cast<double>(rng.below(6));
            return values;
        };
        Judge search{objectives, {}, {}};
        WaitingQueue<Queued> queue(objectives);
        std::map<std::uint64_t, Values> list, ideals;
        std::set<std::uint64_t> pruned, pruned_in_list;
        for (std::uint64_t number = 0; number < 60; ++number) {
            Queued const thing{number, some_values()};
            queue.put(thing, thing.id, thing.ideal);
            list[number] = ideals[number] = thing.ideal;
        }
        for (int step = 0; step < 200; ++step) {
            if (search.in_flight.empty() || rng.one_in(2)) {
                auto const free = next_free(queue, search, pruned);
                ASSERT_EQ(free, next_free(list, search, pruned_in_list)) << "seed " << seed;
                if (free) search.in_flight[PointId{*free}] = ideals[*free];
            } else {
                auto const at =
                    std::next(search.in_flight.begin(), static_cast<int>(rng.below(search.in_flight.size())));
                if (rng.one_in(4)) search.front.push_back(some_values());
                queue.release(at->first);
                search.in_flight.erase(at);
            }
        }
        std::set<std::uint64_t> left, left_in_list;
        queue.each(queue.size(), [&](Queued const& thing) { left.insert(thing.number); });
        EXPECT_EQ(left.size(), queue.size());
        for (auto const& [number, ideal] : list) left_in_list.insert(number);
        for (auto const number : pruned_in_list)  // the queue does not look at what waits
            if (!pruned.contains(number)) left_in_list.insert(number);
        EXPECT_EQ(left, left_in_list);
        EXPECT_TRUE(std::ranges::includes(pruned_in_list, pruned));
    }
}

TEST(WaitingQueue, judges_few_things_where_each_result_releases_all_and_the_next_point_blocks_them_again) {
    constexpr std::uint64_t count = 20'000, equal = 100;
    Judge search;
    WaitingQueue<Queued> queue(1);
    std::set<std::uint64_t> pruned;
    std::vector<Queued> things;
    for (std::uint64_t number = 0; number < count; ++number) {
        auto const level = number / equal;  // the worse, the smaller the ids
        things.push_back({number, {static_cast<double>(level)}, PointId{count - level * equal + number % equal}});
        queue.put(things.back(), things.back().id, things.back().ideal);
    }
    for (auto const& thing : things) {
        auto const free = next_free(queue, search, pruned);
        ASSERT_EQ(free, thing.number);
        search.in_flight[thing.id] = thing.ideal;
        EXPECT_FALSE(next_free(queue, search, pruned));
        search.in_flight.clear();
        queue.release(thing.id);
    }
    EXPECT_TRUE(pruned.empty());
    EXPECT_LT(search.judged, 8 * count) << "a list is judged " << count * count / 2 << " times";
}

}  // namespace
}  // namespace pimdse::dse::search::waiting_queue_test
