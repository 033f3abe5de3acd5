#include "dse/base/durable_file.hpp"
#include "dse/store/journal.hpp"
#include "sim/base/file_error.hpp"
#include "tests/unit/dse/store/sample.hpp"
#include "tests/unit/refused.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>

namespace {
/// What flock() fails with in this program; 0: it works.
int broken_flock = 0;
}  // namespace

/// Stands in for the C library's, so that a file system without locks can be played.
extern "C" int flock(int descriptor, int operation) noexcept {
    if (broken_flock == 0) return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
    errno = broken_flock;
    return -1;
}

namespace pimdse::dse::store::journal::lock_test {
namespace {

/// A file system whose flock() fails, for as long as this lives.
class WithoutFlock {
  public:
    explicit WithoutFlock(int error) { broken_flock = error; }
    ~WithoutFlock() { broken_flock = 0; }
    WithoutFlock(WithoutFlock const&) = delete;
    WithoutFlock& operator=(WithoutFlock const&) = delete;
};

JournalHeader header() { return JournalHeader::of(sample::columns()); }

TEST(Lock, is_seen_by_whoever_looks_without_the_right_to_write) {
    sample::TemporaryDirectory const directory;
    sample::set_content(directory / "f", "x");
    EXPECT_EQ(base::holder_of(directory / "f"), base::Holder::nobody);
    {
        base::DurableFile const held(directory / "f", base::DurableFile::Mode::append);
        ASSERT_TRUE(held.try_lock());
        EXPECT_EQ(base::holder_of(directory / "f"), base::Holder::somebody);
    }
    EXPECT_EQ(base::holder_of(directory / "f"), base::Holder::nobody);
}

TEST(Lock, of_a_temporary_is_met_by_other_writers_and_by_no_reader) {
    sample::TemporaryDirectory const directory;
    base::Replacement const writing(directory / "f", base::Replacement::Guard::temporary);
    base::DurableFile const reader(writing.file().path(), base::DurableFile::Mode::read);
    EXPECT_TRUE(reader.try_lock(base::DurableFile::Lock::shared)) << "as h5py does, which refuses the file otherwise";
    base::DurableFile const writer(writing.file().path(), base::DurableFile::Mode::append);
    EXPECT_FALSE(writer.try_lock_beside_readers());
}

TEST(Lock, falls_back_on_record_locks_where_there_is_no_flock) {
    for (int const error : {ENOSYS, EOPNOTSUPP, ENOLCK}) {
        WithoutFlock const file_system(error);
        sample::TemporaryDirectory const directory;
        JournalSettings const impatient{256, std::chrono::milliseconds(50), std::chrono::milliseconds(30)};
        {
            auto journal = Journal::create(directory / "j", header());
            EXPECT_THROW(Journal::resume(directory / "j", header(), {}, OnDamage::refuse, impatient),
                         sim::StorageError);
            EXPECT_EQ(base::holder_of(directory / "j"), base::Holder::somebody);
            journal.append(sample::results(0, 3));
        }
        EXPECT_EQ(base::holder_of(directory / "j"), base::Holder::nobody);
        EXPECT_EQ(Journal::resume(directory / "j", header(), {}).appended(), 3U);
    }
}

TEST(Lock, that_no_file_system_gives_is_explained_and_leaves_the_holder_unknown) {
    WithoutFlock const file_system(ENOSYS);
    sample::TemporaryDirectory const directory;
    sample::set_content(directory / "f", "x");
    // A record lock for writing needs the right to write, so here is none of either sort.
    base::DurableFile const file(directory / "f", base::DurableFile::Mode::read);
    EXPECT_THAT(refusal_by<sim::StorageError>([&] { static_cast<void>(file.try_lock()); }),
                ::testing::HasSubstr("option flock"));
    broken_flock = EBADF;
    EXPECT_EQ(base::holder_of(directory / "f"), base::Holder::unknown)
        << "cannot lock is not the same as somebody holds the lock";
}

}  // namespace
}  // namespace pimdse::dse::store::journal::lock_test
