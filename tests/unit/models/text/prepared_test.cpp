#include "models/text/prepared.hpp"

#include "small_machine.hpp"
#include "tests/unit/models/text/given.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::text::test::prepared_test {
namespace {

TEST(Rules, name_what_cannot_be) {
    EXPECT_EQ(Given().rule(), "");
    EXPECT_EQ(Given({{"llm", "llada-8b"}}).rule(), "generation");
    EXPECT_EQ(Given({{"generation", "diffusion"}}).rule(), "generation");
    EXPECT_EQ(Given({{"input", "4000"}}).rule(), "context");
    EXPECT_EQ(Given({{"llm", "llada-8b"}, {"generation", "diffusion"}, {"output", "100"}}).rule(), "blocks");
    EXPECT_EQ(Given({{"weights", "fp8"}}).rule(), "weights");
    EXPECT_EQ(Given({{"device", "h100"}, {"weights", "fp8"}}).rule(), "");
    EXPECT_EQ(Given({{"power_limit", "500 W"}}).rule(), "power_limit");
    EXPECT_EQ(Given({{"power_limit", "40 W"}}).rule(), "power_limit");
}

TEST(Rules, say_what_a_board_cannot_hold) {
    Settings const large{{"llm", "llama-2-70b"}};
    EXPECT_EQ(Given(large).rule(), "memory");
    auto const outcome = Given(large).outcome();
    auto const& reason = std::get<Infeasible>(outcome).reason;
    EXPECT_NE(reason.find("128.7 GiB"), std::string::npos) << reason;
    EXPECT_NE(reason.find("76.8 GiB"), std::string::npos) << reason;
}

/// Numbers of rules have names of ours, "run.3.work", which no file has. What nothing moves is a mistake with its line;
/// what a parameter moves is a point that cannot be built.
TEST(Rules, call_a_number_what_its_file_calls_it) {
    auto const reason = [](std::string_view from, std::string_view to) {
        models::testing::TemporaryFile const file(with(from, to));
        try {
            auto const machine = architecture(file.path());
            auto const outcome = Given(machine, {{"llm", "llama-2-7b"}}).outcome();
            auto const* broken = std::get_if<Infeasible>(&outcome);
            return "at a point: " + (broken == nullptr ? std::string() : broken->reason);
        } catch (sim::InputError const& error) {
            return std::string(error.what()).substr(file.path().string().size());
        }
    };
    struct Case {
        std::string_view from, to, line, said;
    };
    std::string_view const bandwidth = "bandwidth = \"channels * channel_rate\"";
    for (auto const& one : {
             Case{"work = 5", "work = -5", "85", "work of \"*.softmax\" is -5 (it must be 0 or more)"},
             Case{"work = 5", "work = \"8 - 2 * channels\"", "", "work of \"*.softmax\" is -8 (it must be 0 or more)"},
             Case{"work = 5", "work = 5, reads = 0.5", "85", "reads of \"*.softmax\" is 0.5 (it must be 1 or more)"},
             Case{"work = 5", "work = 5, reads = \"channels / 16\"", "",
                  "reads of \"*.softmax\" is 0.5 (it must be 1 or more)"},
             Case{bandwidth, "bandwidth = 0\nwrite_bandwidth = \"channel_rate\"", "40",
                  "dram.bandwidth is 0 GB/s (it must be above 0 where weights or keys are held)"},
             Case{bandwidth, "bandwidth = \"(channels - 8) * channel_rate\"", "",
                  "dram.bandwidth is 0 GB/s (it must be above 0 where weights or keys are held)"},
             Case{"share = \"attained\"", "share = -1", "41", "dram.share is -1 (it must be above 0 and at most 1)"},
             Case{"share = \"attained\"", "share = \"2 * 0.75\"", "41",
                  "dram.share is 1.5 (it must be above 0 and at most 1)"},
             Case{"share = \"attained\"", "share = \"2 * attained\"", "",
                  "dram.share is 1.6 (it must be above 0 and at most 1)"},
             Case{"per_cycle = 2", "per_cycle = \"-1 - 1\"", "61", "lanes.per_cycle is -2 (it must be above 0)"},
             Case{"frequency = \"clock\"", "frequency = \"0 Hz\"", "60",
                  "lanes.frequency is 0 Hz (it must be above 0)"},
             Case{"lanes = \"if(mode == fast, 128, 64)\"", "lanes = \"channels - 8\"", "",
                  "lanes.lanes is 0 (it must be above 0)"},
         })
        EXPECT_EQ(reason(one.from, one.to),
                  (one.line.empty() ? "at a point: " : fmt::format(":{}: ", one.line)) + std::string(one.said));
}

}  // namespace
}  // namespace pimdse::models::text::test::prepared_test
