#include "dse/uncertain/pass.hpp"

#include "tests/unit/dse/uncertain/uncertain_space.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::uncertain::pass_test {
namespace {

Pass some_pass(space::Space const& space, Uncertainty const& uncertainty) {
    Pass pass{"draws", uncertainty.constants, {}};
    pass.machines.resize(space.machines().size());
    for (std::size_t c = 0; c < uncertainty.constants.size(); ++c)
        pass.machines[0].push_back(
            {{c, uncertainty.constants[c].upper}, {(c + 1) % 4, uncertainty.constants[(c + 1) % 4].lower}});
    return pass;
}

TEST(Pass, ItsTextIsTheWholePass) {
    auto const space = testing::small_space();
    auto const pass = some_pass(space, testing::ranges_of(space, 2));
    auto const again = Pass::from(pass.text());
    EXPECT_EQ(again.text(), pass.text());
    EXPECT_EQ(again.machines, pass.machines);
    EXPECT_EQ(again.constants[1].bindings, pass.constants[1].bindings);
    EXPECT_THROW((void)Pass::from("{}"), sim::InputError);
    EXPECT_THROW((void)Pass::from("no JSON"), sim::InputError);
}

TEST(Pass, EachSettingIsTheSpaceWithTheseConstants) {
    auto const space = testing::small_space();
    auto const uncertainty = testing::ranges_of(space, 2);
    auto const pass = some_pass(space, uncertainty);
    auto const store = *evaluate_here(space, 2)(pass, {{space::PointId{5}, models::Fidelity::analytic}});
    auto const result = std::get<models::Metrics>(store.result(0).outcome);
    auto const found = by_setting(result, space.objectives().size(), pass.width());
    for (std::size_t s = 0; s < pass.machines[0].size(); ++s) {
        auto const varied = varied_space(space, uncertainty.constants, pass.machines[0][s]);
        auto const expected = space::evaluate(varied, {space::PointId{5}, models::Fidelity::analytic});
        auto const& metrics = std::get<models::Metrics>(expected.outcome);
        ASSERT_TRUE(found[s].has_value());
        for (std::size_t o = 0; o < space.objectives().size(); ++o)
            EXPECT_EQ((*found[s])[o], metrics[space.objectives()[o].metric].value) << s << " " << o;
    }
}

TEST(Pass, NothingChangesWithNominalConstants) {
    auto const space = testing::small_space();
    auto const uncertainty = testing::ranges_of(space, 2);
    Settings nominal;
    for (std::size_t c = 0; c < uncertainty.constants.size(); ++c)
        nominal.push_back({c, uncertainty.constants[c].nominal});
    auto const varied = varied_space(space, uncertainty.constants, nominal);
    auto const a = testing::swept(space), b = testing::swept(varied);
    for (std::uint32_t row = 0; row < a.size(); ++row) EXPECT_TRUE(a.same(row, b.result(row))) << row;
}

}  // namespace
}  // namespace pimdse::dse::uncertain::pass_test
