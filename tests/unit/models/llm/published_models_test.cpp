#include "models/llm/language_models.hpp"
#include "models/llm/state.hpp"
#include "models/llm/weight_format.hpp"
#include "sim/base/check.hpp"
#include "sim/base/json.hpp"
#include "tests/unit/models/llm/config_files.hpp"

#include <gtest/gtest.h>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

/// Shapes of published models (tests/data/README.md) from the keys in which their config.json differs from its class.
namespace pimdse::models::published_models_test {
namespace {

using sim::Json;

Json const& rows() {
    static Json const read = [] {
        std::ifstream stream(PIMDSE_TEST_DATA "/published_models.json");
        std::ostringstream text;
        text << stream.rdbuf();
        return Json::parse(text.str());
    }();
    return read;
}

TEST(PublishedModels, have_as_many_parameters_as_their_authors_published_and_the_cache_of_their_heads) {
    for (auto const& row : rows()) {
        SCOPED_TRACE(row["model"].get<std::string>());
        auto const model = testing::model_of(row["config"].dump());
        EXPECT_EQ(total_parameters(model), row["parameters"].get<std::int64_t>());
        EXPECT_EQ(active_parameters(model), row["active"].get<std::int64_t>());
        std::int64_t cached = 0, state = 0;
        for (auto const& alike : alike_layers(model)) {
            cached += alike.layers * kv_elements_per_token(alike);
            state += alike.layers * state_elements(alike);
        }
        EXPECT_EQ(cached, row["cached"].get<std::int64_t>());
        EXPECT_EQ(state, row.value("state", std::int64_t{0}));
        auto const bytes = row.value("bytes", stored_bytes(model));  // of the tensors of the published files
        EXPECT_NEAR(stored_bytes(model), bytes, 1e-4 * bytes);
    }
}

TEST(PublishedModels, are_of_most_families) {
    std::set<std::string> families;
    for (auto const& row : rows()) families.insert(row["config"]["model_type"].get<std::string>());
    EXPECT_GE(families.size(), 60U);
}

}  // namespace
}  // namespace pimdse::models::published_models_test
