#include "models/cim_mesh/layer/laying.hpp"

#include "sim/noc/open_loop.hpp"

#include <gtest/gtest.h>
#include <set>

namespace pimdse::models::cim_mesh::test::area_test {
namespace {

using Places = std::set<std::pair<std::int32_t, std::int32_t>>;

/// Stretches of serpentines beside each other, some of them one behind the other.
std::vector<Serpentine> random_stretches(std::uint64_t seed) {
    auto const random = [&](std::uint64_t what, std::uint64_t below) {
        return static_cast<std::int32_t>(sim::noc::hashed(seed + 1, what) % below);
    };
    std::vector<Serpentine> all;
    std::int32_t left = 0;
    for (std::int32_t ribbon = 0; ribbon < 3; ++ribbon) {
        auto const of = static_cast<std::uint64_t>(10 * ribbon);
        std::int32_t const height = 1 + random(of, 9);
        std::int32_t at = random(of + 1, 20);
        for (std::int32_t i = random(of + 2, 5); i >= 0; --i) {
            std::int32_t const length = 1 + random(of + 3 + static_cast<std::uint64_t>(i), 25);
            all.push_back({random(of + 9, 4), left, height, at, length});
            at += length + random(of + 4, 2);
        }
        left += 1 + at / height;
    }
    return all;
}

TEST(Serpentine, is_made_of_whole_mesh_columns_and_parts_of_two) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        for (auto const& path : random_stretches(seed)) {
            Places along, inside;
            path.each([&](Router at) { along.insert({at.row, at.col}); });
            std::size_t parts = 0;
            std::int64_t routers = 0;
            path.rectangles([&](Rectangle const& part) {
                ++parts;
                routers += part.routers();
                for (std::int32_t row = part.top; row <= part.bottom(); ++row)
                    for (std::int32_t col = part.left; col <= part.right(); ++col) inside.insert({row, col});
            });
            ASSERT_EQ(along, inside) << seed;
            ASSERT_EQ(routers, path.length);
            ASSERT_LE(parts, 3U);
        }
    }
}

TEST(Area, is_what_its_routers_are_one_by_one) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Area area;
        Places routers;
        std::set<std::int32_t> columns;
        RouterSum sum;
        for (auto const& path : random_stretches(seed)) {
            area.add(path);
            path.each([&](Router at) {
                routers.insert({at.row, at.col});
                columns.insert(at.col);
                sum.add({at.row, at.col});
            });
        }
        EXPECT_EQ(area.routers(), static_cast<std::int64_t>(routers.size()));
        EXPECT_EQ(area.columns(), static_cast<std::int64_t>(columns.size()));
        EXPECT_EQ(area.sum().rows, sum.rows);
        EXPECT_EQ(area.sum().cols, sum.cols);
        Router const from{static_cast<std::int32_t>(seed % 14), static_cast<std::int32_t>(seed % 23)};
        std::int32_t nearest = 1 << 20, farthest = 0, max = 0;
        for (auto const& [row, col] : routers) {
            nearest = std::min(nearest, hops_between(from, {row, col}));
            farthest = std::max(farthest, hops_between(from, {row, col}));
        }
        for (auto const& part : area.rectangles()) max = std::max(max, max_hops(from, part));
        EXPECT_EQ(area.distance(from), nearest) << seed;
        EXPECT_EQ(max, farthest) << seed;
    }
}

TEST(Area, of_a_ribbon_s_neighbours_is_one_rectangle) {
    Area area;
    for (std::int32_t at = 0; at < 32 * 10; at += 20) area.add(Serpentine{0, 3, 32, at, 20});
    ASSERT_EQ(area.rectangles().size(), 1U);
    EXPECT_EQ(area.rectangles()[0].routers(), 320);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::area_test
