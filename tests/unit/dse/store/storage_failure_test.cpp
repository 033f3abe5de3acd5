#include "dse/durable_file.hpp"
#include "dse/journal.hpp"
#include "dse/result_file.hpp"

#include "sample.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <csignal>

namespace pimdse::dse {
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

JournalHeader header() { return JournalHeader::of(sample::columns()); }

TEST(FullDisk, ends_a_journal_without_losing_what_was_acknowledged) {
    sample::TemporaryDirectory const directory;
    auto const path = directory / "j";
    std::uint64_t acknowledged = 0;
    {
        auto journal = Journal::create(path, header());
        FullDisk const disk(20000);
        EXPECT_THROW(
            for (std::uint64_t id = 0; id < 10000; id += 16) {
                journal.append(sample::answers(id, 16));
                journal.commit();
                acknowledged = journal.durable();
            },
            StorageError);
        EXPECT_THROW(journal.append(sample::answers(0, 1)), StorageError) << "a journal that failed stays closed";
    }
    EXPECT_GT(acknowledged, 100U);
    std::uint64_t next = 0;
    auto journal =
        Journal::resume(path, header(), {[&](Answer&& answer) { EXPECT_TRUE(sample::identical(answer, sample::answer(next++))); }, {}, {}});
    EXPECT_EQ(next, acknowledged);
    EXPECT_EQ(journal.report().torn_bytes, 0U) << "the half-written batch was taken back";
    EXPECT_NO_THROW(journal.append(sample::answers(next, 16))) << "there is room again";
}

TEST(FullDisk, leaves_the_earlier_result_file_and_no_temporary) {
    sample::TemporaryDirectory const directory;
    auto const path = directory / "r.h5";
    seal(path, sample::columns(), sample::store(sample::answers(0, 10)), {});
    auto const before = sample::content(path);
    {
        FullDisk const disk(30000);
        EXPECT_THROW(seal(path, sample::columns(), sample::store(sample::answers(0, 5000)), {}), StorageError);
    }
    EXPECT_EQ(sample::content(path), before);
    EXPECT_FALSE(std::filesystem::exists(directory / "r.h5.tmp"));
    EXPECT_NO_THROW(seal(path, sample::columns(), sample::store(sample::answers(0, 5000)), {}));
}

TEST(FullDisk, is_named_in_the_message) {
    sample::TemporaryDirectory const directory;
    try {
        DurableFile const full("/dev/full", DurableFile::Mode::append);
        full.write(std::as_bytes(std::span("x", 1)));
        FAIL() << "/dev/full takes nothing";
    } catch (StorageError const& error) {
        EXPECT_STREQ(error.what(), "cannot write /dev/full (No space left on device)");
    }
}

TEST(Unwritable, places_are_refused_in_advance) {
    sample::TemporaryDirectory const directory;
    EXPECT_NO_THROW(check_writable(directory / "r.h5"));
    EXPECT_THROW(check_writable(directory / "missing" / "r.h5"), StorageError);
    EXPECT_THROW(check_writable(directory.path()), StorageError);
    EXPECT_THROW(check_writable("/proc/r.h5"), StorageError);
    EXPECT_THROW(seal("/proc/r.h5", sample::columns(), sample::store({}), {}), StorageError);
    EXPECT_THROW(Journal::create("/proc/r.h5.journal", header()), StorageError);
}

TEST(Unwritable, directories_are_refused) {
    sample::TemporaryDirectory const directory;
    seal(directory / "r.h5", sample::columns(), sample::store(sample::answers(0, 10)), {});
    auto const before = sample::content(directory / "r.h5");
    std::filesystem::permissions(directory.path(), std::filesystem::perms(0555));
    constexpr uid_t nobody = 65534;
    bool const root = ::geteuid() == 0 && ::seteuid(nobody) == 0;  // root may write everywhere
    EXPECT_THROW(check_writable(directory / "r.h5"), StorageError);
    EXPECT_THROW(seal(directory / "r.h5", sample::columns(), sample::store({}), {}), StorageError);
    EXPECT_THROW(Journal::create(directory / "r.h5.journal", header()), StorageError);
    EXPECT_EQ(sample::content(directory / "r.h5"), before);
    ASSERT_TRUE(!root || ::seteuid(0) == 0);
    std::filesystem::permissions(directory.path(), std::filesystem::perms::owner_all);
}

}  // namespace
}  // namespace pimdse::dse
