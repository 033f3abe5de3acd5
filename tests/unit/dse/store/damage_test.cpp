#include "dse/store/journal.hpp"

#include "sim/base/file_error.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/dse/store/sample.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gtest/gtest.h>
#include <algorithm>
#include <random>

namespace pimdse::dse::store::journal::damage_test {
namespace {

JournalHeader header() { return JournalHeader::of(sample::columns()); }

/// A journal of `count` results on disk and where each record ends.
struct Written {
    sample::TemporaryDirectory directory;
    std::filesystem::path path = directory / "run.h5.journal";
    std::string bytes;
    std::vector<std::size_t> ends;  ///< ends[k]: behind k records

    explicit Written(std::uint64_t count) {
        auto journal = Journal::create(path, header());
        ends.push_back(sample::content(path).size());
        for (std::uint64_t id = 0; id < count; ++id) {
            journal.append(sample::results(id, 1));
            ends.push_back(sample::content(path).size());
        }
        bytes = sample::content(path);
    }
};

std::vector<std::uint64_t> resumed_ids(std::filesystem::path const& path, OnDamage on_damage = OnDamage::refuse) {
    std::vector<std::uint64_t> ids;
    Journal::resume(path, header(),
                    {[&](space::Result&& result) {
                         EXPECT_TRUE(sample::identical(result, sample::result(index_of(result.task.point))));
                         ids.push_back(index_of(result.task.point));
                     },
                     {},
                     {}},
                    on_damage);
    return ids;
}

std::vector<std::uint64_t> first_ids(std::size_t count) {
    std::vector<std::uint64_t> ids(count);
    for (std::size_t i = 0; i < count; ++i) ids[i] = i;
    return ids;
}

TEST(JournalDamage, a_tail_torn_at_any_byte_is_dropped_with_a_note) {
    Written const written(6);
    tests::Turns turns(7);
    for (std::size_t length = written.ends[0]; length <= written.bytes.size(); ++length) {
        if (!turns.next()) continue;
        sample::set_content(written.path, written.bytes.substr(0, length));
        auto const whole = static_cast<std::size_t>(std::upper_bound(written.ends.begin(), written.ends.end(), length) -
                                                    written.ends.begin()) -
                           1;
        ASSERT_EQ(resumed_ids(written.path), first_ids(whole)) << "cut to " << length;
        ASSERT_EQ(std::filesystem::file_size(written.path), written.ends[whole]);
    }
    sample::set_content(written.path, written.bytes.substr(0, written.bytes.size() - 1));
    auto journal = Journal::resume(written.path, header(), {});
    ASSERT_EQ(journal.report().notes.size(), 1U);
    EXPECT_NE(journal.report().notes[0].find("never finished"), std::string::npos);
    journal.append(sample::results(5, 1));
    journal.commit();
    EXPECT_EQ(sample::content(written.path), written.bytes) << "the result given again takes the place of the torn one";
}

TEST(JournalDamage, a_tail_of_zeros_is_dropped) {
    Written const written(6);
    sample::set_content(written.path, written.bytes + std::string(5000, '\0'));
    EXPECT_EQ(resumed_ids(written.path), first_ids(6));
    EXPECT_EQ(std::filesystem::file_size(written.path), written.bytes.size());
}

TEST(JournalDamage, a_journal_cut_within_its_head_starts_anew) {
    Written const written(0);
    for (std::size_t length :
         {std::size_t{0}, std::size_t{5}, std::size_t{19}, std::size_t{40}, written.bytes.size() - 1}) {
        sample::set_content(written.path, written.bytes.substr(0, length));
        EXPECT_TRUE(resumed_ids(written.path).empty());
        EXPECT_EQ(sample::content(written.path), written.bytes);
    }
}

TEST(JournalDamage, a_damaged_head_before_records_is_refused_and_stays) {
    Written const written(3);
    auto broken = written.bytes;
    broken[60] = static_cast<char>(broken[60] ^ 1);
    sample::set_content(written.path, broken);
    EXPECT_THROW(resumed_ids(written.path), sim::StorageError);
    EXPECT_EQ(sample::content(written.path), broken);
}

TEST(JournalDamage, any_flipped_bit_costs_at_most_its_own_record) {
    constexpr std::size_t count = 12;
    Written const written(count);
    std::mt19937 random(4);
    for (int round = 0; round < 100; ++round) {
        std::size_t const at = written.ends[0] + random() % (written.bytes.size() - written.ends[0]);
        auto const hit = static_cast<std::size_t>(std::upper_bound(written.ends.begin(), written.ends.end(), at) -
                                                  written.ends.begin()) -
                         1;
        auto broken = written.bytes;
        broken[at] = static_cast<char>(broken[at] ^ (1 << random() % 8));
        sample::set_content(written.path, broken);
        auto expected = first_ids(count);
        expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(hit));
        if (hit == count - 1) {
            ASSERT_EQ(resumed_ids(written.path), expected) << "the last record looks like a torn tail";
            continue;
        }
        ASSERT_THROW(resumed_ids(written.path), sim::StorageError) << "byte " << at;
        ASSERT_EQ(sample::content(written.path), broken) << "nothing is changed when it is refused";
        ASSERT_EQ(resumed_ids(written.path, OnDamage::salvage), expected) << "byte " << at;
        ASSERT_EQ(sample::content(written.directory / "run.h5.journal.damaged"), broken)
            << "the damaged file is set aside";
        std::filesystem::remove(written.directory / "run.h5.journal.damaged");
        ASSERT_EQ(resumed_ids(written.path), expected) << "the salvaged journal is whole";
    }
}

TEST(JournalDamage, a_hole_of_many_records_is_reported_and_the_rest_kept) {
    Written const written(50);
    auto broken = written.bytes;
    std::fill(broken.begin() + static_cast<std::ptrdiff_t>(written.ends[10]) + 3,
              broken.begin() + static_cast<std::ptrdiff_t>(written.ends[30]) - 3, '\0');
    sample::set_content(written.path, broken);
    auto const report = Journal::read(written.path, {});
    EXPECT_EQ(report.records, 30U);
    EXPECT_EQ(report.damaged_bytes, written.ends[30] - written.ends[10]);
    ASSERT_EQ(report.notes.size(), 1U);
    EXPECT_THAT(report.notes[0], says("records-lost")) << report.notes[0];
    EXPECT_THAT(refusal_by<sim::StorageError>([&] { resumed_ids(written.path); }), says("records-whole"));
}

TEST(JournalDamage, a_salvaged_journal_goes_on_and_keeps_every_damaged_file) {
    Written const written(8);
    for (int time = 1; time <= 2; ++time) {
        auto broken = sample::content(written.path);
        broken[written.ends[1] + 2] = static_cast<char>(~broken[written.ends[1] + 2]);
        sample::set_content(written.path, broken);
        auto journal = Journal::resume(written.path, header(), {}, OnDamage::salvage);
        EXPECT_FALSE(journal.report().notes.empty());
        journal.append(sample::results(100 + static_cast<std::uint64_t>(time), 1));
    }
    EXPECT_TRUE(std::filesystem::exists(written.directory / "run.h5.journal.damaged"));
    EXPECT_TRUE(std::filesystem::exists(written.directory / "run.h5.journal.damaged-2"));
    EXPECT_EQ(resumed_ids(written.path).size(), 8U);
}

TEST(JournalDamage, whole_records_that_came_from_elsewhere_are_not_dropped_as_a_tail) {
    Written const written(6);
    auto const again = written.bytes.substr(written.ends[1], written.ends[4] - written.ends[1]);
    auto const spliced = written.bytes + again;
    sample::set_content(written.path, spliced);
    EXPECT_THROW(resumed_ids(written.path), sim::StorageError);
    EXPECT_EQ(sample::content(written.path), spliced);
    EXPECT_EQ(resumed_ids(written.path, OnDamage::salvage), first_ids(6));
    EXPECT_EQ(sample::content(written.directory / "run.h5.journal.damaged"), spliced);
}

int damages() { return tests::draws(80'000, 3, 400); }

/// A made-up accident: one to three bits flipped, a cut, or a stretch that is missing, doubled or overwritten by
/// another.
std::string after_an_accident(std::string bytes, std::mt19937_64& random) {
    auto const somewhere = [&] { return static_cast<std::size_t>(random() % bytes.size()); };
    std::size_t const from = somewhere();
    std::size_t const length = std::min<std::size_t>(1 + random() % 200, bytes.size() - from);
    switch (random() % 8) {
        case 0:
            return bytes.substr(0, from);
        case 1:
            return bytes.erase(from, length);
        case 2:
            return bytes.insert(somewhere(), bytes.substr(from, length));
        case 3:
            return bytes.replace(std::min(somewhere(), bytes.size() - length), length, bytes.substr(from, length));
        default:
            for (std::uint64_t flips = 1 + random() % 3; flips != 0; --flips) {
                std::size_t const at = somewhere();
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
            }
            return bytes;
    }
}

/// The whole records of `written` that are in `bytes`, found by looking for each.
std::vector<std::uint64_t> records_in(std::string const& bytes, Written const& written) {
    std::vector<std::uint64_t> ids;
    for (std::size_t i = 0; i + 1 < written.ends.size(); ++i) {
        bool const there = bytes.find(written.bytes.substr(written.ends[i], written.ends[i + 1] - written.ends[i])) !=
                           std::string::npos;
        if (there) ids.push_back(i);
    }
    return ids;
}

bool holds_all(std::vector<std::uint64_t> const& some, std::vector<std::uint64_t> const& wanted) {
    return std::includes(some.begin(), some.end(), wanted.begin(), wanted.end());
}

/// What resume() makes of it: refused and unchanged, or every whole record kept. resumed_ids() compares each result bit
/// for bit.
void expect_nothing_lost(Written const& written, std::string const& broken) {
    sample::set_content(written.path, broken);
    auto const there = records_in(broken, written);
    try {
        ASSERT_TRUE(holds_all(resumed_ids(written.path), there));
        ASSERT_EQ(records_in(sample::content(written.path), written), there) << "a record was dropped";
    } catch (sim::StorageError const&) {
        ASSERT_EQ(sample::content(written.path), broken) << "it was refused, and changed";
    }
}

TEST(JournalDamage, of_any_sort_loses_no_whole_record_and_makes_up_none) {
    Written const written(12);
    std::mt19937_64 random(11);
    for (int round = 0; round < damages(); ++round) {
        expect_nothing_lost(written, after_an_accident(written.bytes, random));
        ASSERT_FALSE(::testing::Test::HasFailure()) << "round " << round;
    }
    RecordProperty("damages", damages());
    std::printf("%d damaged journals: refused and unchanged, or every whole record kept\n", damages());
}

}  // namespace
}  // namespace pimdse::dse::store::journal::damage_test
