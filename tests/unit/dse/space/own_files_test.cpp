#include "../small_space.hpp"
#include "../store/sample.hpp"
#include "dse/space/input_hashes.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::space::own_files_test {
namespace {

using store::sample::TemporaryDirectory;

std::string const text = R"({"parameters":{"llm":["/old/m.toml","opt"]},"constants":"/old/c.toml"})";
InputHashes const old_place{{"/old/c.toml", "cc"}, {"/old/m.toml", "aa"}, {"models/x.toml", "xx"}};

TEST(OwnFiles, are_identified_by_content) {
    std::string const moved_text = R"({"parameters":{"llm":["/new/m.toml","opt"]},"constants":"/new/k.toml"})";
    InputHashes moved{{"/new/k.toml", "cc"}, {"/new/m.toml", "aa"}, {"models/x.toml", "xx"}};
    EXPECT_EQ(space::identity_text(text, old_place), space::identity_text(moved_text, moved));
    EXPECT_NE(space::identity_text(text, old_place), text);
    EXPECT_TRUE(space::same_space(text, old_place, moved_text, moved));
    EXPECT_EQ(space::differing_input(old_place, moved), std::nullopt);
    moved[1].second = "bb";
    EXPECT_FALSE(space::same_space(text, old_place, moved_text, moved));
    EXPECT_EQ(space::differing_input(old_place, moved), "/old/m.toml");
    InputHashes const changed{{"/old/c.toml", "cc"}, {"/old/m.toml", "bb"}, {"models/x.toml", "xx"}};
    EXPECT_TRUE(space::same_space(text, old_place, text, changed)) << "the space is the same; its inputs are not";
    EXPECT_TRUE(space::differing_input(old_place, changed).has_value());
    InputHashes const shipped{{"/old/c.toml", "cc"}, {"/old/m.toml", "aa"}, {"models/x.toml", "yy"}};
    EXPECT_EQ(space::differing_input(old_place, shipped), "models/x.toml");
    EXPECT_EQ(space::identity_text("{}", {{"models/x.toml", "xx"}}), "{}");
}

TEST(Inputs, that_only_one_list_has_are_files_that_the_space_does_not_use) {
    InputHashes const more{
        {"/old/c.toml", "cc"}, {"/old/m.toml", "aa"}, {"models/new.toml", "n"}, {"models/x.toml", "xx"}};
    EXPECT_EQ(space::differing_input(old_place, more), std::nullopt);
    EXPECT_EQ(space::differing_input(more, old_place), std::nullopt);
    InputHashes const fewer{{"/old/c.toml", "cc"}, {"models/x.toml", "xx"}};
    EXPECT_EQ(space::differing_input(old_place, fewer), "/old/m.toml")
        << "a file of one's own is used where it is listed";
}

TEST(Inputs, of_a_space_are_the_models_it_names_and_not_the_others) {
    auto const names = [](std::string const& llm) {
        std::vector<std::string> models;
        for (auto const& [name, sum] : space::input_hashes(testing::small_space({{"llm", llm}}))) {
            EXPECT_FALSE(sum.empty()) << name;
            EXPECT_EQ(name.find("published"), name.npos);
            if (name.starts_with("models/llm/")) models.push_back(name);
        }
        return models;
    };
    EXPECT_EQ(names("opt-125m"), std::vector<std::string>{"models/llm/opt-125m.toml"});
    EXPECT_EQ(names("[\"opt-125m\", \"llama-3.2-1b\"]"),
              (std::vector<std::string>{"models/llm/llama-3.2-1b.toml", "models/llm/opt-125m.toml"}));
}

TEST(OwnFiles, are_found_where_a_folder_has_moved_to) {
    TemporaryDirectory const directory;
    std::filesystem::create_directories(directory / "proj2/models");
    std::filesystem::create_directories(directory / "proj2/out");
    store::sample::set_content(directory / "proj2/models/m.toml", "layers = 1\n");
    auto const sum = space::file_sha256(directory / "proj2/models/m.toml");
    auto const there = (directory / "proj2/models/m.toml").string();
    EXPECT_EQ(space::moved_files({{"/gone/proj/models/m.toml", sum}}, directory / "proj2/out"),
              (Places{{"/gone/proj/models/m.toml", there}}));
    EXPECT_TRUE(space::moved_files({{"/gone/proj/models/m.toml", "another"}}, directory / "proj2/out").empty());
    EXPECT_TRUE(space::moved_files({{there, sum}}, directory / "proj2/out").empty()) << "it is where it was";
    EXPECT_TRUE(space::moved_files({{"models/m.toml", sum}}, directory / "proj2").empty()) << "it is a shipped one";
}

TEST(OwnFiles, get_the_names_of_their_new_places) {
    auto columns = store::sample::columns();
    columns.canonical_text = text;
    columns.input_hashes = old_place;
    columns.parameters[0].choices = {"opt", "/old/m.toml"};
    space::rename_own_files(columns, space::same_content(old_place, {{"/new/m.toml", "aa"}, {"/old/c.toml", "cc"}}));
    EXPECT_EQ(columns.parameters[0].choices[1], "/new/m.toml");
    EXPECT_EQ(columns.canonical_text, R"({"parameters":{"llm":["/new/m.toml","opt"]},"constants":"/old/c.toml"})");
    EXPECT_EQ(columns.input_hashes,
              (InputHashes{{"/new/m.toml", "aa"}, {"/old/c.toml", "cc"}, {"models/x.toml", "xx"}}));
}

}  // namespace
}  // namespace pimdse::dse::space::own_files_test
