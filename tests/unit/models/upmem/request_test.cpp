#include "models/upmem/cost.hpp"
#include "models/upmem/timeline.hpp"
#include "support.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::upmem::request_test {
namespace {

Settings request(std::string const& llm, std::string const& input, std::string const& output,
                 std::string const& batch = "1", std::string const& dpus = "512") {
    return {{"llm", llm},     {"scope", "end_to_end"}, {"input", input}, {"output", output},
            {"batch", batch}, {"dpus", dpus},          {"ranks", "8"},   {"transfer", "parallel"}};
}

Settings with(Settings settings, std::string const& name, std::string const& value) {
    settings.emplace_back(name, value);
    return settings;
}

/// A request, token after token, launch after launch, query after query; nothing is summed in closed form or grouped.
class Walk {
  public:
    explicit Walk(Settings const& settings) : d_(read_design(upmem().point(settings))) {}

    double prompt() {
        std::int64_t const at_once = std::max<std::int64_t>(1, 64 / d_.batch);
        for (std::int64_t done = 0; done < d_.input; done += at_once) pass(done, std::min(at_once, d_.input - done));
        head();
        return std::exchange(seconds_, 0.0);
    }
    double tokens() {
        for (std::int64_t token = 1; token < d_.output; ++token) {
            pass(d_.input + token - 1, 1);
            head();
        }
        return std::exchange(seconds_, 0.0);
    }
    /// Passes over `positions` positions each, of which each begins `apart` positions after the one before.
    double verified(std::int64_t passes, std::int64_t positions, std::int64_t apart) {
        for (std::int64_t i = 0; i < passes; ++i) {
            pass(d_.input + i * apart, positions);
            head(positions);
        }
        return std::exchange(seconds_, 0.0);
    }
    /// `each` passes over one position after the other before each of those.
    double proposed(std::int64_t passes, std::int64_t each, std::int64_t apart) {
        for (std::int64_t i = 0; i < passes * each; ++i) {
            pass(d_.input + i / each * apart + i % each, 1);
            head();
        }
        return std::exchange(seconds_, 0.0);
    }

  private:
    static double words(double bytes) { return 8.0 * std::ceil(bytes / 8.0); }
    static double real(std::int64_t n) { return static_cast<double>(n); }
    std::int64_t share(std::int64_t rows) const { return (rows + d_.dpus - 1) / d_.dpus; }

    void launch(Design const& d, std::int64_t rows, std::int64_t inputs, double in, double shared, double out) {
        auto const& p = prepared();
        auto const cost = launch_cost(p, d, matrix_task(p, d, rows, inputs), Fidelity::analytic);
        seconds_ += cost.cycles.value / d_.frequency.si + p.kernels[d_.kernel].launch;
        seconds_ += transfer_time(p, Transfer::parallel, Direction::in, in, d_.dpus, d_.ranks).si;
        seconds_ += transfer_time(p, Transfer::broadcast, Direction::in, shared, d_.dpus, d_.ranks).si;
        seconds_ += transfer_time(p, Transfer::parallel, Direction::out, out, d_.dpus, d_.ranks).si;
    }
    void host(double operations) { seconds_ += operations / (8 * 2.5e9); }

    void product(std::int64_t rows, std::int64_t inputs, std::int64_t positions) {
        launch(d_, share(rows) * positions, inputs, 0.0, words(real(positions * inputs)),
               words(4.0 * real(share(rows) * positions)));
        host(real(rows * positions));
    }

    void attention(std::int64_t before, std::int64_t queries) {
        std::int64_t const all = d_.batch * m_.kv_heads, group = m_.heads / m_.kv_heads, width = m_.head_dimension;
        std::int64_t const units = (all + d_.dpus - 1) / d_.dpus, split = std::max<std::int64_t>(1, d_.dpus / all);
        std::int64_t seen = 0, keys = 0;
        for (std::int64_t q = before + 1; q <= before + queries; ++q) {
            keys += q;
            seen += (q + split - 1) / split;
        }
        std::int64_t const rows = units * group * seen, vectors = units * group * queries * width;
        std::int64_t const fresh = units * ((queries + split - 1) / split) * 2 * width;
        Design narrow = d_;
        narrow.dma_block = std::min<std::int64_t>(d_.dma_block, width);
        launch(narrow, rows, width, words(real(vectors + fresh)), 0.0, words(4.0 * real(rows)));
        host(3.0 * real(d_.batch * m_.heads * keys));
        launch(narrow, rows, width, words(real(rows)), 0.0, words(4.0 * real(vectors)));
        host(real(d_.batch * m_.heads * queries * width * std::min(split, before + queries)));
    }

    void pass(std::int64_t before, std::int64_t queries) {
        std::int64_t const positions = queries * d_.batch;
        for (std::int64_t layer = 0; layer < m_.layers; ++layer) {
            product(m_.query_width() + 2 * m_.kv_width(), m_.hidden, positions);
            if (!m_.learned_positions) host(real(positions * (m_.query_width() + m_.kv_width())));
            attention(before, queries);
            product(m_.hidden, m_.query_width(), positions);
            host(3.0 * real(positions * m_.hidden));
            std::int64_t const wide = m_.ffn * (m_.gated ? 2 : 1);
            product(wide, m_.hidden, positions);
            host(real(positions * wide));
            product(m_.hidden, m_.ffn, positions);
            host(3.0 * real(positions * m_.hidden));
        }
    }
    void head(std::int64_t positions = 1) { product(m_.vocabulary, m_.hidden, positions * d_.batch); }

    Design d_;
    models::LanguageModel const& m_ = *d_.model;
    double seconds_ = 0.0;
};

void expect_walk(Settings const& settings, double tolerance) {
    Walk walk(settings);
    double const prompt = walk.prompt(), tokens = walk.tokens();
    EXPECT_NEAR(upmem().value(settings, "ttft"), prompt, tolerance * prompt);
    EXPECT_NEAR(upmem().value(settings, "latency"), prompt + tokens, tolerance * (prompt + tokens));
}

Settings proposing(Settings settings, std::string const& draft, std::string const& acceptance,
                   std::string const& llm = "none") {
    return with(with(with(std::move(settings), "draft", draft), "acceptance", acceptance), "draft_llm", llm);
}

}  // namespace

TEST(Requests, a_request_costs_what_a_walk_over_all_its_tokens_costs) {
    expect_walk(request("opt-125m", "200", "9"), 1e-9);
    expect_walk(request("llama-3.2-1b", "70", "5", "3"), 1e-9);
    expect_walk(request("llama-3.2-1b", "130", "1"), 1e-9);
    expect_walk(request("llama-3.2-1b", "40", "7", "100"), 5e-3);
    expect_walk(request("opt-125m", "1500", "300"), 5e-3);
    expect_walk(with(request("opt-125m", "300", "200", "2"), "dpus", "16"), 5e-3);
}

TEST(Proposals, cost_what_a_walk_over_the_passes_that_verify_them_costs) {
    struct Case {
        std::string draft, acceptance, output;
        std::int64_t passes, positions, apart;
    };
    for (auto const& c : {Case{"3", "1", "25", 6, 4, 4}, Case{"2", "0", "7", 6, 3, 1}, Case{"5", "1", "7", 1, 6, 6}}) {
        auto const plain = request("llama-3.2-1b", "70", c.output, "3");
        Walk walk(plain), draft(request("opt-125m", "70", c.output, "3"));
        double const prompt = walk.prompt(), tokens = walk.verified(c.passes, c.positions, c.apart);
        auto const free = proposing(plain, c.draft, c.acceptance);
        EXPECT_NEAR(upmem().value(free, "ttft"), prompt, 1e-9 * prompt);
        EXPECT_NEAR(upmem().value(free, "latency"), prompt + tokens, 5e-3 * (prompt + tokens));
        double const both = prompt + draft.prompt();
        double const all = both + tokens + draft.proposed(c.passes, std::stoll(c.draft), c.apart);
        auto const paid = proposing(plain, c.draft, c.acceptance, "opt-125m");
        EXPECT_NEAR(upmem().value(paid, "ttft"), both, 1e-9 * both);
        EXPECT_NEAR(upmem().value(paid, "latency"), all, 5e-3 * all);
    }
}

TEST(Proposals, of_no_token_change_nothing_and_refused_ones_help_nobody) {
    for (auto const& plain : {request("opt-125m", "200", "40"), request("llama-3.2-1b", "70", "9", "16"),
                              request("gemma-2-9b", "4500", "9", "1", "2048")}) {
        auto settings = plain;
        if (plain.front().second == "gemma-2-9b") settings.emplace_back("ranks", "40");
        for (auto const* metric : {"ttft", "itl", "latency", "energy", "area"}) {
            double const value = upmem().value(settings, metric);
            EXPECT_EQ(upmem().value(proposing(settings, "0", "0.3", "opt-125m"), metric), value) << metric;
            for (auto const* draft : {"1", "4"})
                EXPECT_GE(upmem().value(proposing(settings, draft, "0"), metric), value * (1.0 - 1e-9)) << metric;
        }
        double before = 1e300;
        for (auto const* acceptance : {"0", "0.3", "0.7", "0.9", "1"}) {
            double const now = upmem().value(proposing(settings, "4", acceptance), "latency");
            EXPECT_LE(now, before) << acceptance;
            before = now;
        }
        EXPECT_EQ(upmem().refusal(proposing(settings, "4", "0.7")), "");
    }
}

/// A DPU multiplies one vector after the other, so that proposals save launches and calls, but no products where every
/// tasklet has rows for one vector.
TEST(Proposals, save_launches_but_no_products) {
    auto const plain = request("llama-3.2-1b", "64", "65", "1", "64");
    double const gain = upmem().value(plain, "itl") / upmem().value(proposing(plain, "3", "1"), "itl");
    EXPECT_GT(gain, 1.0);
    EXPECT_LT(gain, 4.0);
    double const cycles = upmem().value(plain, "kernel_cycles");
    EXPECT_NEAR(upmem().value(proposing(plain, "3", "1"), "kernel_cycles"), cycles, 0.1 * cycles);
}

/// Acceptance and draft model are in a key where there are proposals, and only there.
TEST(Proposals, are_in_the_key_of_a_search_where_there_are_any) {
    auto const plain = request("opt-125m", "64", "9");
    auto const key = [&](std::string const& draft, std::string const& acceptance, std::string const& llm = "none") {
        return upmem().row().proofs.cycle_key(upmem().inputs(),
                                              upmem().point(proposing(plain, draft, acceptance, llm)));
    };
    EXPECT_EQ(key("0", "0.1", "opt-125m"), key("0", "0.9"));
    EXPECT_NE(key("4", "0.7"), key("0", "0.7"));
    EXPECT_NE(key("4", "0.7"), key("4", "0.6"));
    EXPECT_NE(key("4", "0.7"), key("4", "0.7", "opt-125m"));
}

TEST(Proposals, of_a_model_need_room_and_those_of_kernels_do_not_exist) {
    auto const plain = request("llama-3.2-1b", "64", "9");
    EXPECT_GT(upmem().value(proposing(plain, "2", "0.7", "opt-125m"), "footprint"),
              upmem().value(plain, "footprint") + 100e6);
    EXPECT_EQ(upmem().value(proposing(plain, "2", "0.7"), "footprint"), upmem().value(plain, "footprint"));
    EXPECT_TRUE(upmem().refusal(proposing(plain, "2", "0.7", "llama-3-70b")).starts_with("mram"));
    EXPECT_TRUE(upmem().refusal(proposing(plain, "2", "0.7", "llada-8b")).starts_with("draft_llm"));
    EXPECT_TRUE(upmem().refusal({{"kernel", "va"}, {"draft", "2"}}).starts_with("draft:"));
    EXPECT_EQ(upmem().refusal({{"kernel", "va"}, {"draft", "0"}, {"draft_llm", "opt-125m"}}), "");
}

TEST(Requests, times_of_tokens_add_up) {
    auto const settings = request("llama-3.2-1b", "128", "64", "4");
    double const first = upmem().value(settings, "ttft"), all = upmem().value(settings, "latency");
    EXPECT_NEAR(upmem().value(settings, "itl") * 63, all - first, 1e-9 * all);
    EXPECT_NEAR(upmem().value(settings, "tokens_per_second"), 4 * 64 / all, 1e-9);
    EXPECT_NEAR(upmem().value(settings, "energy_per_token") * 4 * 64, upmem().value(settings, "energy"), 1e-6);
    EXPECT_TRUE(std::isnan(upmem().value(request("opt-125m", "8", "1"), "itl")));
    EXPECT_TRUE(std::isnan(upmem().value({}, "ttft")));
    EXPECT_TRUE(std::isnan(upmem().value({}, "tokens_per_second")));
}

TEST(Requests, longer_ones_take_longer_and_batches_pay) {
    double const one = upmem().value(request("opt-125m", "128", "64"), "latency");
    EXPECT_GT(upmem().value(request("opt-125m", "256", "64"), "latency"), one);
    EXPECT_GT(upmem().value(request("opt-125m", "128", "65"), "latency"), one);
    EXPECT_GT(upmem().value(request("opt-125m", "128", "64", "8"), "tokens_per_second"),
              upmem().value(request("opt-125m", "128", "64"), "tokens_per_second"));
}

TEST(Requests, occupy_weights_cache_and_buffers) {
    auto const small = request("opt-125m", "128", "1"), large = request("opt-125m", "1152", "1");
    // 12 heads over 512 DPUs: 42 DPUs a head, 25 more positions in each, keys and values of 64 in 12 layers.
    double const cache = 12.0 * (std::ceil(1152 / 42.0) - std::ceil(128 / 42.0)) * 2 * 64;
    double const more = upmem().value(large, "mram_per_dpu") - upmem().value(small, "mram_per_dpu");
    EXPECT_GE(more, cache);
    EXPECT_LE(more, cache + 64 * 28 * 8);
    EXPECT_GT(upmem().value(small, "footprint"), 125e6);
    EXPECT_EQ(upmem().value(small, "precision"), 8.0);
}

/// What is enough for a batch is enough for fewer sequences, of which a pass takes more positions of the prompt.
TEST(Requests, never_occupy_less_with_a_larger_batch) {
    for (auto const* input : {"1", "17", "100"}) {
        double before = 0.0;
        for (int batch = 1; batch <= 70; ++batch) {
            double const bytes = upmem().value(request("opt-125m", input, "4", std::to_string(batch)), "footprint");
            EXPECT_GE(bytes, before) << input << " " << batch;
            before = bytes;
        }
    }
}

TEST(Requests, that_cannot_be_served_say_why) {
    auto const refusal = [](Settings const& settings) { return upmem().refusal(settings); };
    EXPECT_EQ(refusal(request("llama-2-7b", "512", "128", "1", "64")).substr(0, 6), "mram: ");
    EXPECT_EQ(refusal(request("opt-125m", "2000", "128")),
              "context: input 2000 + output 128 = 2128 tokens exceed the 2048 positions that OPT-125M has learned");
    EXPECT_EQ(refusal(request("llada-8b", "128", "128")).substr(0, 12), "generation: ");
    EXPECT_EQ(refusal(with(request("opt-125m", "128", "8"), "streams", "2")).substr(0, 9), "streams: ");
}

TEST(Requests, without_a_model_are_the_kernel) {
    EXPECT_EQ(upmem().value({{"scope", "end_to_end"}, {"kernel", "red"}}, "latency"),
              upmem().value({{"kernel", "red"}}, "latency"));
    EXPECT_EQ(upmem().value(with(request("opt-125m", "32", "4"), "kernel", "red"), "latency"),
              upmem().value(request("opt-125m", "32", "4"), "latency"));
}

TEST(Requests, bounds_of_coarse_fidelities_contain_the_cycle_result) {
    auto const settings = request("opt-125m", "16", "3");
    for (std::string const metric : {"latency", "ttft", "itl", "energy", "tokens_per_second", "power"}) {
        double const exact = upmem().value(settings, metric, Fidelity::cycle);
        auto const e = upmem().estimate(settings, metric, Fidelity::analytic);
        EXPECT_LE(e.lower, exact) << metric;
        EXPECT_GE(e.upper, exact) << metric;
        EXPECT_NEAR(e.value, exact, 0.1 * exact) << metric;
    }
}

TEST(Requests, explanation_goes_along_both_parts) {
    auto const settings = request("opt-125m", "64", "8");
    auto const parts = upmem().row().explain(upmem().inputs(), upmem().point(settings), Fidelity::analytic);
    double prompt = 0.0, energy = 0.0;
    for (auto const& share : parts.time) prompt += share.what.starts_with("prefill/") ? share.amount : 0.0;
    for (auto const& share : parts.energy) energy += share.amount;
    EXPECT_NEAR(prompt, upmem().value(settings, "ttft"), 1e-9 * prompt);
    EXPECT_NEAR(energy, upmem().value(settings, "energy"), 1e-9 * energy);
}

}  // namespace pimdse::models::upmem::request_test
