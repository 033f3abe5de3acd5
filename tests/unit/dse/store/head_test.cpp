#include "dse/store/journal_format.hpp"

#include "dse/store/journal.hpp"
#include "sim/base/check.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/wire.hpp"
#include "tests/support/campaign.hpp"
#include "tests/unit/dse/store/sample.hpp"
#include "tests/unit/says.hpp"

#include <gtest/gtest.h>

namespace pimdse::dse::store::journal::head_test {
namespace {

using format::head_size;

JournalHeader header() { return JournalHeader::of(sample::columns()); }

constexpr std::uint64_t count = 5;

/// A journal of five results, and its bytes.
struct Written {
    sample::TemporaryDirectory directory;
    std::filesystem::path path = directory / "run.h5.journal";
    std::size_t head = format::header_bytes(header()).size();
    std::string bytes;

    Written() {
        Journal::create(path, header()).append(sample::results(0, count));
        bytes = sample::content(path);
    }
    [[nodiscard]] std::string with_bit_flipped(std::size_t bit) const {
        auto broken = bytes;
        broken[bit / 8] = static_cast<char>(broken[bit / 8] ^ (1 << bit % 8));
        return broken;
    }
};

struct Resumed {
    std::vector<std::uint64_t> ids;
    std::vector<std::string> notes;
};

Resumed resume(std::filesystem::path const& path, OnDamage on_damage, JournalHeader const& wanted = header()) {
    Resumed resumed;
    JournalSink sink;
    sink.result = [&](space::Result&& result) {
        EXPECT_TRUE(sample::identical(result, sample::result(index_of(result.task.point))));
        resumed.ids.push_back(index_of(result.task.point));
    };
    resumed.notes = Journal::resume(path, wanted, sink, on_damage).report().notes;
    return resumed;
}

std::vector<std::uint64_t> const everything{0, 1, 2, 3, 4};

TEST(JournalHead, with_any_bit_flipped_is_refused_and_nothing_is_changed) {
    Written const written;
    tests::Turns turns(7);
    for (std::size_t bit = 0; bit < 8 * written.head; ++bit) {
        if (!turns.next()) continue;
        auto const broken = written.with_bit_flipped(bit);
        sample::set_content(written.path, broken);
        ASSERT_THROW(resume(written.path, OnDamage::refuse), sim::StorageError) << "bit " << bit;
        ASSERT_THROW(Journal::read(written.path, {}), sim::StorageError) << "bit " << bit;
        ASSERT_EQ(sample::content(written.path), broken) << "bit " << bit;
    }
}

TEST(JournalHead, with_any_bit_flipped_costs_no_record_when_it_is_salvaged) {
    Written const written;
    tests::Turns turns(5);
    for (std::size_t bit = 0; bit < 8 * written.head; bit += bit < 8 * format::head_size ? 1 : 31) {
        if (!turns.next()) continue;
        auto const broken = written.with_bit_flipped(bit);
        sample::set_content(written.path, broken);
        auto const resumed = resume(written.path, OnDamage::salvage);
        ASSERT_EQ(resumed.ids, everything) << "bit " << bit;
        ASSERT_EQ(resumed.notes.front().find("assumed to belong to this one"), std::string::npos)
            << "one flip leaves the space's name readable: " << bit;
        ASSERT_EQ(sample::content(written.directory / "run.h5.journal.damaged"), broken);
        ASSERT_EQ(sample::content(written.path), written.bytes) << "the new journal is the old one without the damage";
        std::filesystem::remove(written.directory / "run.h5.journal.damaged");
    }
}

TEST(JournalHead, that_claims_to_be_longer_than_the_file_empties_nothing) {
    Written const written;
    sample::set_content(written.path, written.with_bit_flipped(8 * 15 + 4));
    EXPECT_THROW(resume(written.path, OnDamage::refuse), sim::StorageError);
    EXPECT_EQ(std::filesystem::file_size(written.path), written.bytes.size());
}

TEST(JournalHead, that_names_another_space_is_not_salvaged_into_this_one) {
    Written const written;
    auto other = header();
    other.canonical_text += " ";
    for (std::size_t const bit :
         {std::size_t{3}, std::size_t{8 * 9}, std::size_t{8 * 16}, 8 * (format::head_size + 3)}) {
        auto const broken = written.with_bit_flipped(bit);
        sample::set_content(written.path, broken);
        EXPECT_THROW(resume(written.path, OnDamage::salvage, other), sim::InputError) << "bit " << bit;
        EXPECT_EQ(sample::content(written.path), broken);
    }
}

TEST(JournalHead, that_names_no_space_any_more_is_salvaged_with_a_note) {
    Written const written;
    auto broken = written.bytes;
    std::fill(broken.begin() + format::head_size, broken.begin() + static_cast<std::ptrdiff_t>(written.head), '\x7f');
    sample::set_content(written.path, broken);
    auto const resumed = resume(written.path, OnDamage::salvage);
    EXPECT_EQ(resumed.ids, everything);
    EXPECT_THAT(resumed.notes.front(), says("assumed-belong-one")) << resumed.notes.front();
}

TEST(JournalHead, that_was_never_finished_starts_anew_and_also_with_zeros_behind) {
    Written const written;
    auto const head = written.bytes.substr(0, written.head);
    for (std::size_t length = 0; length < head.size(); length += length < 30 ? 1 : 17) {
        for (std::size_t const zeros : {std::size_t{0}, std::size_t{9}, std::size_t{4096}}) {
            sample::set_content(written.path, head.substr(0, length) + std::string(zeros, '\0'));
            ASSERT_TRUE(resume(written.path, OnDamage::refuse).ids.empty())
                << length << " bytes and " << zeros << " zeros";
            ASSERT_EQ(sample::content(written.path), head);
        }
    }
}

TEST(JournalHead, of_any_other_content_is_refused_and_stays) {
    Written const written;
    for (std::string const text : {"x", "PIMDSEX\n", "PIMDSEJ\n\x02", "# a note\n",
                                   "a longer text that was never a journal, and has no records"}) {
        sample::set_content(written.path, text);
        EXPECT_THROW(resume(written.path, OnDamage::refuse), sim::StorageError) << text;
        EXPECT_THROW(resume(written.path, OnDamage::salvage), sim::StorageError) << text;
        EXPECT_EQ(sample::content(written.path), text);
    }
}

/// A head with this text and the right length and checksum.
std::string head_with(std::string const& json) {
    space::Bytes bytes;
    for (char const c : std::string("PIMDSEJ\n")) bytes.push_back(static_cast<std::byte>(c));
    sim::wire::put(bytes, format::version);
    sim::wire::put(bytes, static_cast<std::uint32_t>(json.size()));
    sim::wire::put(bytes, sim::crc32(std::as_bytes(std::span(json))));
    return std::string(reinterpret_cast<char const*>(bytes.data()), bytes.size()) + json;
}

TEST(JournalHead, with_a_right_checksum_and_a_wrong_text_is_damage) {
    Written const written;
    auto const records = written.bytes.substr(written.head);
    for (std::string const json :
         {"", "no JSON", "[]", "{}", "17",
          "{\"architecture\":1,\"metrics\":[],\"space\":\"\",\"space_text\":\"\",\"run\":{}}",
          "{\"architecture\":\"\xff\xfe\",\"metrics\":[],\"space\":\"\",\"space_text\":\"\",\"run\":{}}"}) {
        sample::set_content(written.path, head_with(json) + records);
        EXPECT_THROW(resume(written.path, OnDamage::refuse), sim::StorageError) << json;
        EXPECT_THROW(Journal::read_header(written.path), sim::StorageError) << json;
        EXPECT_EQ(resume(written.path, OnDamage::salvage).ids, everything) << json;
        sample::set_content(written.path, written.bytes);
    }
}

TEST(JournalHead, whose_texts_are_not_utf_8_is_written_and_read) {
    sample::TemporaryDirectory const directory;
    auto odd = header();
    odd.space_text = "# \xff\xfe\n";
    Journal::create(directory / "j", odd).append(sample::results(0, 2));
    EXPECT_EQ(resume(directory / "j", OnDamage::refuse, odd).ids.size(), 2U);
}

}  // namespace
}  // namespace pimdse::dse::store::journal::head_test
