#include "models/find_architecture.hpp"

#include "folder.hpp"
#include "models/catalogue.hpp"
#include "models/contract/toml_file.hpp"
#include "models/machine_files.hpp"
#include "sim/base/check.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace pimdse::models::text::test::find_architecture_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> refusal(std::string const& name) {
    try {
        (void)find_architecture(name);
    } catch (sim::InputError const& error) {
        return error.sentences();
    }
    return {};
}

TEST(FindArchitecture, reads_the_machine_of_a_file) {
    Folder const folder;
    auto const file = folder.with("some.toml", machine_text("my_card"));
    auto const& machine = find_architecture(file.string());
    EXPECT_EQ(machine.name, "my_card");
    EXPECT_EQ(machine.summary, "a card");
    EXPECT_EQ(machine.files, (std::vector<SourceFile>{{file.string(), machine_text("my_card")}}));
    EXPECT_EQ(&find_architecture((folder / "./some.toml").string()), &machine) << "another path of the same file";
    EXPECT_EQ(reference_of(machine), file.string());
    EXPECT_EQ(&find_architecture(reference_of(machine)), &machine);
}

TEST(FindArchitecture, lists_every_file_on_which_results_depend) {
    std::vector<std::string> names;
    for (auto const* machine : {"aim_card", "a100"})
        for (auto const& file : find_architecture(machine).files)
            names.push_back(std::filesystem::path(file.path).lexically_relative(data_directory()).string());
    EXPECT_THAT(names, ElementsAre("models/machines/aim_card.toml", "models/dram/gddr6_aim.toml",
                                   "models/machines/a100.toml", "models/machines/gpu.toml"));
}

TEST(FindArchitecture, reads_a_changed_file_again_and_keeps_what_it_returned) {
    Folder const folder;
    auto const file = folder.with("a.toml", machine_text("card")).string();
    auto const& before = find_architecture(file);
    (void)folder.with("a.toml", machine_text("card", "another"));
    auto const& after = find_architecture(file);
    EXPECT_NE(&before, &after);
    EXPECT_EQ(before.summary, "a card");
    EXPECT_EQ(after.summary, "another");
    (void)folder.with("a.toml", machine_text("card"));
    EXPECT_EQ(&find_architecture(file), &before) << "the text is that of the first reading";
}

TEST(FindArchitecture, takes_the_text_that_a_result_file_keeps) {
    Folder const folder;
    auto const file = (folder / "a.toml").string();
    std::vector<SourceFile> const kept{{file, machine_text("card")}};
    auto const& gone = find_kept_architecture(file, kept);
    EXPECT_EQ(gone.name, "card");
    (void)folder.with("a.toml", machine_text("other"));
    EXPECT_EQ(&find_kept_architecture(file, kept), &gone) << "the file has changed since";
    EXPECT_EQ(&find_kept_architecture("gpu", kept), &find_architecture("gpu"));
    EXPECT_EQ(find_kept_architecture("pair:gpu:" + file, kept).name, "pair:gpu:card");
}

TEST(FindArchitecture, pairs_files_with_names) {
    Folder const folder;
    auto const a = folder.with("a.toml", machine_text("card")).string();
    auto const b = folder.with("b.toml", machine_text("disk")).string();
    auto const& pair = find_architecture("pair:" + a + ":" + b);
    EXPECT_EQ(pair.name, "pair:card:disk");
    EXPECT_EQ(&pair, &find_pair(find_architecture(a), find_architecture(b))) << "it is made once";
    EXPECT_EQ(reference_of(pair), "pair:" + a + ":" + b);
    EXPECT_EQ(reference_of(find_architecture("pair:gpu:" + b)), "pair:gpu:" + b);
    EXPECT_EQ(reference_of(find_architecture("pair:gpu:umdam")), "pair:gpu:umdam");
    EXPECT_THAT(refusal("pair:gpu"), ElementsAre(HasSubstr("pair:PREFILL:DECODE")));
    EXPECT_THAT(refusal("pair:./a:b.toml:gpu"), ElementsAre(HasSubstr("no colon")));
}

TEST(FindArchitecture, makes_paths_absolute_and_leaves_names) {
    EXPECT_EQ(absolute_architecture("gpu", "/x"), "gpu");
    EXPECT_EQ(absolute_architecture("pair:gpu:umdam", "/x"), "pair:gpu:umdam");
    EXPECT_EQ(absolute_architecture("a.toml", "/x"), "/x/a.toml");
    EXPECT_EQ(absolute_architecture("./y/../a.toml", "/x"), "/x/a.toml");
    EXPECT_EQ(absolute_architecture("../b/machine", "/x/y"), "/x/b/machine") << "a slash makes it a path";
    EXPECT_EQ(absolute_architecture("/z/a.toml", "/x"), "/z/a.toml");
    EXPECT_EQ(absolute_architecture("pair:./a.toml:/z/b.toml", "/x"), "pair:/x/a.toml:/z/b.toml");
    EXPECT_EQ(absolute_architecture("pair:gpu:b.toml", "/x"), "pair:gpu:/x/b.toml");
    EXPECT_EQ(absolute_architecture("", "/x"), "");
    EXPECT_THAT(paths_in("pair:gpu:./b.toml"), ElementsAre(std::filesystem::path("./b.toml")));
    EXPECT_THAT(paths_in("pair:a/b:c.toml"), ElementsAre("a/b", "c.toml"));
    EXPECT_THAT(paths_in("gpu"), ElementsAre());
}

TEST(FindArchitecture, reports_every_mistake_of_a_file) {
    Folder const folder;
    auto const file = folder.with("a.toml", "schema = 3\nname = \"a b\"\nsumary = \"x\"\n").string();
    EXPECT_THAT(refusal(file),
                ElementsAre(StartsWith(file + ":1: "), StartsWith(file + ":2: "), HasSubstr("[run] is missing"),
                            AllOf(StartsWith(file + ":3: "), HasSubstr("'summary'"))));
    EXPECT_THAT(refusal(folder.with("b.toml", "name = ").string()), ElementsAre(HasSubstr("b.toml:1")));
}

TEST(FindArchitecture, refuses_a_file_with_the_name_of_another_architecture) {
    Folder const folder;
    auto const file = folder.with("a.toml", machine_text("gpu")).string();
    EXPECT_THAT(refusal(file),
                ElementsAre(AllOf(StartsWith(file + ":2: 'gpu' is the name of"), HasSubstr("another name"))));
    EXPECT_THAT(refusal("pair:umdam:" + file), ElementsAre(StartsWith(file + ":2: ")));
}

TEST(FindArchitecture, finds_the_members_of_the_catalogue) {
    auto const all = catalogue();
    ASSERT_EQ(all.size(), catalogue_names().size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i].name, catalogue_names()[i]);
        EXPECT_EQ(&find_architecture(all[i].name), &all[i]);
    }
    EXPECT_EQ(find_in_catalogue("h100"), nullptr) << "a machine of a file";
}

TEST(FindArchitecture, suggests_names) {
    EXPECT_THAT(refusal("gpuu"), ElementsAre(HasSubstr("Did you mean 'gpu'?")));
    Folder const folder;
    (void)folder.with("toaster.toml", "");
    auto const before = std::filesystem::current_path();
    std::filesystem::current_path(folder / "");
    auto const sentences = refusal("toaster");
    std::filesystem::current_path(before);
    EXPECT_THAT(sentences, ElementsAre(HasSubstr("Did you mean the file './toaster.toml'?")));
}

/// A data folder that ships the machine `card`.
class ShippedMachines : public ::testing::Test {
  protected:
    void SetUp() override {
        auto const shipped = data_directory() / "models";
        card_ = folder_.with("models/machines/card.toml", machine_text("card"));
        for (auto const& entry : std::filesystem::directory_iterator(shipped)) {
            if (entry.path().filename() != "machines")
                std::filesystem::create_symlink(entry.path(), folder_ / "models" / entry.path().filename());
        }
        for (auto const& entry : std::filesystem::directory_iterator(shipped / "machines"))  // gpu is one of them
            std::filesystem::create_symlink(entry.path(), folder_ / "models/machines" / entry.path().filename());
        ::setenv("PIMDSE_DATA", (folder_ / "").c_str(), 1);
    }
    void TearDown() override { ::unsetenv("PIMDSE_DATA"); }
    Folder folder_;
    std::filesystem::path card_;
};

TEST_F(ShippedMachines, are_found_by_their_names) {
    EXPECT_THAT(shipped_machines(), AllOf(Contains("card"), Contains("a100"), Not(Contains("gpu"))));
    auto const& card = find_architecture("card");
    EXPECT_EQ(card.name, "card");
    EXPECT_EQ(reference_of(card), "card") << "in whatever folder the data are";
    EXPECT_EQ(&find_architecture(card_.string()), &card) << "the path of a shipped machine is its name";
    EXPECT_EQ(find_architecture("pair:card:gpu").name, "pair:card:gpu");
    auto const all = shipped_architectures();
    EXPECT_TRUE(std::ranges::any_of(all, [](auto const* one) { return one->name == "gpu"; }));
    EXPECT_TRUE(std::ranges::any_of(all, [&](auto const* one) { return one == &card; }));
    EXPECT_THAT(refusal("cardd"), ElementsAre(HasSubstr("'card'")));
}

TEST_F(ShippedMachines, keep_their_names_for_themselves) {
    Folder const other;
    auto const copy = other.with("card.toml", machine_text("card", "ours"));
    EXPECT_THAT(refusal(copy.string()), ElementsAre(StartsWith(copy.string() + ":2: 'card' is the name of")));
    (void)folder_.with("models/machines/disk.toml", machine_text("drum"));
    EXPECT_THAT(refusal("disk"), ElementsAre(HasSubstr("'drum' is not the name of the file")));
}

}  // namespace
}  // namespace pimdse::models::text::test::find_architecture_test
