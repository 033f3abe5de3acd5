#include "sim/base/check.hpp"
#include "sim/noc/network_state.hpp"
#include "sim/noc/open_loop.hpp"
#include "tests/unit/sim/noc/spanning_tree.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <set>

namespace pimdse::sim::noc::test::tree_test {
namespace {

std::vector<Node> random_members(Mesh mesh, std::uint64_t seed, std::size_t count) {
    std::set<Node> members;
    for (std::uint64_t i = 0; members.size() < count; ++i)
        members.insert(static_cast<Node>(hashed(seed, i) % static_cast<std::uint64_t>(mesh.nodes())));
    return {members.begin(), members.end()};
}

TEST(Tree, of_xy_routes_spans_its_members_from_any_root) {
    Mesh const mesh{6, 9};
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        auto const members = random_members(mesh, seed, 1 + seed % 20);
        auto const root = static_cast<Node>(hashed(seed, 1000) % 54);
        auto const tree = Tree::xy(mesh, root, members);
        EXPECT_TRUE(is_spanning_tree(mesh, tree, members));
        EXPECT_EQ(static_cast<std::size_t>(tree.members()), members.size());
        int depth = 0;
        for (Node const member : members) depth = std::max(depth, mesh.distance(root, member));
        EXPECT_EQ(tree.depth(), depth);
    }
}

TEST(Tree, along_a_path_is_as_deep_as_its_longer_arm) {
    Mesh const mesh{4, 4};
    std::vector<Node> const path{0, 4, 8, 9, 5, 1};
    for (std::size_t root = 0; root < path.size(); ++root) {
        auto const tree = Tree::path(mesh, path, root);
        EXPECT_TRUE(is_spanning_tree(mesh, tree, path));
        EXPECT_EQ(tree.root(), path[root]);
        EXPECT_EQ(tree.depth(), static_cast<int>(std::max(root, path.size() - 1 - root)));
    }
}

TEST(Tree, refuses_a_path_with_a_gap_or_a_loop) {
    Mesh const mesh{4, 4};
    EXPECT_THROW((void)Tree::path(mesh, std::vector<Node>{0, 2}, 0), ContractViolation);
    EXPECT_THROW((void)Tree::path(mesh, std::vector<Node>{0, 1, 5, 4, 0}, 0), ContractViolation);
    EXPECT_THROW((void)Tree::path(mesh, std::vector<Node>{0, 1}, 2), ContractViolation);
}

TEST(Tree, that_misses_a_member_is_no_spanning_tree) {
    Mesh const mesh{3, 3};
    auto const tree = Tree::xy(mesh, 0, std::vector<Node>{2, 8});
    EXPECT_FALSE(is_spanning_tree(mesh, tree, std::vector<Node>{2, 8, 6}));
    EXPECT_FALSE(is_spanning_tree(mesh, tree, std::vector<Node>{1}));  // on the route, but not a member
}

}  // namespace
}  // namespace pimdse::sim::noc::test::tree_test
