#include "dse/search/coded_search.hpp"

#include "tests/unit/dse/small_space.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::search::space_code_test {
namespace {

TEST(SpaceCode, gives_every_point_its_id_back_and_numeric_axes_ascend) {
    auto const space = dse::testing::small_space({{"mesh_rows", "[64, 16, 48, 32]"}});
    SpaceCode const code(space);
    ASSERT_EQ(code.genomes().size(), space.size());
    auto const& parameters = space.machines()[0].parameters();
    auto const rows = static_cast<std::size_t>(models::find_parameter(parameters, "mesh_rows"));
    auto const model = static_cast<std::size_t>(models::find_parameter(parameters, "llm"));
    std::vector<models::Value> values;
    for (std::uint64_t id = 0; id < space.size(); ++id) {
        auto const point = code.point_of(space::PointId{id});
        ASSERT_EQ(index_of(code.id_of(point)), id);
        space.decode(space::PointId{id}, values);
        EXPECT_EQ(static_cast<std::int64_t>(point.values[rows]), values[rows].as_integer() / 16 - 1);
        EXPECT_EQ(code.genomes().of(point)[rows].kind, search::Gene::Kind::ordinal);
        EXPECT_EQ(code.genomes().of(point)[model].kind, search::Gene::Kind::choice);
    }
}

}  // namespace
}  // namespace pimdse::dse::search::space_code_test
