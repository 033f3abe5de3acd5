#include "models/gpu/parameters.hpp"
#include "models/gpu/pass.hpp"

#include "tests/unit/models/gpu/given.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::gpu::test {
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
    EXPECT_EQ(Given({{"devices", "3"}}).rule(), "tensor_parallel");
    EXPECT_EQ(Given({{"device", "rtx_a6000"}, {"devices", "4"}}).rule(), "nvlink");
    EXPECT_EQ(Given({{"device", "rtx_a6000"}, {"devices", "4"}, {"link", "pcie"}}).rule(), "");
}

TEST(Rules, let_a_model_need_as_many_boards_as_hold_it) {
    Settings const large{{"llm", "llama-2-70b"}};
    EXPECT_EQ(Given(large).rule(), "memory");
    EXPECT_EQ(Given(large.with("devices", "2")).rule(), "");
    auto const outcome = Given(large).outcome();
    auto const& reason = std::get<Infeasible>(outcome).reason;
    EXPECT_NE(reason.find("128.7 GiB"), std::string::npos) << reason;
    EXPECT_NE(reason.find("76.8 GiB"), std::string::npos) << reason;
}

TEST(Rules, count_the_cache_of_a_head_on_every_board_that_has_its_queries) {
    Settings const qwen{{"llm", "qwen2.5-3b"}, {"input", "16384"}, {"output", "1024"}, {"devices", "8"}};
    EXPECT_EQ(Given(qwen.with("batch", "254")).rule(), "");
    EXPECT_EQ(Given(qwen.with("batch", "255")).rule(), "memory");
    EXPECT_EQ(Given(qwen.with("batch", "600")).rule(), "memory");
    // Two heads of keys: each of four boards holds as much as each of two.
    auto const one_more = [&](char const* boards, std::string const& batch) {
        Settings const request{{"llm", "qwen2.5-3b"}, {"input", "16384"}, {"output", "1024"}, {"devices", boards}};
        Given const g(request.with("batch", batch));
        return board_footprint(g.design(), g.prepared().machine).si;
    };
    for (char const* boards : {"2", "4", "8"})
        EXPECT_DOUBLE_EQ(one_more(boards, "2") - one_more(boards, "1"), 17408.0 * 128 * 2 * 36 * 2) << boards;
    EXPECT_DOUBLE_EQ(one_more("1", "2") - one_more("1", "1"), 2 * 17408.0 * 128 * 2 * 36 * 2);
}

}  // namespace
}  // namespace pimdse::models::gpu::test
