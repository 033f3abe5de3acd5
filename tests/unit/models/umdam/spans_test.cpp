#include "models/llm/language_models.hpp"
#include "tests/unit/models/contract/temporary_file.hpp"
#include "tests/unit/models/umdam/random_setting.hpp"
#include "tests/unit/models/umdam/requested.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

/// Windows of attention, against one position after the other.
namespace pimdse::models::umdam::spans_test {
namespace {

using testing::own_model;
using testing::Requested;
using Pairs = std::vector<std::pair<std::string, std::string>>;

struct Window {
    std::int64_t positions = 0;
    bool chunked = false;
};

bool attends(Window const& w, std::int64_t query, std::int64_t key) {
    if (key > query) return false;
    if (w.positions == 0) return true;
    return w.chunked ? (query - 1) / w.positions == (key - 1) / w.positions : query - key < w.positions;
}

TEST(Spans, count_the_keys_of_every_query) {
    for (std::int64_t const positions : {0, 1, 2, 5, 16, 24, 33, 100}) {
        for (bool const chunked : {false, true}) {
            Window const w{positions, chunked};
            Span const span(1.0, positions, chunked);
            double sum = 0.0;
            for (std::int64_t query = 1; query <= 120; ++query) {
                std::int64_t keys = 0;
                for (std::int64_t key = 1; key <= query; ++key) keys += attends(w, query, key) ? 1 : 0;
                sum += static_cast<double>(keys);
                ASSERT_EQ(span.keys(query), keys) << positions << chunked << query;
                ASSERT_EQ(span.keys_up_to(query), sum) << positions << chunked << query;
            }
        }
    }
}

TEST(Spans, unite_the_keys_of_queries_that_follow_each_other) {
    for (std::int64_t const positions : {0, 1, 5, 16, 33}) {
        for (bool const chunked : {false, true}) {
            Window const w{positions, chunked};
            Span const span(1.0, positions, chunked);
            for (std::int64_t first = 1; first <= 60; ++first) {
                for (std::int64_t last = first; last <= 60; last += 7) {
                    std::set<std::int64_t> keys;
                    for (std::int64_t query = first; query <= last; ++query)
                        for (std::int64_t key = 1; key <= query; ++key)
                            if (attends(w, query, key)) keys.insert(key);
                    ASSERT_EQ(span.keys_of_all(first, last), static_cast<std::int64_t>(keys.size()));
                }
            }
        }
    }
}

TEST(Spans, count_the_tiles_that_are_not_empty) {
    for (std::int64_t const positions : {0, 1, 2, 5, 16, 17, 24, 33, 100}) {
        for (bool const chunked : {false, true}) {
            Window const w{positions, chunked};
            Span const span(1.0, positions, chunked);
            for (std::int64_t last = 1; last <= 110; last += 3) {
                std::set<std::pair<std::int64_t, std::int64_t>> tiles;
                for (std::int64_t query = 1; query <= last; ++query)
                    for (std::int64_t key = 1; key <= query; ++key)
                        if (attends(w, query, key)) tiles.insert({(query - 1) / 16, (key - 1) / 16});
                ASSERT_EQ(span.tile_pairs(last, 16), static_cast<double>(tiles.size())) << positions << chunked << last;
            }
        }
    }
}

/// Tiles of queries that begin behind `before` positions, as those of a part of a prompt.
TEST(Spans, count_the_tiles_of_queries_behind_others) {
    for (std::int64_t const positions : {0, 1, 2, 5, 16, 17, 24, 33, 100}) {
        for (bool const chunked : {false, true}) {
            Window const w{positions, chunked};
            Span const span(1.0, positions, chunked);
            for (std::int64_t before = 0; before <= 70; before += 5) {
                for (std::int64_t last = before + 1; last <= 110; last += 7) {
                    std::set<std::pair<std::int64_t, std::int64_t>> tiles;
                    for (std::int64_t query = before + 1; query <= last; ++query)
                        for (std::int64_t key = 1; key <= query; ++key)
                            if (attends(w, query, key)) tiles.insert({(query - before - 1) / 16, (key - 1) / 16});
                    ASSERT_EQ(span.tile_pairs(last, 16, before), static_cast<double>(tiles.size()))
                        << positions << chunked << before << " " << last;
                }
            }
        }
    }
}

TEST(Spans, list_every_context_once) {
    for (std::int64_t const positions : {0, 1, 5, 16, 33}) {
        for (bool const chunked : {false, true}) {
            Span const span(1.0, positions, chunked);
            for (std::int64_t first = 1; first <= 70; first += 3) {
                for (std::int64_t count = 1; count <= 80; count += 7) {
                    std::multiset<std::int64_t> wanted, found;
                    for (std::int64_t i = 0; i < count; ++i) wanted.insert(span.keys(first + i));
                    for (auto const& keys : span.attended({first, count}))
                        for (double time = 0.0; time < keys.times; ++time)
                            for (std::int64_t i = 0; i < keys.contexts.count; ++i)
                                found.insert(keys.contexts.first + i);
                    ASSERT_EQ(found, wanted) << positions << chunked << first << " " << count;
                }
            }
        }
    }
}

Pairs windowed(std::string const& model, std::string const& attention, std::string const& input = "200") {
    return {{"llm", model},           {"ignore_capacity", "true"}, {"input", input},       {"output", "9"},
            {"attention", attention}, {"prefill_unit", "npu"},     {"decode_unit", "pim"}, {"lm_head", "skip"}};
}

std::vector<std::string> models_with_windows() { return {own_model("tiny_kinds.toml"), "gpt-oss-20b"}; }

TEST(Spans, end_reads_of_the_cache_at_the_window) {
    for (auto const& model : models_with_windows()) {
        for (auto const* input : {"20", "200"}) {
            for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
                Requested const on_npu(windowed(model, "npu", input)), in_banks(windowed(model, "pim", input));
                auto const& o = on_npu.system.standard.organisation;
                std::int64_t const token = kv_elements_per_token(*on_npu.system.model) * 2;
                auto const group = on_npu.system.model->heads / on_npu.system.model->kv_heads;
                double bytes = 0.0, bursts = 0.0;
                for (auto const& alike : alike_layers(*on_npu.system.model)) {
                    for (std::int64_t step = 1; step <= 8; ++step) {
                        auto const context = on_npu.system.design.input + step;
                        std::int64_t keys = 0;
                        for (std::int64_t key = 1; key <= context; ++key)
                            keys += attends({alike.window, alike.chunked}, context, key) ? 1 : 0;
                        auto const layers = static_cast<double>(alike.layers);
                        bytes += layers * static_cast<double>(keys * token);
                        std::int64_t const row = lanes(o) * o.burst_bytes;
                        bursts += layers * static_cast<double>((keys * token + row - 1) / row * lanes(o) * group);
                    }
                }
                EXPECT_NEAR(on_npu.cost(fidelity).rest[Part::attention].commands.reads.value * o.burst_bytes, bytes,
                            1e-9 * bytes);
                EXPECT_NEAR(in_banks.cost(fidelity).rest[Part::attention].commands.bank_reads, bursts, 1e-9 * bursts);
            }
        }
    }
}

TEST(Spans, end_scores_of_prompts_and_tokens_at_the_window) {
    for (auto const& model : models_with_windows()) {
        Requested const r(windowed(model, "npu"));
        auto const cost = r.cost();
        double prompt = 0.0, tokens = 0.0, softmax = 0.0;
        for (auto const& alike : alike_layers(*r.system.model)) {
            double of_prompt = 0.0, of_tokens = 0.0;
            for (std::int64_t query = 1; query <= 208; ++query)
                for (std::int64_t key = 1; key <= query; ++key)
                    if (attends({alike.window, alike.chunked}, query, key)) (query <= 200 ? of_prompt : of_tokens) += 1;
            auto const layers = static_cast<double>(alike.layers);
            prompt += layers * of_prompt;
            tokens += layers * of_tokens;
            softmax += layers * of_tokens * static_cast<double>(alike.heads);
        }
        auto const width = static_cast<double>(r.system.model->query_width());
        EXPECT_NEAR(cost.first[Part::attention].commands.cube_operations, 4.0 * width * prompt, 1e-6 * prompt);
        EXPECT_NEAR(cost.rest[Part::attention].commands.cube_operations, 4.0 * width * tokens, 1e-6 * tokens);
        auto const& npu = prepared_of(r.inputs).machine.npu;
        double const norms = 2.0 * 8.0 * static_cast<double>(r.system.model->layers * r.system.model->hidden);
        double elementwise = 0.0;  // rotation of queries and keys, activation of each expert's gate, two sums
        for (auto const& alike : alike_layers(*r.system.model)) {
            double of_layer = 3.0 * static_cast<double>(alike.query_width() + alike.kv_width()) +
                              2.0 * static_cast<double>(alike.hidden);
            for (auto const& matrix : layer_matrices(alike))
                if (matrix.name == "up") of_layer += 4.0 * static_cast<double>(matrix.active * matrix.outputs);
            elementwise += 8.0 * static_cast<double>(alike.layers) * of_layer;
        }
        double const operations = norms * npu.norm_operations + softmax * npu.softmax_operations + elementwise;
        EXPECT_NEAR(cost.rest[Part::vector].commands.vector_operations, operations, 1e-9 * operations);
    }
}

TEST(Spans, bound_what_the_cache_holds) {
    auto const cache = [](std::string const& input) {
        return Requested(windowed("gpt-oss-20b", "npu", input)).system.kv_cache;
    };
    // half of the 24 layers hold 128 positions; 8 heads of 64 elements of keys and of values
    EXPECT_EQ(cache("3000") - cache("2000"), 1000.0 * 12 * 2 * 8 * 64 * 2);
    EXPECT_EQ(cache("60") - cache("50"), 10.0 * 24 * 2 * 8 * 64 * 2);
}

/// The tiny model, whose layers attend to `window` positions.
std::string text_with(std::string const& lines) {
    std::ifstream file(own_model("tiny.toml"));
    std::stringstream text;
    text << file.rdbuf() << lines;
    return text.str();
}

TEST(Spans, as_long_as_the_request_are_none) {
    models::testing::TemporaryFile const full(text_with("")), window(text_with("window = 49\n")),
        shorter(text_with("window = 20\n")), chunks(text_with("window = 49\nchunked = true\n"));
    auto const metrics = [](models::testing::TemporaryFile const& file, Fidelity fidelity, std::string const& attention,
                            std::string const& concurrency) {
        Requested const r({{"llm", file.path().string()},
                           {"input", "40"},
                           {"output", "9"},
                           {"attention", attention},
                           {"concurrency", concurrency}});
        auto const outcome = shipped_umdam().evaluate(r.inputs, r.point, fidelity);
        std::vector<double> values;
        for (auto const& metric : std::get<Metrics>(outcome)) {
            if (!applies(metric)) continue;
            values.push_back(metric.value);
            values.push_back(metric.lower);
            values.push_back(metric.upper);
        }
        return values;
    };
    for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
        for (auto const* attention : {"npu", "pim", "auto"}) {
            for (auto const* concurrency : {"exclusive", "scheduled", "partition"}) {
                auto const of = [&](auto const& file) { return metrics(file, fidelity, attention, concurrency); };
                EXPECT_EQ(of(window), of(full));
                EXPECT_EQ(of(chunks), of(full));
                EXPECT_NE(of(shorter), of(full));
            }
        }
    }
}

TEST(Spans, are_not_for_blocks_that_attend_to_all_positions) {
    auto const refused = [](std::string const& input) {
        return asked({{"llm", own_model("tiny_kinds.toml")},
                      {"generation", "diffusion"},
                      {"input", input},
                      {"output", "8"},
                      {"block_length", "8"}})
            .rule();
    };
    EXPECT_EQ(refused("17"), "window");
    EXPECT_EQ(refused("16"), "");
}

}  // namespace
}  // namespace pimdse::models::umdam::spans_test
