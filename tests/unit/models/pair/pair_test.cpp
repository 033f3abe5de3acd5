#include "models/pair/pair.hpp"

#include "models/chips/links.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/economy/economy.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/models/service/serving_machine.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <string>

/// Pairs of machines.
namespace pimdse::models::service::test::pair_test {
namespace {

Settings const boards{{"llm", "llama-3.2-1b"}, {"prefill.device", "h100"}, {"decode.device", "a100"}};
Settings with(Settings settings, Settings const& more) {
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

TEST(Pair, has_the_parameters_of_both) {
    auto const& pair = find_architecture("pair:gpu:umdam");
    EXPECT_EQ(&pair, &find_architecture("pair:gpu:umdam")) << "it is made once";
    auto const parameters = pair.parameters();
    for (auto const* name : {"llm", "prefill.device", "decode.channels", "prefill.devices", "decode_machines", "link"})
        EXPECT_GE(find_parameter(parameters, name), 0) << name;
    EXPECT_LT(find_parameter(parameters, "prefill.llm"), 0);
    EXPECT_THROW((void)find_architecture("pair:gpu"), sim::InputError);
    EXPECT_THROW((void)find_architecture("pair:gpu:toaster"), sim::InputError);
}

TEST(Pair, adds_up_its_machines) {
    auto const traffic = drawn("5 1/s", 10);
    ServingMachine const pair("pair:gpu:gpu", with(boards, {{"prefill_machines", "2"}, {"decode_machines", "3"}}));
    ServingMachine const h100("gpu", {{"llm", "llama-3.2-1b"}, {"device", "h100"}});
    ServingMachine const a100("gpu", {{"llm", "llama-3.2-1b"}, {"device", "a100"}});
    auto const link = chips::load_link(chips::link_kind("eth400"));
    auto const& economy = economy::Economy::shipped();
    std::map<std::string, double> const of_link{{"idle_power", link.standby.si},
                                                {"cost", economy.link("eth400")},
                                                {"embodied_carbon", economy.link_carbon("eth400")}};
    for (auto const* metric : {"area", "memory_area", "silicon", "idle_power", "cost", "embodied_carbon"}) {
        double const links = of_link.contains(metric) ? 5.0 * of_link.at(metric) : 0.0;
        double const sum = 2.0 * h100.value(traffic, metric) + 3.0 * a100.value(traffic, metric) + links;
        EXPECT_NEAR(pair.value(traffic, metric), sum, 1e-12 * sum) << metric;
    }
}

TEST(Pair, has_the_common_metrics_of_services) {
    auto const table = find_architecture("pair:gpu:gpu").metrics();
    for (auto const& common : common_metrics)
        EXPECT_EQ(find_metric(table, common.name) >= 0, applies_to_services(common.name)) << common.name;
    auto const traffic = drawn("5 1/s", 10);
    ServingMachine const pair("pair:gpu:gpu", boards), one("gpu", {{"llm", "llama-3.2-1b"}, {"device", "h100"}});
    EXPECT_GT(pair.value(traffic, "peak_power"), one.value(traffic, "peak_power"));
    EXPECT_GT(pair.value(traffic, "cost_per_million_tokens"), one.value(traffic, "cost_per_million_tokens"));
}

/// A machine twice is two machines of a breakdown; what the pair adds is in the ledger, which says of whom it speaks.
TEST(Pair, says_whose_area_it_is_and_what_its_link_takes) {
    auto const& pair = find_architecture("pair:umdam:umdam");
    auto const parameters = pair.parameters();
    auto const inputs = prepare(pair, parameters);
    auto const explained = pair.explain(inputs, default_point(parameters), Fidelity::analytic);
    std::map<std::string, int> times;
    for (auto const& share : explained.area) ++times[share.what];
    EXPECT_EQ(times["matrix_unit, prefill.umdam"], 1);
    EXPECT_EQ(times["matrix_unit, decode.umdam"], 1);
    for (auto const& [what, count] : times) EXPECT_EQ(count, 1) << what;
    for (auto const* name : {"pair:umdam:umdam", "pair:h100:umdam", "pair:gpu:aim_card"}) {
        auto const energy = find_architecture(name).ledger().energy;
        auto const links = std::ranges::find(energy, "links", &LedgerEntry::row);
        ASSERT_NE(links, energy.end()) << name;
        EXPECT_EQ(links->account, Account::assumed);
        EXPECT_TRUE(links->why.starts_with("between the machines of the pair: ")) << links->why;
    }
}

/// Links stand by, whatever the engines of the pair do; twice the lanes take twice the power, cost and carbon.
TEST(Pair, pays_for_its_links_all_the_time) {
    auto const traffic = drawn("5 1/s", 10);
    auto const value = [&](Settings const& more, char const* metric) {
        return ServingMachine("pair:gpu:gpu", with(boards, more)).value(traffic, metric);
    };
    Settings const one{{"link_bandwidth", "50 GB/s"}}, two{{"link_bandwidth", "100 GB/s"}};
    double const watts = value(two, "idle_power") - value(one, "idle_power");
    EXPECT_NEAR(watts, 2.0 * chips::load_link(chips::link_kind("eth400")).standby.si, 1e-9);
    EXPECT_NEAR(value(two, "mean_power") - value(one, "mean_power"), watts, 0.01 * watts);
    EXPECT_GT(value(two, "cost"), value(one, "cost"));
}

/// What a board does in a pair is no surer than what it does alone, whichever half it is and whatever the other states.
TEST(Pair, has_the_spread_of_a_half_that_states_one) {
    Settings const model{{"llm", "llama-3.2-1b"}};
    auto const traffic = drawn("5 1/s", 10);
    for (auto const* name : {"pair:h100:n150", "pair:n150:h100", "pair:h100:h100"}) {
        ServingMachine const pair(name, model), board("h100", model);
        auto const time = pair.of(pair.metrics(traffic), "ttft_p99"),
                   alone = board.of(board.metrics(traffic), "ttft_p99");
        EXPECT_EQ(time.kinds, sim::BoundKinds{sim::Bound::calibrated}) << name;
        EXPECT_NEAR(time.upper / time.value, alone.upper / alone.value, 1e-12) << name;
    }
}

/// First tokens are those of the machine that computes prompts, as if every request had one token.
TEST(Pair, computes_prompts_without_decoding) {
    auto const traffic = drawn("60 1/s", 120);
    auto prompts = traffic;
    for (auto& request : prompts.load.requests) request.output = 1;
    auto const pair = ServingMachine("pair:gpu:gpu", boards).served(traffic).schedule;
    auto const alone = ServingMachine("gpu", {{"llm", "llama-3.2-1b"}, {"device", "h100"}}).served(prompts).schedule;
    for (std::size_t i = 0; i < alone.requests.size(); ++i) {
        EXPECT_EQ(pair.requests[i].first_token, alone.requests[i].first_token);
        EXPECT_GE(pair.requests[i].last_token, pair.requests[i].first_token);
        if (traffic.load.requests[i].output > 1) continue;
        EXPECT_EQ(pair.requests[i].last_token, alone.requests[i].last_token);
    }
}

/// A request alone: prompt there, transfer, tokens here; each as the machine does it alone.
TEST(Pair, of_one_request_is_a_sum_of_three_parts) {
    auto const one = read_traffic_keys(
        {{"traffic.rate", "1 1/s"}, {"traffic.requests", "1"}, {"traffic.input", "500"}, {"traffic.output", "40"}});
    auto const both = with(boards, {{"link", "eth100"}, {"scheduler.max_batched_tokens", "1000000000"}});
    auto const pair = ServingMachine("pair:gpu:gpu", both).served(one).schedule.requests.front();
    auto const of = [&](char const* device) {
        ServingMachine const machine(
            "gpu", {{"llm", "llama-3.2-1b"}, {"device", device}, {"scheduler.max_batched_tokens", "1000000000"}});
        return machine.served(one).schedule.requests.front();
    };
    auto const h100 = of("h100"), a100 = of("a100");
    EXPECT_EQ(pair.first_token, h100.first_token);
    double const decoding = a100.last_token - a100.first_token;
    double const moving = pair.last_token - pair.first_token - decoding;
    // 500 positions of 16 layers, 8 heads of 64, keys and values of 2 bytes over 12.5 GB/s, in which a share is lost.
    double const bytes = 500.0 * 16 * 2 * 8 * 64 * 2;
    EXPECT_GT(moving, bytes / 12.5e9);
    EXPECT_LT(moving, 2.0 * bytes / 12.5e9 + 1e-4);
}

/// Two equal machines that serve one request: the energy of one, the power at rest of what waits and of both links, and
/// that of the bits that move.
TEST(Pair, of_equal_machines_takes_the_energy_of_one_and_of_what_waits) {
    auto const one = read_traffic_keys(
        {{"traffic.rate", "1 1/s"}, {"traffic.requests", "1"}, {"traffic.input", "77"}, {"traffic.output", "9"}});
    Settings const model{{"llm", "llama-3.2-1b"}};
    for (auto const* name : {"h100", "hbm_pim", "lpddr5x_pim"}) {
        ServingMachine const pair(fmt::format("pair:{0}:{0}", name), with(model, {{"link", "pcie5"}})),
            machine(name, model);
        auto const figure = [&](ServingMachine const& of, char const* metric) { return of.value(one, metric); };
        double const alone = figure(machine, "makespan"), both = figure(pair, "makespan");
        double const link = chips::load_link(chips::link_kind("pcie5")).standby.si;
        double const bits = 77.0 * 16 * 2 * 8 * 64 * 16;  // of keys and values
        double const expected = figure(machine, "mean_power") * alone +
                                figure(machine, "idle_power") * (2.0 * both - alone) + 2.0 * link * both +
                                chips::load_link(chips::link_kind("pcie5")).energy.si / 8.0 * bits;
        EXPECT_GT(both, alone) << name;
        EXPECT_NEAR(figure(pair, "mean_power") * both, expected, 1e-9 * expected) << name;
    }
}

/// Time from the last token of the prompt to the next one, with the transfer between, for prompts on so many boards.
double moving(Settings const& settings, std::string const& devices, std::int64_t input) {
    auto const one = read_traffic_keys({{"traffic.rate", "1 1/s"},
                                        {"traffic.requests", "1"},
                                        {"traffic.input", std::to_string(input)},
                                        {"traffic.output", "2"}});
    auto const all = with(settings, {{"prefill.device", "h100"},
                                     {"decode.device", "h100"},
                                     {"prefill.devices", devices},
                                     {"decode.devices", "2"},
                                     {"link", "eth100"}});
    auto const served = ServingMachine("pair:gpu:gpu", all).served(one).schedule.requests.front();
    return served.last_token - served.first_token;
}

/// Boards that share the matrices of a layer hold copies of keys that all of their queries need: a vector of latent
/// attention, or a head of keys of which there are fewer than boards.
TEST(Pair, sends_every_key_once) {
    for (auto const& model : {std::string(PIMDSE_TEST_DATA) + "/keys/tiny_latent.toml", std::string("qwen2.5-3b")}) {
        double const one = moving({{"llm", model}}, "1", 500);
        for (auto const* devices : {"2", "4"})
            EXPECT_NEAR(moving({{"llm", model}}, devices, 500), one, 1e-12) << model << " " << devices;
    }
}

/// A state is sent with the keys, however long the prompt is.
TEST(Pair, sends_a_state_once) {
    Settings const settings{{"llm", "nemotron-h-8b"}};
    double const state = 24.0 * (128 * 64 * 128 * 4 + 10240 * 3 * 2), rate = 12.5e9;
    double const one = moving(settings, "1", 1), more = moving(settings, "1", 1001);
    EXPECT_GT(one, state / rate);
    EXPECT_LT(more - one, 2.0 * 1000 * 4 * 2 * 8 * 128 * 2 / rate + 1e-4);
    EXPECT_NEAR(moving(settings, "8", 1), one, 1e-12);
}

TEST(Pair, gets_faster_with_its_link_and_its_machines) {
    auto const traffic = drawn("100 1/s", 150);
    auto const value = [&](Settings const& more, char const* metric) {
        return ServingMachine("pair:gpu:gpu", with(boards, more)).value(traffic, metric);
    };
    EXPECT_LT(value({{"link_bandwidth", "400 GB/s"}}, "tpot_mean"), value({{"link_bandwidth", "1 GB/s"}}, "tpot_mean"));
    EXPECT_LE(value({{"prefill_machines", "2"}}, "ttft_p99"), value({}, "ttft_p99"));
    EXPECT_LE(value({{"decode_machines", "3"}}, "e2e_p99"), value({}, "e2e_p99") * (1.0 + 1e-9));
}

TEST(Pair, refuses_what_it_cannot_do) {
    auto const traffic = drawn("1 1/s", 5);
    EXPECT_NE(ServingMachine("pair:gpu:gpu", {{"llm", "llama-2-70b"}}).rule(traffic), "");
    EXPECT_NE(ServingMachine("pair:gpu:gpu", with(boards, {{"decode.draft", "2"}})).rule(traffic), "");
}

}  // namespace
}  // namespace pimdse::models::service::test::pair_test
