#include "dse/cli/named_files.hpp"

#include "dse/cli/options.hpp"
#include "sim/base/file_error.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <fstream>

namespace pimdse::dse::cli::named_files_test {
namespace {

using testing::HasSubstr;

struct NamedFiles : ::testing::Test {
    std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("named_files_" + std::to_string(::getpid()));
    NamedFiles() {
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "there") << "text";
        ::mkfifo((folder / "pipe").c_str(), 0600);
    }
    ~NamedFiles() override { std::filesystem::remove_all(folder); }
    [[nodiscard]] std::string at(std::string const& name) const { return (folder / name).string(); }
};

std::string missing(std::string const& name) {
    try {
        return "accepted " + input_file(name).string();
    } catch (sim::MissingInput const& error) {
        return error.what();
    }
}

std::string refused(std::string const& name) {
    try {
        return "accepted " + output_file(name).string();
    } catch (UsageError const& error) {
        return error.what();
    }
}

TEST_F(NamedFiles, an_input_is_a_file_that_can_be_read_to_its_end) {
    EXPECT_EQ(missing(at("there")), "accepted " + at("there"));
    EXPECT_THAT(missing(at("nowhere")), HasSubstr("No such file"));
    EXPECT_THAT(missing(""), HasSubstr("cannot be read"));
    EXPECT_THAT(missing(folder.string()), says("directory"));
    std::ofstream(at("a.h5.journal")) << "x";
    EXPECT_THAT(missing(at("a.h5")), says("exist-yet-journal-run"));
    EXPECT_THAT(missing(at("pipe")), HasSubstr("named pipe"));
    EXPECT_THAT(missing("/dev/zero"), HasSubstr("it is a device"));
    EXPECT_THAT(missing(std::string(5000, 'n')), says("bytes-cannot-read-file"));
    EXPECT_THAT(missing(at("there/below")), HasSubstr("Not a directory"));
}

TEST_F(NamedFiles, an_output_leaves_room_for_its_journal) {
    EXPECT_EQ(refused(at(std::string(239, 'n'))), "accepted " + at(std::string(239, 'n')));
    EXPECT_THAT(refused(at(std::string(240, 'n'))), HasSubstr("at most 239"));
    EXPECT_THAT(refused(std::string(5000, 'n')), HasSubstr("5000 bytes"));
}

TEST_F(NamedFiles, an_output_replaces_files_only) {
    EXPECT_EQ(refused(at("there")), "accepted " + at("there"));
    EXPECT_THAT(refused(""), says("name-file"));
    EXPECT_THAT(refused(at("")), says("name-file-2"));
    EXPECT_THAT(refused("/dev/null"), says("device-pipe-socket"));
    EXPECT_THAT(refused(at("pipe")), says("device-pipe-socket-2"));
}

TEST_F(NamedFiles, an_output_is_not_the_input_under_whatever_name) {
    std::filesystem::create_symlink(at("there"), at("link"));
    EXPECT_THROW(refuse_same_file(at("there"), at("there")), UsageError);
    EXPECT_THROW(refuse_same_file(at("there"), at("link")), UsageError);
    EXPECT_NO_THROW(refuse_same_file(at("there"), at("nowhere")));
}

}  // namespace
}  // namespace pimdse::dse::cli::named_files_test
