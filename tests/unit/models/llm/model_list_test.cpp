#include "models/llm/model_list.hpp"

#include "models/llm/language_models.hpp"

#include <gtest/gtest.h>
#include <array>
#include <stdexcept>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace pimdse::models::model_list_test {
namespace {

ModelList two_models() {
    return ModelList({shared_language_model("llama-2-7b"), shared_language_model("llama-3-70b")});
}

TEST(ModelList, has_the_choices_first_and_parts_after_them) {
    auto const list = two_models();
    EXPECT_EQ(list.size(), 2U);
    EXPECT_EQ(list.at(1).name, load_language_model("llama-3-70b").name);
    EXPECT_EQ(std::get<std::size_t>(list.part_of(1, {1, 1, 1}, 0)), 1U);
    auto const eighth = std::get<std::size_t>(list.part_of(1, {8, 1, 1}, 0));
    EXPECT_GE(eighth, 2U);
    EXPECT_EQ(list.at(eighth).heads, list.at(1).heads / 8);
    EXPECT_EQ(std::get<std::size_t>(list.part_of(1, {8, 1, 1}, 0)), eighth);
    EXPECT_NE(std::get<std::size_t>(list.part_of(1, {8, 1, 2}, 0)),
              std::get<std::size_t>(list.part_of(1, {8, 1, 2}, 1)));
    EXPECT_EQ(list.size(), 2U) << "parts are no choices";
    EXPECT_THROW((void)list.at(99), std::out_of_range);
}

TEST(ModelList, says_why_there_is_no_part) {
    auto const list = two_models();
    for (int again = 0; again < 2; ++again)
        EXPECT_TRUE(std::holds_alternative<NotDivisible>(list.part_of(0, {3, 1, 1}, 0)));
}

TEST(ModelList, that_is_copied_has_the_same_parts) {
    auto const list = two_models();
    auto const part = std::get<std::size_t>(list.part_of(0, {2, 1, 1}, 0));
    auto const copy = list;
    EXPECT_EQ(&copy.at(part), &list.at(part));
    auto const later = std::get<std::size_t>(copy.part_of(1, {2, 1, 1}, 0));
    EXPECT_EQ(&copy.at(later), &list.at(later));
    EXPECT_EQ(copy.at(1).layers, list.at(1).layers);
}

TEST(ModelList, gives_many_threads_the_same_parts) {
    auto const list = two_models();
    std::array<std::int64_t, 4> const divisions{2, 4, 8, 16};
    std::vector<std::thread> threads;
    std::array<std::array<std::size_t, 4>, 8> found{};
    for (std::size_t t = 0; t < found.size(); ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = 0; i < divisions.size(); ++i) {
                auto const at = (i + t) % divisions.size();
                auto const part = list.part_of(1, {divisions[at], 1, 1}, 0);
                found[t][at] = std::get<std::size_t>(part);
                EXPECT_EQ(list.at(found[t][at]).heads, 64 / divisions[at]);
            }
        });
    for (auto& thread : threads) thread.join();
    for (auto const& of_thread : found) EXPECT_EQ(of_thread, found[0]);
}

}  // namespace
}  // namespace pimdse::models::model_list_test
