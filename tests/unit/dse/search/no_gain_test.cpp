#include "dse/search/strategy.hpp"

#include "tests/unit/dse/small_space.hpp"

#include <gtest/gtest.h>
#include <deque>

namespace pimdse::dse::search::no_gain_test {
namespace {

space::Space stopping_after(std::uint64_t results, std::string const& strategy) {
    auto space = dse::testing::small_space();
    space.set_search({.strategy = strategy, .stop_after_no_gain = results});
    return space;
}

space::Result result(space::Task task, space::Space const& space, double latency, double power) {
    models::Metrics metrics(space.metrics().size(), models::Estimate::exact(0.0));
    metrics[space.objectives()[0].metric] = models::Estimate::exact(latency);
    metrics[space.objectives()[1].metric] = models::Estimate::exact(power);
    return {task, metrics, 0.0, 0};
}

/// How many results it is told before it asks for nothing more, one at a time.
std::size_t told(space::Space const& space, std::deque<std::pair<double, double>> values) {
    auto const strategy = make_strategy(space);
    std::size_t count = 0;
    for (auto batch = strategy->ask(1); !batch.empty() && !values.empty(); batch = strategy->ask(1), ++count) {
        strategy->tell(result(batch.task(0), space, values.front().first, values.front().second));
        values.pop_front();
    }
    return count;
}

TEST(NoGain, stops_after_so_many_results_in_a_row_that_earlier_ones_dominate) {
    std::deque<std::pair<double, double>> const values{{5, 5}, {6, 6}, {5, 5}, {4, 6}, {4, 7}, {9, 9}, {5, 6}, {1, 1}};
    for (char const* strategy : {"random", "sobol", "nsga2", "pls"}) {
        EXPECT_EQ(told(stopping_after(2, strategy), values), 3U) << strategy;
        EXPECT_EQ(told(stopping_after(3, strategy), values), 7U) << strategy;
        EXPECT_EQ(told(stopping_after(4, strategy), values), 8U) << strategy;
    }
}

TEST(NoGain, is_refused_where_a_strategy_has_an_order_of_its_own) {
    EXPECT_THROW((void)make_strategy(stopping_after(2, "sweep")), sim::InputError);
}

}  // namespace
}  // namespace pimdse::dse::search::no_gain_test
