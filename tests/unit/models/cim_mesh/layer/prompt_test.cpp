#include "models/cim_mesh/layer/prompt.hpp"

#include "tests/support/campaign.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <random>

/// Prompts token by token: the slow, obvious reference.
namespace pimdse::models::cim_mesh::test::prompt_test {
namespace {

double pair_of(PromptUnits const& u, HeldQueries const& held, std::int64_t token) {
    return std::max({u.softmax, u.products, u.stream / static_cast<double>(held.at(token))});
}

double walked(PromptUnits const& u, HeldQueries const& held, std::int64_t count) {
    double cycles = 0.0;
    for (std::int64_t i = 1; i <= count; ++i) {
        auto const token = static_cast<double>(i);
        double const pipelined = std::max(u.vectors + u.adapters + 2.0 * token * pair_of(u, held, i), u.crossbar);
        cycles += std::min(std::max(pipelined / u.attained, u.link), u.alone + u.alone_per_key * token);
    }
    return cycles;
}

double streamed(HeldQueries const& held, std::int64_t count) {
    double streams = 0.0;
    for (std::int64_t i = 1; i <= count; ++i) streams += 2.0 * static_cast<double>(i) / static_cast<double>(held.at(i));
    return streams;
}

class Prompts : public ::testing::Test {
  protected:
    double drawn(double max) { return std::uniform_real_distribution<>(0.0, max)(bits_); }
    bool coin() { return drawn(1.0) < 0.5; }
    PromptUnits units() {
        PromptUnits u;
        u.vectors = drawn(20000.0);
        u.adapters = coin() ? drawn(2000.0) : 0.0;
        u.crossbar = coin() ? drawn(60000.0) : 0.0;
        u.link = coin() ? drawn(60000.0) : 0.0;
        u.softmax = drawn(20.0);
        u.stream = drawn(300.0);
        u.products = coin() ? drawn(10.0) : 0.0;
        u.attained = coin() ? 0.1 + drawn(0.9) : 1.0;
        u.alone = coin() ? drawn(100000.0) : 1e12;
        u.alone_per_key = drawn(60.0);
        return u;
    }
    HeldQueries held() {
        auto const one_of = [&](std::initializer_list<char const*> texts) {
            return *(texts.begin() + static_cast<std::ptrdiff_t>(drawn(0.999 * static_cast<double>(texts.size()))));
        };
        Given const g({{"llm", one_of({"llama-3.2-1b", "opt-125m", "llama-2-13b"})},
                       {"scratchpad", one_of({"4096", "10752", "32768", "262144"})},
                       {"context_tile", one_of({"1", "8", "64", "100000"})},
                       {"batch", one_of({"1", "3", "16"})}});
        return {KvCache(g.machine, g.design, g.parts), g.design.context_tile};
    }

  private:
    std::mt19937_64 bits_{11};
};

TEST_F(Prompts, are_what_their_tokens_are_one_by_one) {
    for (int tried = 0; tried < 60; ++tried) {
        auto const h = held();
        auto const u = units();
        for (std::int64_t const count : {0, 1, 2, 7, 100, 2047}) {
            double const slow = walked(u, h, count);
            EXPECT_NEAR(following(u, h, PromptTokens{count}).total(), slow, 1e-9 * slow + 1e-9)
                << tried << " " << count;
            EXPECT_NEAR(key_streams(h, PromptTokens{count}), streamed(h, count), 1e-9 * streamed(h, count))
                << tried << " " << count;
        }
    }
}

TEST_F(Prompts, of_one_token_more_take_no_less) {
    for (int tried = 0; tried < 60; ++tried) {
        auto const h = held();
        auto const u = units();
        double before = 0.0;
        for (std::int64_t count = 1; count < 400; ++count) {
            double const now = following(u, h, PromptTokens{count}).total();
            EXPECT_GE(now, before * (1.0 - 1e-12));
            EXPECT_LE(now - before, u.alone + u.alone_per_key * static_cast<double>(count) + 1e-6);
            before = now;
        }
    }
}

TEST_F(Prompts, of_positions_that_attend_to_all_keys_take_so_much_each) {
    for (int tried = 0; tried < 60; ++tried) {
        auto const h = held();
        auto const u = units();
        double const pipelined = std::max(u.vectors + u.adapters + 128.0 * pair_of(u, h, 128), u.crossbar) / u.attained;
        double const one = std::min(std::max(pipelined, u.link), u.alone + 128.0 * u.alone_per_key);
        EXPECT_NEAR(following(u, h, 31.5, 128).total(), 31.5 * one, 1e-9 * one * 31.5);
    }
}

/// A part of a prompt token by token: a row of pairs with all its keys, and a column with the tokens of its part.
TEST_F(Prompts, in_parts_are_what_their_tokens_are_one_by_one) {
    for (int tried = 0; tried < tests::draws(200); ++tried) {
        auto const h =
            held().beside(1 + static_cast<std::int64_t>(drawn(5.0)), static_cast<std::int64_t>(drawn(900.0)));
        auto const u = units();
        auto const upto = [&](double most) { return static_cast<std::int64_t>(drawn(most)); };
        PromptTokens const part{upto(600.0), coin() ? 0 : 1 + upto(300.0), coin(), 1 + upto(600.0)};
        double cycles = 0.0, pairs = 0.0, streams = 0.0;
        for (std::int64_t k = 1; k <= part.count; ++k) {
            std::int64_t const position = part.cached + k;
            std::int64_t const keys = part.window == 0 ? position
                                      : part.chunked   ? (position - 1) % part.window + 1
                                                       : std::min(position, part.window);
            auto const added = static_cast<double>(keys + std::min(k, keys)), all = static_cast<double>(keys);
            double const pipelined = std::max(u.vectors + u.adapters + added * pair_of(u, h, keys), u.crossbar);
            cycles += std::min(std::max(pipelined / u.attained, u.link), u.alone + u.alone_per_key * all);
            pairs += added;
            streams += added / static_cast<double>(h.at(keys));
        }
        EXPECT_NEAR(following(u, h, part).total(), cycles, 1e-9 * cycles + 1e-9) << tried;
        EXPECT_NEAR(added_pairs(part), pairs, 1e-9 * pairs) << tried;
        EXPECT_NEAR(key_streams(h, part), streams, 1e-9 * streams) << tried;
    }
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::prompt_test
