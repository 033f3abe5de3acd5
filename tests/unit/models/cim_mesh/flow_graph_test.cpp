#include "models/cim_mesh/flow_graph.hpp"

#include "models/contract/flow_graph.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <set>

namespace pimdse::models::cim_mesh::test::flow_graph_test {
namespace {

/// Every path through a graph, one after another: the slow reference of critical_path().
double longest_from(FlowGraph const& graph, std::size_t stage) {
    double after = 0.0;
    for (auto const& edge : graph.data)
        if (edge.from == stage) after = std::max(after, longest_from(graph, edge.to));
    return graph.stages[stage].seconds + after;
}

double slow_path(FlowGraph const& graph) {
    double longest = 0.0;
    for (std::size_t i = 0; i < graph.stages.size(); ++i) longest = std::max(longest, longest_from(graph, i));
    return longest;
}

std::set<std::string> names_of(FlowGraph const& graph) {
    std::set<std::string> names;
    for (auto const& stage : graph.stages) names.insert(stage.name);
    return names;
}

/// Seconds of a decoded token in a layer.
double layer_seconds(Given const& given, Fidelity fidelity) {
    return given.metric("itl", fidelity).value / static_cast<double>(given.design.model->layers);
}

std::vector<Settings> designs() {
    std::vector<Settings> all;
    for (auto const* schedule : {"serial", "tree"}) {
        for (auto const* model : {"llama-3.2-1b", "opt-125m", "llama-2-7b"}) {
            auto settings = small(model, schedule);
            all.push_back(settings);
            for (auto const& more : {Settings{{"lora_targets", "q"}, {"smac_cycles", "50"}, {"layer_overhead", "1 us"}},
                                     Settings{{"dynamic_products", "digital"}}, Settings{{"activations", "counted"}}})
                all.push_back(settings = with(settings, more));
        }
    }
    all.push_back(with(small("llama-3.2-1b", "serial"), "machine", "leap-d"));
    all.push_back(with(small("llama-3.2-1b", "serial"), "dynamic_products", "shared"));
    return all;
}

TEST(FlowGraph, takes_the_time_of_a_layer_and_no_path_takes_longer) {
    for (auto const& settings : designs()) {
        Given const given(settings);
        for (auto const fidelity : {Fidelity::analytic, Fidelity::cycle}) {
            auto const graph = given.architecture.flow_graph(given.inputs, given.point, fidelity);
            double const layer = layer_seconds(given, fidelity);
            EXPECT_NEAR(graph.together(), layer, 1e-9 * layer);
            EXPECT_NEAR(critical_path(graph), slow_path(graph), 1e-12 * layer);
            EXPECT_LE(critical_path(graph), layer * (1.0 + 1e-9));
            EXPECT_GT(critical_path(graph), 0.0);
        }
    }
}

TEST(FlowGraph, has_every_matrix_and_all_of_attention) {
    for (auto const& settings : designs()) {
        Given const given(settings);
        auto const graph = given.architecture.flow_graph(given.inputs, given.point, Fidelity::analytic);
        auto const names = names_of(graph);
        for (auto const* stage : {"queries x keys", "softmax", "scores x values", "append k, v", "o", "down"})
            EXPECT_TRUE(names.contains(stage)) << stage;
        EXPECT_EQ(names.size(), graph.stages.size());
        if (given.design.schedule == Schedule::tree) {
            PlacedLayer const layer(given.machine, given.packed());
            for (auto const& stage : layer.program().fixed_stages())
                EXPECT_TRUE(names.contains(std::string(stage.name))) << stage.name;
        } else {
            for (auto const& matrix : given.parts.matrices) EXPECT_TRUE(names.contains(matrix.name)) << matrix.name;
        }
    }
}

TEST(FlowGraph, hands_on_the_vectors_between_matrices) {
    Given const given(small("llama-3.2-1b", "serial"));
    auto const graph = given.architecture.flow_graph(given.inputs, given.point, Fidelity::analytic);
    auto const index = [&](std::string_view name) {
        auto const found = std::ranges::find(graph.stages, name, &FlowGraph::Stage::name);
        return static_cast<std::size_t>(found - graph.stages.begin());
    };
    auto const bytes = [&](std::string_view from, std::string_view to) {
        for (auto const& edge : graph.data)
            if (edge.from == index(from) && edge.to == index(to)) return edge.bytes;
        return -1.0;
    };
    EXPECT_EQ(bytes("input to q, k, v", "q"), 2048.0);
    EXPECT_EQ(bytes("k", "append k, v"), 512.0);
    EXPECT_EQ(bytes("append k, v", "queries x keys"), 512.0 * 17.0);  // 12 tokens and half of 10
    EXPECT_EQ(bytes("queries x keys", "softmax"), 32.0 * 17.0);
    EXPECT_EQ(bytes("up", "input to down"), 8192.0);
}

TEST(FlowGraph, is_that_of_one_token_and_of_a_feasible_design) {
    Given const diffusing(small("llada-8b", "serial"));
    EXPECT_THROW((void)diffusing.architecture.flow_graph(diffusing.inputs, diffusing.point, Fidelity::analytic),
                 sim::InputError);
    Given const broken({{"crossbar", "48"}});
    EXPECT_THROW((void)broken.architecture.flow_graph(broken.inputs, broken.point, Fidelity::analytic),
                 sim::InputError);
}

TEST(FlowGraph, refuses_a_cycle) {
    FlowGraph graph;
    auto const a = graph.add("a", 1.0), b = graph.add("b", 2.0);
    graph.hand_on(a, b, 1.0);
    EXPECT_EQ(critical_path(graph), 3.0);
    EXPECT_NE(dot_of(graph).find("s0 -> s1"), std::string::npos);
    graph.hand_on(b, a, 1.0);
    EXPECT_THROW((void)critical_path(graph), std::exception);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::flow_graph_test
