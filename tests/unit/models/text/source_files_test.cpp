#include "models/text/source_files.hpp"

#include "folder.hpp"
#include "sim/base/check.hpp"

#include <gmock/gmock.h>

#include <sys/stat.h>

#include <functional>

namespace pimdse::models::text::test::source_files_test {
namespace {

using ::testing::HasSubstr;

std::string refusal(std::filesystem::path const& file) {
    try {
        (void)SourceFiles().read(file);
    } catch (sim::InputError const& error) {
        EXPECT_EQ(error.sentences().size(), 1U);
        EXPECT_TRUE(std::string(error.what()).starts_with(file.string() + ": ")) << error.what();
        return error.what();
    }
    return "";
}

TEST(SourceFiles, remember_each_file_once_as_it_was_read) {
    Folder const folder;
    auto const a = folder.with("a.toml", "one"), b = folder.with("b.toml", "two");
    SourceFiles files;
    EXPECT_EQ(files.read(a), "one");
    EXPECT_EQ(files.read(b), "two");
    (void)folder.with("a.toml", "changed");
    EXPECT_EQ(files.read(folder / "./sub/../a.toml"), "one") << "the same file under another path";
    EXPECT_EQ(files.files(), (std::vector<SourceFile>{{a.string(), "one"}, {b.string(), "two"}}));
}

TEST(SourceFiles, take_kept_texts_in_place_of_files) {
    Folder const folder;
    auto const there = folder.with("there.toml", "on disk");
    SourceFiles files({{(folder / "gone.toml").string(), "kept"}, {there.string(), "older"}});
    EXPECT_EQ(files.read(folder / "gone.toml"), "kept");
    EXPECT_EQ(files.read(there), "older");
    EXPECT_EQ(files.read(folder.with("other.toml", "new")), "new") << "a file that was not kept";
}

TEST(SourceFiles, say_why_a_file_cannot_be_a_machine) {
    Folder const folder;
    (void)folder.with("my_card.toml", "");
    EXPECT_THAT(refusal(folder / "my_crd.toml"), HasSubstr("Did you mean '" + (folder / "my_card.toml").string()));
    EXPECT_THAT(refusal(folder / "nowhere/at/all.toml"), HasSubstr("cannot be read (No such file"));
    EXPECT_THAT(refusal(folder / "my_card.toml/x.toml"), HasSubstr("cannot be read ("));
    std::filesystem::create_directory(folder / "folder.toml");
    EXPECT_THAT(refusal(folder / "folder.toml"), HasSubstr("it is a directory"));
    ASSERT_EQ(::mkfifo((folder / "pipe.toml").c_str(), 0600), 0);
    EXPECT_THAT(refusal(folder / "pipe.toml"), HasSubstr("not a regular file"));
    EXPECT_THAT(refusal(folder.with("a.h5", "\x89HDF\r\n\x1a\n and more")), HasSubstr("is a result file"));
    EXPECT_THAT(refusal(folder.with("b.toml", std::string("a = 1\0", 6))), HasSubstr("is not a text"));
    EXPECT_THAT(refusal(folder.with("c.toml", std::string((16U << 20U) + 1, ' '))), HasSubstr("larger than 16 MiB"));
    EXPECT_EQ(refusal(folder.with("d.toml", std::string(16U << 20U, ' '))), "");
}

}  // namespace
}  // namespace pimdse::models::text::test::source_files_test
