#include "models/contract/key_table.hpp"
#include "models/contract/parameter_table.hpp"

#include <gtest/gtest.h>

namespace pimdse::models::key_table_test {
namespace {

/// A design of three numbers: `spare` counts only if `used` is not 0, and `doubled` is used modulo 10.
struct Thing {
    std::int64_t used = 0, spare = 0, doubled = 0;
};

Thing thing(Point point) { return {point[0].as_integer(), point[1].as_integer(), point[2].as_integer()}; }

KeyTable<Thing> table() {
    KeyTable<Thing> made({count("used", "", 1, {0, 100}, ""), count("spare", "", 1, {0, 100}, ""),
                          count("doubled", "", 1, {0, 100}, ""), count("rule", "", 1, {0, 100}, "")});
    made.irrelevant(
        "spare", [](Thing const& t) { return t.used == 0; }, "nothing is used");
    made.stands_for(
        "doubled", [](Thing const& t) { return Value::integer(t.doubled % 10); }, "only its last digit");
    made.irrelevant("rule", "it only decides what is feasible");
    return made;
}

std::vector<Value> point(std::int64_t used, std::int64_t spare, std::int64_t doubled, std::int64_t rule = 0) {
    return {Value::integer(used), Value::integer(spare), Value::integer(doubled), Value::integer(rule)};
}

CycleKeyMaker parts(std::vector<Value> const& of, std::size_t widened = no_declaration) {
    return table().parts(of, thing(of), widened);
}
CycleKey key(std::vector<Value> const& of) { return parts(of).key(); }

TEST(KeyTable, takes_every_value_as_it_is_but_for_declarations) {
    EXPECT_NE(key(point(1, 2, 3)), key(point(2, 2, 3)));
    EXPECT_NE(key(point(1, 2, 3)), key(point(1, 3, 3)));
    EXPECT_EQ(key(point(0, 2, 3)), key(point(0, 3, 3)));
    EXPECT_EQ(key(point(1, 2, 3)), key(point(1, 2, 13)));
    EXPECT_NE(key(point(1, 2, 3)), key(point(1, 2, 4)));
    EXPECT_EQ(key(point(1, 2, 3, 0)), key(point(1, 2, 3, 1)));
}

TEST(KeyTable, takes_every_value_of_what_cannot_be_built) {
    auto const key = [](std::vector<Value> const& of) { return table().parts_of_infeasible(of).key(); };
    EXPECT_NE(key(point(0, 2, 3)), key(point(0, 3, 3)));
    EXPECT_NE(key(point(1, 2, 3, 0)), key(point(1, 2, 3, 1)));
    EXPECT_NE(key(point(1, 2, 3)), parts(point(1, 2, 3)).key());
}

TEST(KeyTable, has_a_part_per_parameter_which_can_be_left_out) {
    EXPECT_EQ(parts(point(1, 2, 3)).parts(), 4U);
    EXPECT_EQ(parts(point(1, 2, 3)).key(1), parts(point(1, 9, 3)).key(1));
    EXPECT_NE(parts(point(1, 2, 3)).key(0), parts(point(1, 9, 3)).key(0));
    EXPECT_NE(parts(point(1, 2, 3)).key(3), parts(point(1, 2, 3)).key());
    EXPECT_THROW((void)parts(point(1, 2, 3)).key(4), sim::ContractViolation);
}

TEST(KeyTable, says_which_declaration_decides_and_widens_one) {
    EXPECT_EQ(table().deciding(thing(point(0, 2, 3))), (std::vector<std::size_t>{no_declaration, 0, 1, 2}));
    EXPECT_EQ(table().deciding(thing(point(1, 2, 3))),
              (std::vector<std::size_t>{no_declaration, no_declaration, 1, 2}));
    EXPECT_EQ(parts(point(1, 2, 3), 0).key(), parts(point(1, 9, 3), 0).key());
    auto const declarations = table().declarations();
    ASSERT_EQ(declarations.size(), 3U);
    EXPECT_EQ(declarations[0].parameter, "spare");
    EXPECT_FALSE(declarations[0].always);
    EXPECT_TRUE(declarations[2].always);
}

TEST(KeyTable, refuses_a_declaration_of_no_parameter) {
    auto made = table();
    EXPECT_THROW(made.irrelevant("spar", "a slip of the pen"), sim::ContractViolation);
}

}  // namespace
}  // namespace pimdse::models::key_table_test
