#include "models/service/service.hpp"

#include "models/contract/common_metrics.hpp"
#include "serving_machine.hpp"
#include "sim/base/check.hpp"
#include "tests/support/campaign.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

/// Machines under traffic.
namespace pimdse::models::service::test::service_test {
namespace {

Settings const board{{"device", "h100"}, {"llm", "llama-3.2-1b"}};
Settings with(Settings settings, Settings const& more) {
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

TEST(Service, has_the_metrics_of_its_schedule) {
    ServingMachine const machine("gpu", board);
    auto const traffic = drawn("20 1/s", 150, {{"slo.ttft", "60 ms"}, {"slo.tpot", "10 ms"}});
    auto const metrics = machine.metrics(traffic);
    ASSERT_EQ(metrics.size(), machine.table().size());
    auto const served = machine.served(traffic);
    EXPECT_EQ(machine.of(metrics, "goodput").value, served.summary.goodput);
    EXPECT_EQ(machine.of(metrics, "ttft_p99").value, served.summary.ttft->p99);
    EXPECT_EQ(machine.of(metrics, "mean_power").value, served.summary.mean_power);
    EXPECT_EQ(served.schedule.requests.size(), 150U);
    EXPECT_FALSE(applies(machine.of(metrics, "latency"))) << "there is no batch";
    EXPECT_GT(machine.of(metrics, "silicon").value, 0.0);
    EXPECT_EQ(machine.of(metrics, "ttft_p99").kinds, sim::BoundKinds{Bound::calibrated}) << "boards state a spread";
    for (auto const* name : {"mean_power", "peak_power", "energy_per_good_token", "carbon_per_good_token",
                             "cost_per_million_tokens", "good_share", "max_rate"})
        EXPECT_EQ(machine.of(metrics, name).kinds, sim::BoundKinds{Bound::none}) << name;
    ServingMachine const cycles("umdam", {{"llm", "llama-3.2-1b"}});
    EXPECT_EQ(cycles.of(cycles.metrics(drawn("1 1/s", 5), Fidelity::cycle), "mean_power").kinds,
              sim::BoundKinds{Bound::proved})
        << "a simulation is exact";
}

/// No interval has less time than the arrivals take, nor more requests a second than arrive.
TEST(Service, has_no_makespan_below_its_arrivals) {
    ServingMachine const machine("gpu", board);
    auto const traffic = drawn("2 1/s", 30);
    auto const metrics = machine.metrics(traffic);
    auto const makespan = machine.of(metrics, "makespan"), rate = machine.of(metrics, "request_rate");
    double const arriving = traffic.load.requests.back().arrival - traffic.load.requests.front().arrival;
    EXPECT_NEAR(makespan.lower, arriving, 1e-9 * arriving);
    EXPECT_LT(makespan.lower, makespan.value);
    EXPECT_NEAR(rate.upper, 30.0 / arriving, 1e-9 * rate.upper);
    EXPECT_LE(machine.of(metrics, "goodput").upper, rate.upper);
    auto const closed = read_traffic_keys({{"traffic.arrivals", "closed"},
                                           {"traffic.concurrency", "2"},
                                           {"traffic.requests", "30"},
                                           {"traffic.input", "200"},
                                           {"traffic.output", "20"}});
    auto const of_closed = machine.of(machine.metrics(closed), "makespan");
    EXPECT_NEAR(of_closed.value / of_closed.lower, of_closed.upper / of_closed.value, 1e-9) << "users wait";
}

/// Requests that arrive together, with equal lengths and all of them good, cost what their batch costs, and draw in a
/// step what it draws on average, or a little more where contexts are longer.
TEST(Service, at_once_has_the_power_and_the_cost_of_the_batch) {
    auto at_once = read_traffic_keys(
        {{"traffic.rate", "1 1/s"}, {"traffic.requests", "8"}, {"traffic.input", "512"}, {"traffic.output", "33"}});
    for (auto& request : at_once.load.requests) request.arrival = 0.0;
    for (auto const* architecture : {"gpu", "umdam", "lpddr5x_pim"}) {
        Settings const model{{"llm", "llama-3.2-1b"}};
        ServingMachine const machine(architecture, with(model, {{"scheduler.max_batched_tokens", "1000000000"}}));
        auto const& known = find_architecture(architecture);
        auto parameters = known.parameters();
        auto const point = point_with(parameters, with(model, {{"input", "512"}, {"output", "33"}, {"batch", "8"}}));
        auto const batch = std::get<Metrics>(known.evaluate(prepare(known, parameters), point, Fidelity::analytic));
        auto const of_batch = [&](char const* name) {
            return batch.at(static_cast<std::size_t>(find_metric(known.metrics(), name))).value;
        };
        double const cost = of_batch("cost_per_million_tokens"), watts = of_batch("peak_power");
        EXPECT_NEAR(machine.value(at_once, "cost_per_million_tokens"), cost, 1e-3 * cost) << architecture;
        EXPECT_GE(machine.value(at_once, "peak_power"), watts * (1.0 - 1e-9)) << architecture;
        EXPECT_LE(machine.value(at_once, "peak_power"), watts * 1.05) << architecture;
    }
}

TEST(Service, draws_at_most_its_peak_power_and_its_copies_draw_theirs_at_once) {
    auto const traffic = drawn("40 1/s", 100);
    ServingMachine const one("gpu", board), two("gpu", with(board, {{"devices", "2"}, {"data_parallel", "2"}}));
    EXPECT_GE(one.value(traffic, "peak_power"), one.value(traffic, "mean_power"));
    double const power = two.value(traffic, "peak_power");
    EXPECT_GT(power, 1.5 * one.value(traffic, "idle_power"));
    EXPECT_LE(power, 2.0 * one.value(traffic, "peak_power") * 1.2);
    EXPECT_GE(power, one.value(traffic, "peak_power"));
    EXPECT_EQ(one.of(one.metrics(traffic), "cost_per_million_tokens").kinds, sim::BoundKinds{Bound::none});
}

/// A design is infeasible where the whole load, served to its end, says that too few requests meet the limits.
TEST(Service, that_must_meet_its_limits_is_given_up_exactly_where_it_does_not) {
    int given_up = 0, served = 0;
    for (auto const* machine : {"gpu", "umdam"}) {
        ServingMachine const tried(machine, {{"llm", "llama-3.2-1b"}});
        for (auto const* rate : {"2 1/s", "10 1/s", "60 1/s"}) {
            for (auto const* ttft : {"30 ms", "200 ms", "2 s"}) {
                Settings limits{{"slo.ttft", ttft}, {"slo.tpot", "40 ms"}, {"slo.share", "0.9"}};
                auto const whole = tried.metrics(drawn(rate, 60, limits));
                limits.emplace_back("slo.required", "true");
                auto const required = drawn(rate, 60, limits);
                bool const enough =
                    tried.of(whole, "good_share").value >= 0.9 && tried.of(whole, "saturated").value == 0.0;
                EXPECT_EQ(tried.rule(required), enough ? "" : "slo") << machine << rate << ttft;
                ++(enough ? served : given_up);
                if (!enough) continue;
                auto const judged = tried.metrics(required);
                EXPECT_FALSE(applies(tried.of(judged, "max_rate"))) << "nobody asks beyond this rate";
                for (auto const* name : {"goodput", "ttft_p99", "mean_power", "peak_power", "cost_per_million_tokens"})
                    EXPECT_EQ(tried.of(judged, name).value, tried.of(whole, name).value) << name;
            }
        }
    }
    EXPECT_GE(given_up, 3);
    EXPECT_GE(served, 3);
}

TEST(Service, without_limits_must_only_keep_up) {
    ServingMachine const tried("umdam", {{"llm", "llama-3.2-1b"}});
    for (auto const* rate : {"1 1/s", "60 1/s"}) {
        bool const grows = tried.value(drawn(rate, 60), "saturated") == 1.0;
        EXPECT_EQ(grows, rate == std::string_view("60 1/s"));
        EXPECT_EQ(tried.rule(drawn(rate, 60, {{"slo.required", "true"}})), grows ? "slo" : "");
    }
}

/// What is known before and while a service runs bounds its result, and a refusal on these grounds ends it; a result
/// that is not refused has the bits of one that nobody judges.
TEST(Service, ends_when_what_is_known_of_it_is_refused) {
    int refused = 0, kept = 0;
    for (auto const* machine : {"gpu", "hbm_pim", "lpddr5x_pim"}) {
        ServingMachine const tried(machine, {{"llm", "llama-3.2-1b"}});
        auto const traffic = drawn("4 1/s", 40, {{"slo.ttft", "30 s"}, {"slo.share", "0.5"}, {"slo.required", "true"}});
        auto const whole = tried.metrics(traffic);
        auto const known = tried.known(traffic);
        ASSERT_EQ(known.size(), whole.size());
        for (auto const* exact : {"cost", "silicon"})
            EXPECT_EQ(tried.of(known, exact).value, tried.of(whole, exact).value) << machine;
        for (auto const* bounded : {"peak_power", "cost_per_million_tokens", "energy_per_good_token"}) {
            EXPECT_GT(tried.of(known, bounded).lower, 0.0) << bounded;
            EXPECT_LE(tried.of(known, bounded).lower, tried.of(whole, bounded).value) << bounded;
        }
        EXPECT_FALSE(applies(tried.of(known, "ttft_p99")));
        double const peak = tried.of(whole, "peak_power").value;
        for (double const share : {0.05, 0.5, 0.9, 0.98, 1.0, 1.5}) {
            auto const too_hot = [&](Metrics const& so_far) -> std::optional<Infeasible> {
                if (tried.of(so_far, "peak_power").lower <= share * peak) return std::nullopt;
                return Infeasible{"hot", ""};
            };
            auto const found = tried.outcome(traffic, Fidelity::analytic, too_hot);
            bool const ended = std::holds_alternative<Infeasible>(found);
            EXPECT_EQ(ended, share < 1.0) << machine << " " << share;
            ++(ended ? refused : kept);
            if (ended) continue;
            auto const& metrics = std::get<Metrics>(found);
            for (std::size_t i = 0; i < whole.size(); ++i) {
                if (!applies(whole[i])) continue;
                EXPECT_EQ(metrics[i].value, whole[i].value) << tried.table()[i].name;
            }
        }
    }
    EXPECT_GE(refused, 9);
    EXPECT_GE(kept, 6);
}

/// The traffic at a rate, repeated.
Traffic at_rate(Traffic traffic, double rate, std::int64_t repeats) {
    traffic.load = sim::serving::repeated(traffic.load, repeats);
    double const own = *sim::serving::rate_of(traffic.load);
    for (auto& request : traffic.load.requests) request.arrival *= own / rate;
    return traffic;
}

/// The largest rate is good, and a rate 1 % above it is not. It has the unit of the rate that is asked, however the
/// requests arrive, and what is served then lasts.
TEST(Service, serves_its_largest_rate_and_no_more) {
    ServingMachine const machine("gpu", board);
    for (Settings const& arrivals :
         {Settings{}, Settings{{"traffic.arrivals", "gamma"}, {"traffic.cv", "4"}}, Settings{{"traffic.seed", "9"}}}) {
        auto limits = with(arrivals, {{"slo.ttft", "30 ms"}, {"slo.tpot", "4 ms"}, {"slo.share", "0.9"}});
        auto const traffic = drawn("20 1/s", 400, limits);
        auto const found = machine.largest(traffic);
        EXPECT_EQ(machine.value(traffic, "max_rate"), found.rate);
        EXPECT_EQ(machine.value(traffic, "sustained_rate"), found.served);
        ASSERT_GT(found.rate, 1.0);
        EXPECT_TRUE(found.lasts());
        auto const share_at = [&](double factor) {
            return machine.served(at_rate(traffic, factor * found.rate, found.repeats)).summary.good_share;
        };
        EXPECT_GE(share_at(1.0 - 1e-9), 0.9);
        EXPECT_GE(share_at(0.97), 0.85);
        double lowest = 1.0;
        for (double factor = 1.0; factor <= 1.0102; factor += 1e-3) lowest = std::min(lowest, share_at(factor));
        EXPECT_LT(lowest, 0.9);
    }
}

Traffic uniform(double rate, int requests, Settings const& more = {}) {
    return read_traffic_keys(with({{"traffic.arrivals", "uniform"},
                                   {"traffic.rate", fmt::format("{} 1/s", rate)},
                                   {"traffic.requests", fmt::to_string(requests)},
                                   {"traffic.input", "512"},
                                   {"traffic.output", "128"}},
                                  more));
}

/// A board cannot serve more than its arithmetic allows, and says so of any load that asks for more, short or long.
TEST(Service, is_saturated_exactly_above_what_is_ever_served) {
    tests::Turns turns(2);
    for (Settings const& steps :
         {Settings{}, Settings{{"scheduler.max_sequences", "256"}},
          Settings{{"scheduler.max_sequences", "16"}, {"scheduler.max_batched_tokens", "2048"}}}) {
        ServingMachine const machine("gpu", with({{"device", "h100"}, {"llm", "llama-3-8b"}}, steps));
        auto const most = machine.largest(uniform(1.0, 300));
        EXPECT_TRUE(most.at_ceiling) << "there are no limits";
        // Weights of the layers: 6.98e9, each multiplied by 512 + 127 positions, at the 989 TFLOP/s of the data sheet.
        EXPECT_LT(most.rate, 989e12 / (2.0 * 6.98e9 * 639.0));
        for (int const requests : {100, 400, 2000}) {
            for (double const part : {0.2, 0.8, 1.1, 1.6, 3.0}) {
                if (!turns.next()) continue;
                auto const traffic = uniform(part * most.rate, requests);
                EXPECT_EQ(machine.value(traffic, "saturated"), part > 1.0 ? 1.0 : 0.0) << requests << " " << part;
                EXPECT_NEAR(machine.value(traffic, "max_rate"), most.rate, 0.03 * most.rate) << requests << " " << part;
            }
        }
        auto const strict = uniform(3.0 * most.rate, 100, {{"slo.ttft", "30 s"}, {"slo.required", "true"}});
        EXPECT_EQ(machine.rule(strict), "slo") << "the few requests meet the limit, and others would not";
    }
}

TEST(Service, of_copies_takes_requests_in_turn) {
    auto const traffic = drawn("200 1/s", 200);
    ServingMachine const one("gpu", board);
    ServingMachine const two("gpu", with(board, {{"devices", "2"}, {"data_parallel", "2"}}));
    EXPECT_LT(two.value(traffic, "ttft_mean"), one.value(traffic, "ttft_mean"));
    EXPECT_NEAR(two.value(traffic, "silicon"), 2.0 * one.value(traffic, "silicon"), 1e-12);
    // Half of the requests each, as if they came at half the rate.
    auto half = traffic;
    half.load.requests.clear();
    for (std::size_t i = 0; i < traffic.load.requests.size(); i += 2)
        half.load.requests.push_back(traffic.load.requests[i]);
    auto const mine = two.served(traffic).schedule, alone = one.served(half).schedule;
    for (std::size_t i = 0; i < alone.requests.size(); ++i) EXPECT_EQ(mine.requests[2 * i], alone.requests[i]);
}

TEST(Service, draws_idle_power_between_requests) {
    ServingMachine const machine("gpu", board);
    auto const slow = machine.served(drawn("0.01 1/s", 20)), fast = machine.served(drawn("10 1/s", 20));
    EXPECT_NEAR(slow.summary.mean_power, machine.value(drawn("1 1/s", 20), "idle_power"), 1.0);
    EXPECT_GT(slow.summary.energy, 50.0 * fast.summary.energy);
}

TEST(Service, refuses_what_it_cannot_serve) {
    auto const traffic = drawn("1 1/s", 5);
    EXPECT_EQ(ServingMachine("gpu", {{"llm", "llama-2-70b"}}).rule(traffic), "memory");
    EXPECT_EQ(ServingMachine("gpu", with(board, {{"scheduler.cache_tokens", "8"}})).rule(traffic), "cache");
    EXPECT_EQ(ServingMachine("gpu", with(board, {{"draft", "3"}})).rule(traffic), "traffic");
    auto const closed = read_traffic_keys({{"traffic.arrivals", "closed"},
                                           {"traffic.concurrency", "1"},
                                           {"traffic.requests", "9"},
                                           {"traffic.input", "20"},
                                           {"traffic.output", "20"}});
    EXPECT_EQ(ServingMachine("gpu", board).rule(closed), "");
    EXPECT_EQ(ServingMachine("gpu", with(board, {{"devices", "2"}, {"data_parallel", "2"}})).rule(closed), "traffic");
}

/// A request beyond the context of the model, or the cache, is counted and not fatal, however long the mean is.
TEST(Service, counts_requests_that_are_too_long) {
    auto traffic = drawn("5 1/s", 10);
    traffic.load.requests[3].input = 200'000;
    traffic.mean_input = 20'300;
    ServingMachine const machine("gpu", {{"device", "h100"}, {"llm", "llama-2-7b"}});
    EXPECT_EQ(machine.value(traffic, "rejected"), 1.0);
    EXPECT_EQ(machine.value(traffic, "good_share"), 0.9);
    ServingMachine const small("gpu", with(board, {{"scheduler.cache_tokens", "320"}}));
    double const rejected = small.value(traffic, "rejected");
    EXPECT_GT(rejected, 1.0);
    EXPECT_EQ(small.value(traffic, "good_share"), 1.0 - rejected / 10.0);
    for (auto& request : traffic.load.requests) request.input = 200'000;
    EXPECT_EQ(machine.rule(traffic), "context") << "nothing is served";
    for (auto const* name : {"umdam", "upmem", "dplena", "cim_mesh", "aim_card"}) {
        auto some = drawn("0.1 1/s", 4);
        some.load.requests[1].input = 500'000;
        some.mean_input = 125'300;
        Settings model{{"llm", "opt-125m"}};
        if (std::string_view(name) == "dplena")
            model = with(model, {{"scope", "end_to_end"}, {"generation", "autoregressive"}});
        if (std::string_view(name) == "upmem")
            model = with(model, {{"scope", "end_to_end"}, {"ranks", "40"}, {"dpus", "2560"}});
        if (std::string_view(name) == "cim_mesh") model = with(model, {{"generation", "autoregressive"}});
        EXPECT_EQ(ServingMachine(name, model).value(some, "rejected"), 1.0) << name;
    }
}

/// gemma-3-27b keeps all positions in 10 of its 62 layers, and 1,024 in the others: 100,000 positions of 8 KiB a layer
/// take 8.6 GB, and 0.92 of what programs use of 80 GiB leaves 21 beside the weights.
TEST(Service, keeps_no_more_than_the_windows_of_layers) {
    ServingMachine const machine("gpu", {{"device", "h100"}, {"llm", "gemma-3-27b"}});
    auto const served = machine.served(read_traffic_keys({{"traffic.rate", "1 1/s"},
                                                          {"traffic.requests", "5"},
                                                          {"traffic.input", "100000"},
                                                          {"traffic.output", "100"}}));
    EXPECT_EQ(served.summary.rejected, 0);
    std::size_t most = 0;
    for (auto const& one : served.schedule.requests) {
        most = std::max<std::size_t>(
            most, static_cast<std::size_t>(std::ranges::count_if(served.schedule.requests, [&](auto const& other) {
                return other.scheduled <= one.scheduled && other.last_token > one.scheduled;
            })));
    }
    EXPECT_EQ(most, 2U);
    EXPECT_NEAR(served.summary.kv_peak, 2.0 * 8192.0 * (10 * 100'099.0 + 52 * 1024.0) / (0.92 * 0.96 * 85.9e9 - 54.0e9),
                0.02);
}

TEST(Service, takes_steps_by_the_memory_of_its_device) {
    auto const steps = [](char const* device, Settings const& more = {}) {
        ServingMachine const machine("gpu", with({{"device", device}, {"llm", "llama-3.2-1b"}}, more));
        auto const settings = machine.served(drawn("1 1/s", 3)).settings;
        return std::pair(settings.max_batched_tokens, settings.max_sequences);
    };
    std::pair<std::int64_t, std::int64_t> const shorter{2048, 256}, longer{8192, 1024};
    EXPECT_EQ(steps("rtx_4090"), shorter);
    EXPECT_EQ(steps("h100"), longer);
    EXPECT_EQ(steps("a100"), shorter) << "80 GB, but vLLM takes short steps";
    EXPECT_EQ(steps("h100", {{"devices", "2"}}), longer) << "of a device";
}

TEST(Traffic, is_drawn_again_where_seeds_matter) {
    auto const traffic = drawn("5 1/s", 30);
    ASSERT_TRUE(traffic.again);
    EXPECT_EQ(traffic.again(1).requests[7].arrival, traffic.load.requests[7].arrival);
    EXPECT_NE(traffic.again(2).requests[7].arrival, traffic.load.requests[7].arrival);
    EXPECT_NE(traffic.again(2).requests[7].input, traffic.load.requests[7].input);
    EXPECT_EQ(*sim::serving::rate_of(traffic.again(2)), 5.0);
    EXPECT_FALSE(uniform(1.0, 5).again);
    EXPECT_FALSE(read_traffic_keys({{"traffic.trace", "azure_2023_conv.csv"}, {"traffic.requests", "5"}}).again);
}

}  // namespace
}  // namespace pimdse::models::service::test::service_test
