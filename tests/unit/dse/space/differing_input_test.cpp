#include "dse/space/input_hashes.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>

namespace pimdse::dse::space::differing_input_test {
namespace {

TEST(DifferingInput, is_the_first_name_that_both_have_with_two_contents) {
    std::mt19937_64 random(4);
    for (int round = 0; round < 2000; ++round) {
        std::map<std::string, std::string> left, right;
        for (char name = 'a'; name < 'f'; ++name) {
            if (random() % 4 != 0) left[{name}] = std::to_string(random() % 2);
            right = random() % 2 == 0 ? left : right;
            if (random() % 4 == 0) right[{name}] = std::to_string(random() % 2);
        }
        std::optional<std::string> first;
        for (char name = 'e'; name >= 'a'; --name) {
            bool const in_both = left.contains({name}) && right.contains({name});
            if (in_both && left[{name}] != right[{name}]) first = std::string{name};
        }
        InputHashes a(left.begin(), left.end()), b(right.begin(), right.end());
        std::shuffle(a.begin(), a.end(), random);
        EXPECT_EQ(differing_input(a, b), first);
        EXPECT_EQ(differing_input(b, a), first);
    }
}

}  // namespace
}  // namespace pimdse::dse::space::differing_input_test
