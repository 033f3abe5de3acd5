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

/// Numbers of rules have names of ours, "run.3.work", which no file has.
TEST(Rules, call_a_number_what_its_file_calls_it) {
    auto const reason = [](std::string_view from, std::string_view to) {
        models::testing::TemporaryFile const file(with(from, to));
        auto const machine = architecture(file.path());
        auto const outcome = Given(machine, {{"llm", "llama-2-7b"}}).outcome();
        auto const* broken = std::get_if<Infeasible>(&outcome);
        return broken == nullptr ? std::string() : broken->reason;
    };
    EXPECT_NE(reason("work = 5", "work = -5").find("work of \"*.softmax\" is -5 (it must be 0 or more)"),
              std::string::npos)
        << reason("work = 5", "work = -5");
    EXPECT_NE(reason("bandwidth = \"channels * channel_rate\"", "bandwidth = 0")
                  .find("dram.bandwidth is 0 GB/s (it must be above 0 where weights or keys are held)"),
              std::string::npos)
        << "a memory that is read in no time";
    EXPECT_NE(reason("share = \"attained\"", "share = -1").find("dram.share is -1"), std::string::npos)
        << reason("share = \"attained\"", "share = -1");
}

}  // namespace
}  // namespace pimdse::models::text::test::prepared_test
