#include "dse/store/result_file.hpp"
#include "dse/store/result_writer.hpp"
#include "sample.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/file_error.hpp"

#include <gmock/gmock.h>

/// The texts of machines in result files.
namespace pimdse::dse::store::machine_files_test {
namespace {

space::Columns with_files(std::vector<models::SourceFile> files) {
    auto columns = sample::columns();
    for (auto const& [path, text] : files) columns.input_hashes.emplace_back(path, sim::sha256(text));
    columns.machine_files = std::move(files);
    return columns;
}

space::Columns stored(space::Columns const& columns) {
    sample::TemporaryDirectory const directory;
    seal(directory / "r.h5", columns, sample::store(sample::results(0, 20)), {});
    return load_result_file(directory / "r.h5").columns;
}

TEST(KeptMachines, are_read_as_they_were_written) {
    std::string large;
    for (int i = 0; i < 20'000; ++i) large += "# line " + std::to_string(i) + " ä\n";
    auto const columns = with_files({{"/a/card.toml", large}, {"/a/empty.toml", ""}, {"/b/disk.toml", "name = 'd'\n"}});
    EXPECT_EQ(stored(columns).machine_files, columns.machine_files);
    EXPECT_TRUE(stored(sample::columns()).machine_files.empty());
}

TEST(KeptMachines, that_are_not_those_of_the_hashes_are_not_believed) {
    auto columns = with_files({{"/a/card.toml", "name = \"card\"\n"}});
    columns.machine_files.front().text = "name = \"Card\"\n";
    EXPECT_THROW((void)stored(columns), sim::StorageError);
    columns = with_files({{"/a/card.toml", "name = \"card\"\n"}});
    columns.machine_files.front().path = "/b/card.toml";
    EXPECT_THROW((void)stored(columns), sim::StorageError);
}

}  // namespace
}  // namespace pimdse::dse::store::machine_files_test
