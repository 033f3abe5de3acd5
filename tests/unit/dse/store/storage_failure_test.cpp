#include "dse/base/durable_file.hpp"
#include "dse/store/journal.hpp"
#include "dse/store/result_file.hpp"
#include "dse/store/result_writer.hpp"
#include "sample.hpp"
#include "sim/base/file_error.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

namespace pimdse::dse::store::storage_failure_test {
namespace {

/// A disk that is full beyond `bytes` per file, for this process.
class FullDisk {
  public:
    explicit FullDisk(rlim_t bytes) {
        previous_handler_ = std::signal(SIGXFSZ, SIG_IGN);
        ::getrlimit(RLIMIT_FSIZE, &previous_);
        rlimit const limit{bytes, previous_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FullDisk() {
        ::setrlimit(RLIMIT_FSIZE, &previous_);
        std::signal(SIGXFSZ, previous_handler_);
    }
    FullDisk(FullDisk const&) = delete;
    FullDisk& operator=(FullDisk const&) = delete;

  private:
    rlimit previous_{};
    void (*previous_handler_)(int) = nullptr;
};

store::journal::JournalHeader header() { return store::journal::JournalHeader::of(sample::columns()); }

TEST(FullDisk, ends_a_journal_without_losing_what_was_acknowledged) {
    sample::TemporaryDirectory const directory;
    auto const path = directory / "j";
    std::uint64_t acknowledged = 0;
    {
        auto journal = store::journal::Journal::create(path, header());
        FullDisk const disk(20000);
        EXPECT_THROW(
            for (std::uint64_t id = 0; id < 10000; id += 16) {
                journal.append(sample::results(id, 16));
                journal.commit();
                acknowledged = journal.durable();
            },
            sim::StorageError);
        EXPECT_THROW(journal.append(sample::results(0, 1)), sim::StorageError) << "a journal that failed stays closed";
    }
    EXPECT_GT(acknowledged, 100U);
    std::uint64_t next = 0;
    auto journal = store::journal::Journal::resume(
        path, header(),
        {[&](space::Result&& result) { EXPECT_TRUE(sample::identical(result, sample::result(next++))); }, {}, {}});
    EXPECT_EQ(next, acknowledged);
    EXPECT_EQ(journal.report().torn_bytes, 0U) << "the half-written batch was taken back";
    EXPECT_NO_THROW(journal.append(sample::results(next, 16))) << "there is room again";
}

TEST(FullDisk, leaves_the_earlier_result_file_and_no_temporary) {
    sample::TemporaryDirectory const directory;
    auto const path = directory / "r.h5";
    store::seal(path, sample::columns(), sample::store(sample::results(0, 10)), {});
    auto const before = sample::content(path);
    {
        FullDisk const disk(30000);
        EXPECT_THROW(store::seal(path, sample::columns(), sample::store(sample::results(0, 5000)), {}),
                     sim::StorageError);
    }
    EXPECT_EQ(sample::content(path), before);
    EXPECT_FALSE(std::filesystem::exists(directory / "r.h5.tmp"));
    EXPECT_NO_THROW(store::seal(path, sample::columns(), sample::store(sample::results(0, 5000)), {}));
}

TEST(FullDisk, is_named_in_the_message) {
    sample::TemporaryDirectory const directory;
    try {
        base::DurableFile const full("/dev/full", base::DurableFile::Mode::append);
        full.write(std::as_bytes(std::span("x", 1)));
        FAIL() << "/dev/full takes nothing";
    } catch (sim::StorageError const& error) {
        EXPECT_STREQ(error.what(), "cannot write /dev/full (No space left on device)");
    }
}

TEST(Unwritable, places_are_refused_in_advance) {
    sample::TemporaryDirectory const directory;
    EXPECT_NO_THROW(base::check_writable(directory / "r.h5"));
    EXPECT_THROW(base::check_writable(directory / "missing" / "r.h5"), sim::StorageError);
    EXPECT_THROW(base::check_writable(directory.path()), sim::StorageError);
    EXPECT_THROW(base::check_writable("/proc/r.h5"), sim::StorageError);
    EXPECT_THROW(store::seal("/proc/r.h5", sample::columns(), sample::store({}), {}), sim::StorageError);
    EXPECT_THROW(store::journal::Journal::create("/proc/r.h5.journal", header()), sim::StorageError);
}

TEST(Unwritable, directories_are_refused) {
    sample::TemporaryDirectory const directory;
    store::seal(directory / "r.h5", sample::columns(), sample::store(sample::results(0, 10)), {});
    auto const before = sample::content(directory / "r.h5");
    std::filesystem::permissions(directory.path(), std::filesystem::perms(0555));
    constexpr uid_t nobody = 65534;
    bool const root = ::geteuid() == 0 && ::seteuid(nobody) == 0;  // root may write everywhere
    EXPECT_THROW(base::check_writable(directory / "r.h5"), sim::StorageError);
    EXPECT_THROW(store::seal(directory / "r.h5", sample::columns(), sample::store({}), {}), sim::StorageError);
    EXPECT_THROW(store::journal::Journal::create(directory / "r.h5.journal", header()), sim::StorageError);
    EXPECT_EQ(sample::content(directory / "r.h5"), before);
    ASSERT_TRUE(!root || ::seteuid(0) == 0);
    std::filesystem::permissions(directory.path(), std::filesystem::perms::owner_all);
}

TEST(FullDisk, leaves_nothing_of_a_journal_that_cannot_be_begun) {
    sample::TemporaryDirectory const directory;
    {
        FullDisk const disk(100);
        EXPECT_THROW(store::journal::Journal::create(directory / "j", header()), sim::StorageError);
    }
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(Descriptors, of_files_are_never_those_of_standard_input_output_and_errors) {
    sample::TemporaryDirectory const directory;
    pid_t const child = ::fork();
    if (child == 0) {
        for (int const standard : {0, 1, 2}) ::close(standard);
        base::DurableFile const file(directory / "f", base::DurableFile::Mode::append_or_create);
        ::_exit(::write(0, "x", 1) < 0 && ::write(1, "x", 1) < 0 && ::write(2, "x", 1) < 0 ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_EQ(std::filesystem::file_size(directory / "f"), 0U);
}

TEST(SymbolicLink, at_the_name_of_a_temporary_is_refused_and_its_target_stays) {
    sample::TemporaryDirectory const directory;
    sample::set_content(directory / "precious", "keep me");
    std::filesystem::create_symlink("precious", directory / "r.h5.tmp");
    EXPECT_THROW(base::replace_file(directory / "r.h5", std::as_bytes(std::span("new", 3))), sim::StorageError);
    std::filesystem::create_symlink("precious", directory / "j.tmp");
    EXPECT_THROW(store::journal::Journal::create(directory / "j", header()), sim::StorageError);
    std::filesystem::create_symlink("precious", directory / "k");
    EXPECT_THROW(store::journal::Journal::create(directory / "k", header(), store::journal::Existing::replace),
                 sim::StorageError);
    EXPECT_THROW(store::journal::Journal::resume(directory / "k", header(), {}), sim::StorageError);
    EXPECT_EQ(sample::content(directory / "precious"), "keep me");
}

TEST(SymbolicLink, for_an_output_is_written_through_and_stays_one) {
    sample::TemporaryDirectory const directory;
    std::filesystem::create_directory(directory / "scratch");
    for (std::string const name : {"old.h5", "new.h5"}) {
        if (name == "old.h5") sample::set_content(directory / "scratch" / name, "old");
        std::filesystem::create_symlink("scratch/" + name, directory / ("to-" + name));
        auto const link = directory / ("to-" + name);
        EXPECT_NO_THROW(base::check_writable(link));
        base::replace_file(link, std::as_bytes(std::span("content", 7)));
        EXPECT_TRUE(std::filesystem::is_symlink(link));
        EXPECT_EQ(sample::content(directory / "scratch" / name), "content");
        EXPECT_EQ(store::journal::journal_path(link), directory / "scratch" / (name + ".journal"))
            << "one file has one journal, by whatever name";
    }
    std::filesystem::create_symlink("circle", directory / "circle");
    EXPECT_THROW(static_cast<void>(base::destination_of(directory / "circle")), sim::StorageError);
}

TEST(LostFiles, of_somebody_else_under_the_same_name_are_left_alone) {
    sample::TemporaryDirectory const directory;
    auto mine = store::journal::Journal::create(directory / "j", header());
    mine.append(sample::results(0, 3));
    std::filesystem::remove(directory / "j");
    auto theirs = store::journal::Journal::create(directory / "j", header());
    theirs.append(sample::results(0, 5));
    EXPECT_THROW(mine.check_still_ours(), sim::StorageError);
    EXPECT_NO_THROW(theirs.check_still_ours());
    mine.remove();
    EXPECT_EQ(store::journal::Journal::read(directory / "j", {}).records, 5U);
    theirs.remove();
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
}

TEST(LostFiles, stop_whoever_follows_a_journal_by_its_name) {
    sample::TemporaryDirectory const directory;
    auto first = store::journal::Journal::create(directory / "j", header());
    first.append(sample::results(0, 3));
    store::journal::JournalCursor cursor;
    EXPECT_EQ(store::journal::Journal::read(directory / "j", {}, &cursor).records, 3U);
    first.remove();
    auto second = store::journal::Journal::create(directory / "j", header());
    second.append(sample::results(10, 50));
    EXPECT_THROW(store::journal::Journal::read(directory / "j", {}, &cursor), sim::StorageError);
}

TEST(LostFiles, that_took_the_name_of_a_temporary_are_neither_renamed_nor_deleted) {
    sample::TemporaryDirectory const directory;
    auto const temporary = directory / "r.h5.tmp";
    {
        base::Replacement mine(directory / "r.h5");
        std::filesystem::remove(temporary);
        sample::set_content(temporary, "theirs");
        EXPECT_THROW(static_cast<void>(mine.take_name()), sim::StorageError);
    }
    EXPECT_EQ(sample::content(temporary), "theirs");
    EXPECT_FALSE(std::filesystem::exists(directory / "r.h5"));
}

TEST(TwoStarts, of_one_journal_leave_it_to_one_of_them) {
    for (int round = 0; round < 20; ++round) {
        sample::TemporaryDirectory const directory;
        std::vector<pid_t> children;
        for (int start = 0; start < 4; ++start) {
            children.push_back(::fork());
            if (children.back() != 0) continue;
            try {
                auto journal = store::journal::Journal::create(directory / "j", header());
                journal.append(sample::results(0, 20));
                journal.commit();
                ::_exit(0);
            } catch (sim::StorageError const&) {
                ::_exit(7);
            }
        }
        int winners = 0;
        for (pid_t const child : children) {
            int status = 0;
            ASSERT_EQ(::waitpid(child, &status, 0), child);
            ASSERT_TRUE(WIFEXITED(status));
            winners += WEXITSTATUS(status) == 0 ? 1 : 0;
        }
        EXPECT_EQ(winners, 1);
        EXPECT_EQ(store::journal::Journal::read(directory / "j", {}).records, 20U);
    }
}

}  // namespace
}  // namespace pimdse::dse::store::storage_failure_test
