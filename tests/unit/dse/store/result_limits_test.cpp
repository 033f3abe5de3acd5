#include "dse/store/result_file.hpp"
#include "dse/store/result_writer.hpp"
#include "tests/unit/dse/store/sample.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

/// What a result file must take, however large the job and its space are.
namespace pimdse::dse::store::result_limits_test {
namespace {

std::vector<std::string> many(std::string const& what, std::size_t count) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < count; ++i) texts.push_back(fmt::format("{}-{:05}", what, i));
    return texts;
}

TEST(ResultFileOfALargeJob, names_ten_thousand_hosts_and_a_long_command_line) {
    sample::TemporaryDirectory const directory;
    Provenance provenance;
    provenance.hosts = many("node", 10'000);
    provenance.argv = many("--set=parameter", 10'000);
    seal(directory / "r.h5", sample::columns(), sample::store(sample::results(0, 10)), provenance);
    auto const file = load_result_file(directory / "r.h5");
    EXPECT_EQ(file.provenance.hosts, provenance.hosts);
    EXPECT_EQ(file.provenance.argv, provenance.argv);
}

TEST(ResultFileOfALargeJob, lists_a_hundred_thousand_choices) {
    sample::TemporaryDirectory const directory;
    auto columns = sample::columns();
    for (auto const& choice : many("mapping", 100'000)) columns.parameters[0].choices.push_back(choice);
    columns.decode = [decode = columns.decode](space::PointId id, std::vector<models::Value>& into) {
        decode(id, into);
        into[0] = models::Value::choice(index_of(id) * 997 % 100'000);
    };
    seal(directory / "r.h5", columns, sample::store(sample::results(0, 500)), {});
    auto const file = load_result_file(directory / "r.h5");
    EXPECT_EQ(file.columns.parameters[0].choices, columns.parameters[0].choices);
    std::vector<models::Value> point;
    for (search::Row row = 0; row < file.store.size(); ++row) {
        columns.decode(file.store.task(row).point, point);
        ASSERT_EQ(file.point(row), point) << "row " << row;
    }
}

TEST(ResultFileOfALargeJob, holds_a_mebibyte_of_space_text) {
    sample::TemporaryDirectory const directory;
    auto columns = sample::columns();
    columns.space_text = std::string(std::size_t{1} << 20, 's');
    columns.canonical_text = std::string((std::size_t{1} << 20) + 7, 'c');
    columns.input_hashes.clear();
    for (auto const& name : many("input", 10'000)) columns.input_hashes.emplace_back(name, std::string(64, 'b'));
    seal(directory / "r.h5", columns, sample::store(sample::results(0, 10)), {});
    auto const file = load_result_file(directory / "r.h5");
    EXPECT_EQ(file.columns.space_text, columns.space_text);
    EXPECT_EQ(file.columns.canonical_text, columns.canonical_text);
    EXPECT_EQ(file.columns.input_hashes, columns.input_hashes);
}

TEST(ResultFileOfALargeJob, keeps_what_is_no_text_readable) {
    sample::TemporaryDirectory const directory;
    Provenance provenance;
    provenance.argv = {"-o", "caf\xE9.h5"};
    seal(directory / "r.h5", sample::columns(), sample::store(sample::results(0, 10)), provenance);
    EXPECT_EQ(load_result_file(directory / "r.h5").provenance.argv, (std::vector<std::string>{"-o", "caf\uFFFD.h5"}));
}

TEST(ResultFile, keeps_all_that_is_said_of_its_making) {
    sample::TemporaryDirectory const directory;
    Provenance first;
    first.run_id = "first";
    first.hosts = {"n1", "n2"};
    first.set_more("state", state_stopped);
    first.set_more("classes_of_mapping", "5040 candidates");
    Provenance second;
    second.run_id = "second";
    second.earlier = with_itself(first);
    second.set_more("state", state_complete);
    seal(directory / "r.h5", sample::columns(), sample::store(sample::results(0, 10)), second);
    auto const read = load_result_file(directory / "r.h5").provenance;
    EXPECT_EQ(read.more_of("state"), state_complete);
    EXPECT_FALSE(read.unfinished());
    EXPECT_TRUE(first.unfinished());
    ASSERT_EQ(read.earlier.size(), 1U);
    EXPECT_EQ(read.earlier, second.earlier);
    for (char const* part : {"first", "n2", "stopped", "5040 candidates"})
        EXPECT_NE(read.earlier[0].find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace pimdse::dse::store::result_limits_test
