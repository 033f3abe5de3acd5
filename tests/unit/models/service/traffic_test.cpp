#include "models/service/traffic.hpp"

#include "tests/unit/refused.hpp"

#include <gtest/gtest.h>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numeric>

/// The keys of a scenario's traffic.
namespace pimdse::models::service::test::traffic_test {
namespace {

using Keys = std::vector<std::pair<std::string, std::string>>;

std::string mistakes_of(Keys const& keys) {
    return refusal_by([&] { (void)read_traffic_keys(keys); });
}

Keys with(Keys keys, std::string const& key, std::string const& text) {
    std::erase_if(keys, [&](auto const& given) { return given.first == key; });
    if (!text.empty()) keys.emplace_back(key, text);
    return keys;
}

Keys const poisson{{"traffic.rate", "5 1/s"},
                   {"traffic.requests", "400"},
                   {"traffic.input", "100"},
                   {"traffic.output", "lognormal 40 70"}};

TEST(TrafficKeys, draw_requests) {
    auto const traffic = read_traffic_keys(poisson);
    ASSERT_EQ(traffic.load.requests.size(), 400U);
    EXPECT_EQ(traffic.mean_input, 100);
    EXPECT_NEAR(static_cast<double>(traffic.mean_output), 40.0, 4.0);
    EXPECT_NEAR(traffic.load.requests.back().arrival, 80.0, 12.0);
    EXPECT_EQ(traffic.share, 0.99);
    EXPECT_TRUE(std::isinf(traffic.objectives.ttft));
}

TEST(TrafficKeys, scale_times_but_not_lengths) {
    auto const slow = read_traffic_keys(poisson).load,
               fast = read_traffic_keys(with(poisson, "traffic.rate", "50 1/s")).load;
    for (std::size_t i = 0; i < slow.requests.size(); ++i) {
        EXPECT_NEAR(slow.requests[i].arrival, 10.0 * fast.requests[i].arrival, 1e-9 * slow.requests[i].arrival);
        EXPECT_EQ(slow.requests[i].output, fast.requests[i].output);
    }
}

TEST(TrafficKeys, of_a_shipped_trace_keep_or_scale_its_times) {
    Keys const trace{{"traffic.trace", "azure_2023_conv.csv"}, {"traffic.requests", "100"}};
    auto const own = read_traffic_keys(trace).load.requests;
    auto const twice = read_traffic_keys(with(trace, "traffic.rate", "2 trace")).load.requests;
    auto const given = read_traffic_keys(with(trace, "traffic.rate", "3 1/s")).load.requests;
    ASSERT_EQ(own.size(), 100U);
    EXPECT_EQ(own.front().arrival, 0.0);
    EXPECT_EQ(own[1].arrival, 4.314579);
    EXPECT_NEAR(twice.back().arrival, own.back().arrival / 2.0, 1e-9);
    EXPECT_NEAR(99.0 / given.back().arrival, 3.0, 1e-9);
    EXPECT_EQ(read_traffic_keys(trace).files.size(), 1U);
}

TEST(TrafficKeys, of_a_closed_loop_have_users) {
    auto keys = with(with(poisson, "traffic.rate", ""), "traffic.arrivals", "closed");
    EXPECT_NE(mistakes_of(keys).find("traffic.concurrency"), std::string::npos);
    EXPECT_EQ(read_traffic_keys(with(keys, "traffic.concurrency", "7")).load.concurrency, 7);
}

/// Every mistake names its key.
TEST(TrafficKeys, that_make_no_sense_are_refused_by_name) {
    struct Case {
        char const *key, *text, *named;
    };
    for (auto const& [key, text, named] : {Case{"traffic.rate", "", "traffic.rate"},
                                           {"traffic.rate", "0 1/s", "traffic.rate"},
                                           {"traffic.rate", "nan", "traffic.rate"},
                                           {"traffic.rate", "5 s", "traffic.rate"},
                                           {"traffic.requests", "0", "traffic.requests"},
                                           {"traffic.requests", "2000000", "traffic.requests"},
                                           {"traffic.input", "0", "traffic.input"},
                                           {"traffic.input", "", "traffic.input"},
                                           {"traffic.input", "lognormal 10", "traffic.input"},
                                           {"traffic.input", "lognormal 100 9999", "traffic.input"},
                                           {"traffic.output", "-3", "traffic.output"},
                                           {"traffic.arrivals", "bursts", "traffic.arrivals"},
                                           {"traffic.arrivals", "gamma", "traffic.cv"},
                                           {"traffic.cv", "2", "traffic.cv"},
                                           {"traffic.concurrency", "3", "traffic.concurrency"},
                                           {"traffic.input", "no_such_file.csv", "no_such_file.csv"},
                                           {"slo.share", "1.5", "slo.share"},
                                           {"slo.ttft", "0 s", "slo.ttft"},
                                           {"traffic.trace", "azure_2023_conv.csv", "traffic.input"}}) {
        auto const found = mistakes_of(with(poisson, key, text));
        EXPECT_NE(found.find(named), std::string::npos) << key << " = " << text << ": " << found;
    }
    EXPECT_NE(mistakes_of({{"slo.ttft", "1 s"}}).find("traffic"), std::string::npos);
}

TEST(TrafficKeys, report_several_mistakes_at_once) {
    auto const found = mistakes_of(with(with(poisson, "traffic.rate", "0 1/s"), "slo.share", "7"));
    EXPECT_NE(found.find("traffic.rate"), std::string::npos);
    EXPECT_NE(found.find("slo.share"), std::string::npos);
}

TEST(TrafficKeys, name_file_and_line_of_a_wrong_row) {
    auto const file = std::filesystem::temp_directory_path() / "pimdse_wrong_trace.csv";
    std::ofstream(file) << "arrival_s,input_tokens,output_tokens\n0,5,5\n3,5,5\n2,5,5\n";
    auto const found = mistakes_of({{"traffic.trace", file.string()}});
    std::filesystem::remove(file);
    EXPECT_NE(found.find(file.string() + ":4:"), std::string::npos) << found;
}

}  // namespace
}  // namespace pimdse::models::service::test::traffic_test
