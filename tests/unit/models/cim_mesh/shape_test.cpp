#include "tests/unit/models/cim_mesh/designs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

namespace pimdse::models::cim_mesh::test::shape_test {
namespace {

double at(Settings const& settings, char const* metric) { return Given(settings).metric(metric).value; }

/// `metric` at each value of a parameter, in order.
std::vector<double> along(Settings const& settings, char const* parameter, std::vector<char const*> const& values,
                          char const* metric) {
    std::vector<double> results;
    for (char const* value : values) results.push_back(at(with(settings, parameter, value), metric));
    return results;
}

void expect_never_more(std::vector<double> const& results, std::string const& what) {
    for (std::size_t i = 1; i < results.size(); ++i) EXPECT_LE(results[i], results[i - 1] * (1.0 + 1e-12)) << what;
}

Settings request(char const* model, char const* schedule) {
    return {{"llm", model}, {"input", "512"}, {"output", "256"}, {"schedule", schedule}};
}

TEST(Shape, of_nine_meshes_gives_nine_results) {
    for (char const* schedule : {"serial", "tree"}) {
        for (char const* metric : {"ttft", "itl", "latency", "energy", "power"}) {
            std::set<double> results;
            for (auto const& [rows, cols] : std::vector<std::pair<char const*, char const*>>{{"8", "8"},
                                                                                             {"8", "32"},
                                                                                             {"16", "16"},
                                                                                             {"16", "64"},
                                                                                             {"32", "16"},
                                                                                             {"32", "32"},
                                                                                             {"64", "32"},
                                                                                             {"64", "64"},
                                                                                             {"128", "128"}}) {
                auto const shaped = with(with(request("llama-2-13b", schedule), "mesh_rows", rows), "mesh_cols", cols);
                results.insert(at(shaped, metric));
            }
            EXPECT_EQ(results.size(), 9U) << schedule << " " << metric;
        }
    }
}

TEST(Shape, with_more_columns_crosses_fewer_borders_and_is_never_slower) {
    for (char const* model : {"llama-2-13b", "llama-3-8b"}) {
        double chains = 1e9;
        for (char const* cols : {"8", "16", "32", "64"}) {
            Placed const p(with(request(model, "serial"), "mesh_cols", cols));
            EXPECT_LE(p.counts.chain_borders, chains) << model << cols;
            chains = p.counts.chain_borders;
        }
        expect_never_more(along(request(model, "serial"), "mesh_cols", {"8", "16", "32", "64"}, "itl"), model);
    }
}

/// When all routers hold keys.
double farthest_key_route(Placed const& placed) { return placed.layer.holder_routes(placed.layer.max_owners()).mean; }

TEST(Shape, nearer_a_square_brings_keys_nearer_to_their_queries) {
    auto const route = [](char const* rows) {
        return farthest_key_route(Placed(with(request("llama-2-13b", "serial"), "mesh_rows", rows)));
    };
    EXPECT_GT(route("8"), route("16"));
    EXPECT_GT(route("16"), route("32"));
    EXPECT_GT(route("32"), route("64"));
}

TEST(Shape, of_the_cache_pool_is_nearer_when_it_is_colocated) {
    double const layer = farthest_key_route(Placed(request("llama-2-13b", "serial")));
    double const kv = farthest_key_route(Placed(with(request("llama-2-13b", "serial"), "kv_pool", "colocated")));
    EXPECT_LT(kv, layer);
    EXPECT_LT(at(with(request("llama-2-13b", "serial"), "kv_pool", "colocated"), "itl"),
              at(request("llama-2-13b", "serial"), "itl"));
}

TEST(Shape, of_the_placement_changes_both_phases_of_both_schedules) {
    for (char const* schedule : {"serial", "tree"}) {
        auto const genes =
            with(with(request("llama-2-13b", schedule), "placement", "genes"), "attention_order", "o-v-k-q");
        for (char const* metric : {"ttft", "itl"})
            EXPECT_NE(at(genes, metric), at(request("llama-2-13b", schedule), metric)) << schedule << metric;
    }
}

TEST(Resource, that_is_more_is_never_slower) {
    struct Ladder {
        char const* parameter;
        std::vector<char const*> values;
    };
    for (auto const& ladder :
         {Ladder{"dmacs", {"2", "4", "8", "16", "32"}}, Ladder{"link_bits", {"32", "64", "128", "256"}},
          Ladder{"fifo_bytes", {"16", "32", "64", "128", "256"}},
          Ladder{"scratchpad", {"8192", "16384", "32768", "65536"}}}) {
        for (char const* schedule : {"serial", "tree"}) {
            for (char const* metric : {"ttft", "itl"})
                expect_never_more(along(request("llama-2-13b", schedule), ladder.parameter, ladder.values, metric),
                                  fmt::format("{} {} {}", ladder.parameter, schedule, metric));
        }
    }
}

TEST(Resource, binds_where_physics_says_so) {
    auto const serial = request("llama-3.2-1b", "serial");
    auto const strictly = [&](Setting const& less, char const* metric) {
        EXPECT_GT(at(with(serial, {less}), metric), at(serial, metric)) << less.first << metric;
    };
    strictly({"dmacs", "8"}, "itl");   // products of a key no longer hide under its transfer
    strictly({"dmacs", "4"}, "ttft");  // nor additions under theirs
    for (char const* metric : {"ttft", "itl"}) {
        strictly({"link_bits", "32"}, metric);
        strictly({"fifo_bytes", "32"}, metric);
    }
    // A scratchpad nearly full of keys holds few queries at a time, so that keys stream by more often.
    Settings const full{{"llm", "llama-2-13b"}, {"input", "4000"}, {"output", "96"}};
    EXPECT_GT(at(with(full, "scratchpad", "10752"), "ttft"), at(full, "ttft"));
}

TEST(Resource, is_never_free) {
    Settings const base{{"llm", "llama-3.2-1b"}, {"input", "512"}, {"output", "128"}};
    for (auto const& [less, more] :
         std::vector<std::pair<Setting, Setting>>{{{"dmacs", "16"}, {"dmacs", "32"}},
                                                  {{"link_bits", "64"}, {"link_bits", "128"}},
                                                  {{"fifo_bytes", "128"}, {"fifo_bytes", "256"}},
                                                  {{"scratchpad", "32768"}, {"scratchpad", "65536"}},
                                                  {{"mesh_rows", "32"}, {"mesh_rows", "64"}},
                                                  {{"mesh_cols", "32"}, {"mesh_cols", "64"}}}) {
        EXPECT_GT(at(with(base, {more}), "area"), at(with(base, {less}), "area")) << less.first;
    }
}

TEST(Machine, of_leap_is_the_papers) {
    Given const a({{"machine", "leap-a"}, {"llm", "llama-3.2-1b"}});
    EXPECT_EQ(a.design.crossbar, 128);
    EXPECT_EQ(a.design.fifo_bytes, 256);
    EXPECT_EQ(a.parts.placed_tiles, 4);  // one of attention, three of the feed-forward part
    EXPECT_EQ(a.parts.total_tiles, 64);
    EXPECT_NEAR(a.metric("paper_power").value, 10.528, 0.001);
    EXPECT_NEAR(a.metric("static_power").value, 10.528, 0.001);  // this model is the one they hold
    EXPECT_NEAR(Given({{"machine", "leap-d"}, {"llm", "llama-3.2-1b"}}).metric("paper_power").value, 21.412, 0.001);
    EXPECT_EQ(Given({{"machine", "leap-a"}, {"crossbar", "64"}}).design.crossbar, 64);
}

/// 65,536 macros hold 1.07 G weights: larger models need more of them, all powered.
TEST(Machine, of_leap_needs_more_macros_for_larger_models_than_its_paper_counts) {
    Settings const eight{{"machine", "leap-a"}, {"llm", "llama-3-8b"}, {"input", "1024"}, {"output", "1024"}};
    EXPECT_GT(at(eight, "static_power"), 6.5 * at(eight, "paper_power"));
    EXPECT_GT(at(eight, "power"), at(eight, "paper_power"));
    EXPECT_NEAR(at(eight, "paper_tokens_per_joule") / at(eight, "tokens_per_joule_with_prompt"),
                at(eight, "power") / at(eight, "paper_power"), 1e-9);
}

TEST(Machine, with_a_decode_region_is_faster_and_larger) {
    Settings const request{{"llm", "llama-3-8b"}, {"input", "1024"}, {"output", "1024"}};
    auto const a = with(request, "machine", "leap-a"), d = with(request, "machine", "leap-d");
    EXPECT_LT(at(d, "itl"), at(a, "itl"));
    EXPECT_GT(at(d, "area"), at(a, "area"));
    EXPECT_GT(at(d, "idle_power"), at(a, "idle_power"));
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::shape_test
