#include "dse/search/result_store.hpp"
#include "dse/store/result_file.hpp"
#include "dse/store/result_parts.hpp"
#include "dse/store/result_writer.hpp"
#include "sim/base/check.hpp"
#include "sim/base/file_error.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/dse/store/sample.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <random>
#include <vector>

namespace pimdse::dse::store::result_seal_test {
namespace {

class SealedFile : public ::testing::Test {
  protected:
    SealedFile() {
        seal(directory / "r.h5", sample::columns(), sample::store(sample::results(0, 50)), {});
        whole = sample::content(directory / "r.h5");
    }
    [[nodiscard]] std::filesystem::path written(std::string const& content) const {
        sample::set_content(directory / "changed.h5", content);
        return directory / "changed.h5";
    }
    [[nodiscard]] Seal::State state_of(std::string const& content) const {
        return check_seal(base::DurableFile(written(content), base::DurableFile::Mode::read)).state;
    }
    sample::TemporaryDirectory directory;
    std::string whole;
};

TEST_F(SealedFile, states_its_length_and_sum_in_a_line_of_text) {
    EXPECT_TRUE(whole.starts_with(
        fmt::format("pimdse sealed result, HDF5 from byte 512\nbytes {}\ncrc32 ", whole.size() - seal_head_bytes)));
    EXPECT_EQ(whole.substr(seal_head_bytes + 1, 3), "HDF");
}

TEST_F(SealedFile, shows_every_flipped_bit_behind_its_first_line) {
    std::mt19937 random(3);
    for (int i = 0; i < 300; ++i) {
        std::size_t const at = 41 + random() % (whole.size() - 41);
        auto changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ (1 << random() % 8));
        ASSERT_EQ(state_of(changed), Seal::State::other_bytes) << "byte " << at;
    }
}

TEST_F(SealedFile, that_is_cut_is_damaged_and_one_that_is_longer_has_its_content) {
    for (std::size_t const length :
         {std::size_t{0}, std::size_t{41}, std::size_t{511}, std::size_t{512}, whole.size() / 2, whole.size() - 1}) {
        EXPECT_ANY_THROW(static_cast<void>(load_result_file(written(whole.substr(0, length))))) << length;
    }
    EXPECT_THROW(static_cast<void>(load_result_file(written(whole.substr(0, 600)))), sim::StorageError);
    EXPECT_EQ(load_result_file(written(whole + "x")).store.size(), 50U) << "nothing that a reader sees";
}

TEST_F(SealedFile, is_read_without_its_head_like_an_older_file) {
    auto const file = load_result_file(written(whole.substr(seal_head_bytes)));
    EXPECT_EQ(file.store.size(), 50U);
    EXPECT_EQ(file.digest, load_result_file(directory / "r.h5").digest);
}

TEST_F(SealedFile, may_be_longer_than_what_is_summed_at_once) {
    std::vector<std::byte> bytes((std::size_t{20} << 20) + 12'345);
    std::mt19937 random(4);
    for (auto& byte : bytes) byte = static_cast<std::byte>(random());
    put_seal_head(bytes, "");
    std::string text(reinterpret_cast<char const*>(bytes.data()), bytes.size());
    EXPECT_EQ(state_of(text), Seal::State::whole);
    text.back() = static_cast<char>(text.back() ^ 1);
    EXPECT_EQ(state_of(text), Seal::State::other_bytes);
}

TEST_F(SealedFile, has_its_content_or_is_refused_when_bits_flip) {
    auto const honest = load_result_file(directory / "r.h5");
    std::mt19937 random(5);
    std::size_t refused = 0;
    int const flips = tests::draws(60, 12);
    for (int i = 0; i < flips; ++i) {
        std::size_t const at = seal_head_bytes + random() % (whole.size() - seal_head_bytes);
        auto changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ (1 << random() % 8));
        try {
            auto const file = load_result_file(written(changed));  // some bytes hold nothing
            EXPECT_EQ(search::digest("", file.store), search::digest("", honest.store)) << "byte " << at;
        } catch (sim::StorageError const&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, static_cast<std::size_t>(flips) / 4);
}

TEST_F(SealedFile, without_a_sum_of_its_content_may_not_have_other_bytes) {
    auto const line = whole.find("content ");
    ASSERT_LT(line, seal_head_bytes);
    auto older = whole;
    std::fill(older.begin() + static_cast<std::ptrdiff_t>(line), older.begin() + seal_head_bytes, '\0');
    EXPECT_EQ(state_of(older), Seal::State::whole);
    EXPECT_THROW(static_cast<void>(load_result_file(written(older + "x"))), sim::StorageError);
}

/// What a process that reads somebody's file may do.
TEST(ForeignFile, that_ends_the_process_reading_it_is_damaged) {
    auto const trying = [](std::function<void()> const& read) { try_apart("foreign.h5", 1000, read); };
    EXPECT_THROW(trying([] { std::raise(SIGSEGV); }), sim::StorageError);
    EXPECT_THROW(trying([] { std::abort(); }), sim::StorageError);
    EXPECT_THROW(trying([] { std::exit(3); }), sim::StorageError);
    EXPECT_THROW(trying([] { throw sim::ContractViolation("precondition", "rows lie within", sim::Caller::here()); }),
                 sim::StorageError);
    EXPECT_THROW(trying([] { throw std::bad_alloc(); }), sim::StorageError);
    EXPECT_THROW(trying([] { throw sim::InputError("no result file"); }), sim::InputError);
    EXPECT_NO_THROW(trying([] {}));
}

TEST(ForeignFile, that_asks_for_all_memory_is_damaged) {
    EXPECT_THROW(try_apart("foreign.h5", 1000, [] { std::vector<char> const much(std::size_t{1} << 40, 'x'); }),
                 sim::StorageError);
}

/// It is given five seconds of a core.
TEST(ForeignFile, that_never_ends_is_given_up) {
    auto const begin = std::chrono::steady_clock::now();
    EXPECT_THROW(try_apart("foreign.h5", 1000,
                           [] {
                               std::atomic<bool> ever = false;
                               while (!ever) {
                               }
                           }),
                 sim::StorageError);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(200));
}

}  // namespace
}  // namespace pimdse::dse::store::result_seal_test
