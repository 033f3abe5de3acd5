#include "dse/store/journal.hpp"
#include "dse/store/journal_format.hpp"
#include "dse/store/journal_scanner.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/wire.hpp"
#include "tests/unit/dse/store/sample.hpp"

#include <gtest/gtest.h>
#include <chrono>
#include <functional>
#include <random>

/// Journals whose checksums are right and whose content is not.
namespace pimdse::dse::store::journal::hostile_test {
namespace {

using format::RecordKind;

JournalHeader header() { return JournalHeader::of(sample::columns()); }

std::string text_of(space::Bytes const& bytes) { return {reinterpret_cast<char const*>(bytes.data()), bytes.size()}; }

/// A journal with one record of this payload.
std::string journal_with(format::RecordKind kind, std::function<void(space::Bytes&)> const& payload) {
    space::Bytes bytes = format::header_bytes(header());
    format::put_record(bytes, 1, kind, payload);
    return text_of(bytes);
}

JournalReport read(std::string const& content, JournalSink const& sink) {
    sample::TemporaryDirectory const directory;
    sample::set_content(directory / "j", content);
    return Journal::read(directory / "j", sink);
}

JournalSink ignoring() {
    return {[](space::Result&&) {}, [](Started&&) {}, [](space::BlockSummary&&) {}, [](space::BlockPart&&) {}};
}

/// A mark as its numbers say: fidelity, whether it is a list, its length and the ids.
std::string mark(std::uint8_t fidelity, std::uint8_t list, std::uint64_t points,
                 std::vector<std::uint64_t> const& ids) {
    return journal_with(format::RecordKind::started, [&](space::Bytes& into) {
        sim::wire::put(into, fidelity);
        sim::wire::put(into, list);
        sim::wire::put(into, points);
        for (auto const id : ids) sim::wire::put(into, id);
    });
}

TEST(HostileJournal, a_mark_of_very_many_points_in_a_row_is_one_number) {
    std::uint64_t size = 0;
    JournalSink sink;
    sink.started = [&](Started&& started) { size = started.size(); };
    EXPECT_EQ(read(mark(0, 0, 1ULL << 63, {5}), sink).records, 1U);
    EXPECT_EQ(size, 1ULL << 63);
}

TEST(HostileJournal, a_list_of_points_is_as_long_as_its_bytes) {
    EXPECT_NO_THROW(read(mark(0, 1, 2, {7, 9}), ignoring()));
    for (std::uint64_t const points : {0ULL, 1ULL, 3ULL, 100'000'000ULL, 1ULL << 61, 1ULL << 63, ~0ULL}) {
        EXPECT_THROW(read(mark(0, 1, points, {7, 9}), ignoring()), sim::StorageError) << points;
    }
}

TEST(HostileJournal, marks_of_no_known_kind_or_beyond_all_ids_are_refused) {
    EXPECT_THROW(read(mark(3, 0, 1, {0}), ignoring()), sim::StorageError) << "fidelity";
    EXPECT_THROW(read(mark(0, 2, 1, {0}), ignoring()), sim::StorageError) << "neither a run nor a list";
    EXPECT_THROW(read(mark(0, 0, 1, {}), ignoring()), sim::StorageError);
    EXPECT_THROW(read(mark(0, 0, 1, {0, 1}), ignoring()), sim::StorageError);
    EXPECT_THROW(read(mark(0, 0, ~0ULL, {1}), ignoring()), sim::StorageError) << "the last id would wrap round";
    EXPECT_NO_THROW(read(mark(0, 0, ~0ULL, {0}), ignoring()));
}

TEST(HostileJournal, results_with_another_number_of_metrics_are_refused_wherever_they_are) {
    for (std::size_t const metrics : {0U, 2U, 4U}) {
        space::Result const result{{}, models::Metrics(metrics, models::Estimate::exact(1.0)), 0.0, 0};
        auto const as = [&](format::RecordKind kind, auto const& content) {
            return journal_with(kind, [&](space::Bytes& into) { encode(content, into); });
        };
        EXPECT_THROW(read(as(format::RecordKind::result, result), ignoring()), sim::StorageError);
        EXPECT_THROW(read(as(format::RecordKind::block, space::BlockSummary{0, {}, {result}, {}}), ignoring()),
                     sim::StorageError);
        EXPECT_THROW(read(as(format::RecordKind::part, space::BlockPart{0, 1, {}, {result}, {}}), ignoring()),
                     sim::StorageError);
    }
}

TEST(HostileJournal, resuming_changes_nothing_in_what_it_cannot_read) {
    sample::TemporaryDirectory const directory;
    auto const content = journal_with(static_cast<format::RecordKind>(99), [](space::Bytes&) {});
    sample::set_content(directory / "j", content);
    EXPECT_THROW(Journal::resume(directory / "j", header(), ignoring()), sim::StorageError);
    EXPECT_THROW(Journal::resume(directory / "j", header(), ignoring(), OnDamage::salvage), sim::StorageError);
    EXPECT_EQ(sample::content(directory / "j"), content);
}

TEST(HostileJournal, checksums_of_ranges_are_those_of_their_bytes) {
    sample::TemporaryDirectory const directory;
    std::mt19937 random(7);
    std::string content(100'000, '\0');
    for (auto& c : content) c = static_cast<char>(random());
    sample::set_content(directory / "bytes", content);
    base::DurableFile const file(directory / "bytes", base::DurableFile::Mode::read);
    constexpr std::size_t start = 4321;
    format::RangeChecksums checksums(file, start);
    auto const bytes = std::as_bytes(std::span(content));
    for (int round = 0; round < 2000; ++round) {
        std::size_t const begin = start + random() % (content.size() - start);
        std::size_t const end = begin + random() % (content.size() - begin + 1);
        ASSERT_EQ(checksums.of(begin, end), sim::crc32(bytes.subspan(begin, end - begin))) << begin << " to " << end;
    }
}

/// Four MiB in which every 16 bytes begin something that could be a record up to the end of the file, and is not.
std::string false_heads() {
    constexpr std::size_t size = std::size_t{4} << 20;
    space::Bytes bytes;
    bytes.reserve(size);
    while (bytes.size() < size) {
        sim::wire::put(bytes, static_cast<std::uint32_t>(size - bytes.size() - format::record_head));
        sim::wire::put(bytes, std::uint32_t{0});
        sim::wire::put(bytes, std::uint64_t{1});
    }
    return text_of(bytes);
}

TEST(HostileJournal, four_MiB_of_heads_without_records_are_passed_in_seconds) {
    using namespace std::chrono_literals;
    auto const begun = std::chrono::steady_clock::now();
    auto const report = read(text_of(format::header_bytes(header())) + false_heads(), ignoring());
    EXPECT_EQ(report.records, 0U);
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 60s)
        << "each of 262,144 heads would be a checksum over the rest: 550 GB";
}

TEST(HostileJournal, very_many_damaged_places_are_counted_and_not_all_told) {
    space::Bytes bytes = format::header_bytes(header());
    for (std::uint64_t number = 1; number <= 1000; ++number) {
        format::put_record(bytes, number, format::RecordKind::result,
                           [&](space::Bytes& into) { encode(sample::result(number), into); });
        bytes.push_back(std::byte{0});
    }
    auto const report = read(text_of(bytes), ignoring());
    EXPECT_EQ(report.records, 1000U);
    EXPECT_EQ(report.damaged_bytes, 999U) << "the last one is a tail";
    EXPECT_LT(report.notes.size(), 20U);
}

}  // namespace
}  // namespace pimdse::dse::store::journal::hostile_test
