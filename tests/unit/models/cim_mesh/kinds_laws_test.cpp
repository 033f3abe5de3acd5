#include "models/contract/common_metrics.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <fstream>
#include <map>
#include <sstream>

/// What a search may rely on, for a model with several kinds of layers.
namespace pimdse::models::cim_mesh::test::kinds_laws_test {
namespace {

/// The file of a small model: dense layers, experts with a shared one in windows, and chunks.
std::string model_file() {
    static std::string const path = [] {
        std::ifstream shipped(std::string(PIMDSE_TEST_DATA) + "/../../models/llm/qwen2.5-0.5b.toml");
        std::ostringstream text;
        for (std::string line; std::getline(shipped, line);) {
            auto const name = line.substr(0, line.find_first_of(" ="));
            bool const of_layers = name == "layers" || name == "ffn" || name.starts_with("expert");
            if (!of_layers && name != "published_parameters") text << line << '\n';
        }
        auto const kind = [&](char const* window, char const* networks) {
            text << "[[layer_kind]]\n" << window << networks << '\n';
        };
        kind("layers = 3\n", "ffn = 1024\nexperts = 0\nexperts_active = 0\nexpert_ffn = 0");
        kind("layers = 5\nwindow = 7\n", "ffn = 256\nexperts = 4\nexperts_active = 2\nexpert_ffn = 768");
        kind("layers = 2\nwindow = 9\nchunked = true\n", "ffn = 1024\nexperts = 0\nexperts_active = 0\nexpert_ffn = 0");
        auto file = testing::TempDir() + "cim_mesh_kinds_" + std::to_string(::getpid()) + ".toml";
        std::ofstream(file) << text.str();
        return file;
    }();
    return path;
}

Settings of_kinds(std::vector<Setting> const& more) {
    return with(small(model_file().c_str(), "serial"), Settings(more));
}

TEST(KindsLaws, keep_the_declared_directions_of_lower_bounds) {
    std::map<std::string_view, std::pair<char const*, char const*>> const steps{{"frequency", {"0.8 GHz", "1.4 GHz"}},
                                                                                {"dmacs", {"4", "16"}},
                                                                                {"fifo_bytes", {"48", "128"}},
                                                                                {"scratchpad", {"8192", "32768"}},
                                                                                {"context_tile", {"1", "8"}},
                                                                                {"batch", {"1", "3"}},
                                                                                {"lora_rank", {"4", "16"}},
                                                                                {"smac_cycles", {"0", "20"}},
                                                                                {"layer_overhead", {"0 s", "1 us"}},
                                                                                {"attained_share", {"0.5", "1"}},
                                                                                {"adapter_every", {"4", "16"}},
                                                                                {"devices", {"1", "2"}},
                                                                                {"scratchpad_banks", {"1", "4"}}};
    Given const declared;
    std::size_t held = 0;
    for (auto const& base : std::vector<std::vector<Setting>>{{{"lora_targets", "all"}},
                                                              {{"lora_targets", "q+v"}, {"schedule", "tree"}},
                                                              {{"lora_targets", "all"}, {"schedule", "searched"}},
                                                              {{"lora_targets", "q+v"}, {"placement", "searched"}}}) {
        std::map<std::string_view, std::pair<Metrics, Metrics>> found;
        for (auto const& [parameter, values] : steps) {
            auto const at = [&](char const* value) {
                return std::get<Metrics>(Given(with(of_kinds(base), std::string(parameter), value)).outcome());
            };
            found.emplace(parameter, std::pair{at(values.first), at(values.second)});
        }
        auto const table = declared.architecture.metrics();
        for (auto const& bound : declared.architecture.proofs.monotone_lower_bounds(declared.inputs)) {
            ASSERT_TRUE(found.contains(bound.parameter)) << bound.parameter;
            auto const metric = static_cast<std::size_t>(find_metric(table, bound.metric));
            auto const& [before, after] = found.at(bound.parameter);
            // The direction is that of the optimistic end.
            bool const more = table[metric].better == Sense::maximize;
            double const a = more ? before[metric].upper : before[metric].lower,
                         b = more ? after[metric].upper : after[metric].lower;
            double const slack = 1e-9 * std::abs(a);
            EXPECT_TRUE(bound.slope == Slope::down || b >= a - slack) << bound.parameter << " " << bound.metric;
            EXPECT_TRUE(bound.slope == Slope::up || b <= a + slack) << bound.parameter << " " << bound.metric;
            ++held;
        }
    }
    EXPECT_GT(held, 100U);
}

TEST(KindsLaws, give_equal_keys_to_equal_results_alone) {
    std::vector<Setting> const rectangles{{"placement", "genes"}, {"shape", "rectangles"}};
    std::vector<Setting> const kept{{"scratchpad", "4096"}, {"scores", "kept"}};
    struct Axis {
        std::vector<Setting> base;
        char const* parameter;
        std::vector<char const*> values;
    };
    int equal = 0, pairs = 0;
    for (auto const& axis : {Axis{{}, "context_tile", {"1", "8", "64", "100", "1000", "100000"}},
                             Axis{kept, "context_tile", {"1", "2", "3", "4", "5", "8", "1000"}},
                             Axis{{}, "parallel_columns", {"1", "4", "8", "16", "64", "4096"}},
                             Axis{{}, "lora_targets", {"none", "q", "gate", "all"}},
                             Axis{rectangles, "attention_rows", {"0", "1", "2", "4", "8", "16"}},
                             Axis{rectangles, "up_rows", {"0", "1", "2", "4", "8", "16"}},
                             Axis{rectangles, "down_rows", {"0", "1", "2", "3", "4", "16"}},
                             Axis{{{"placement", "genes"}}, "ffn_order", {"gate-up-down", "up-gate-down"}}}) {
        std::vector<std::unique_ptr<Given>> points;
        for (auto const* value : axis.values) {
            points.push_back(std::make_unique<Given>(with(of_kinds(axis.base), axis.parameter, value)));
        }
        for (std::size_t i = 0; i < points.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j, ++pairs) {
                if (!(points[i]->key() == points[j]->key())) continue;
                ++equal;
                auto const one = points[i]->outcome(Fidelity::cycle), other = points[j]->outcome(Fidelity::cycle);
                ASSERT_EQ(one.index(), other.index()) << axis.parameter;
                if (std::holds_alternative<Metrics>(one)) expect_same(one, other);
            }
        }
    }
    EXPECT_GT(equal, 3);
    EXPECT_LT(equal, pairs / 2);
}

/// A key may be asked for before anybody knows whether a design exists.
TEST(KindsLaws, make_keys_of_designs_that_cannot_exist) {
    int refused = 0;
    for (char const* pool : {"layer", "attention"})
        for (char const* edge : {"1", "2", "4", "16"})
            for (char const* lora : {"none", "all"})
                for (char const* tile : {"1", "100000"}) {
                    Given const given({{"llm", "opt-125m"},
                                       {"mesh_rows", edge},
                                       {"mesh_cols", edge},
                                       {"kv_pool", pool},
                                       {"lora_targets", lora},
                                       {"context_tile", tile}});
                    EXPECT_TRUE(given.key() == given.key());
                    refused += given.rule().empty() ? 0 : 1;
                }
    EXPECT_GT(refused, 8);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::kinds_laws_test
