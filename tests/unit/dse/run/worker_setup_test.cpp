#include "dse/run/child_process.hpp"

#include "dse/run/messages.hpp"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace pimdse::dse::run::worker_setup_test {
namespace {

std::string some_text(std::mt19937_64& random) {
    std::string text;
    for (auto length = random() % 7; length > 0; --length) text += static_cast<char>(random());
    return text;
}

WorkerSetup some_setup(std::mt19937_64& random) {
    WorkerSetup setup{random() % 2 == 0 ? ReplyMode::immediate : ReplyMode::batched, {}, {}, {}, {}, {}};
    for (auto many = random() % 4; many > 0; --many) setup.lines.push_back(static_cast<int>(random() % 5000));
    setup.space_text = some_text(random);
    setup.space_name = some_text(random);
    for (auto many = random() % 3; many > 0; --many) setup.overrides.emplace_back(some_text(random), some_text(random));
    for (auto many = random() % 4; many > 0; --many) setup.objectives.push_back(some_text(random));
    return setup;
}

Chunk some_chunk(std::mt19937_64& random) {
    auto const fidelity = static_cast<models::Fidelity>(random() % models::fidelity_names.size());
    std::vector<space::PointId> points;
    for (auto many = random() % 4; many > 0; --many) points.push_back(space::PointId{random()});
    auto batch = points.empty() ? space::Batch::range(space::PointId{random() / 2}, random() % 1000, fidelity)
                                : space::Batch::list(std::move(points), fidelity);
    return {random(), random() % 2 == 0 ? batch.quarantined() : batch};
}

TEST(WorkerSetup, is_read_as_it_was_written) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 500; ++round) {
        auto const requested = some_setup(random), read = read_setup(write_setup(requested));
        EXPECT_EQ(read.reply_mode, requested.reply_mode);
        EXPECT_EQ(read.lines, requested.lines);
        EXPECT_EQ(read.space_text, requested.space_text);
        EXPECT_EQ(read.space_name, requested.space_name);
        EXPECT_EQ(read.overrides, requested.overrides);
        EXPECT_EQ(read.objectives, requested.objectives);
    }
}

TEST(WorkerSetup, is_refused_when_truncated_anywhere) {
    std::mt19937_64 random(2);
    for (int round = 0; round < 50; ++round) {
        auto const bytes = write_setup(some_setup(random));
        for (std::size_t length = 0; length < bytes.size(); ++length)
            EXPECT_THROW((void)read_setup(std::span(bytes).first(length)), space::CodecError) << length;
    }
}

TEST(WorkerSetup, is_refused_without_allocation_when_a_length_exceeds_the_message) {
    space::Bytes many_lines{std::byte{1}, std::byte{0xFF}, std::byte{0xFF}, std::byte{0xFF}, std::byte{0xFF}};
    EXPECT_THROW((void)read_setup(many_lines), space::CodecError);
    auto const empty = write_setup({});
    for (std::size_t at = 1; at < empty.size(); ++at) {
        auto bytes = empty;
        bytes[at] = std::byte{0xFE};
        EXPECT_THROW((void)read_setup(bytes), space::CodecError) << at;
    }
}

TEST(Messages, of_any_points_are_read_as_they_were_written) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 500; ++round) {
        auto const sent = some_chunk(random), read = read_chunk(write_chunk(sent));
        EXPECT_EQ(read.sequence, sent.sequence);
        EXPECT_EQ(read.tasks.is_quarantined(), sent.tasks.is_quarantined());
        EXPECT_EQ(read.tasks.fidelity(), sent.tasks.fidelity());
        ASSERT_EQ(read.tasks.size(), sent.tasks.size());
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(sent.tasks.size(), 20); ++i)
            EXPECT_EQ(read.tasks.task(i), sent.tasks.task(i));
    }
}

TEST(Messages, that_are_cut_off_or_longer_than_they_say_are_none) {
    std::mt19937_64 random(4);
    for (int round = 0; round < 200; ++round) {
        auto bytes = write_chunk(some_chunk(random));
        for (std::size_t length = 0; length < bytes.size(); ++length)
            EXPECT_THROW((void)read_chunk(std::span(bytes).first(length)), space::CodecError) << length;
        bytes.push_back(std::byte{0});
        EXPECT_THROW((void)read_chunk(bytes), space::CodecError);
    }
}

TEST(Messages, of_no_fidelity_or_more_points_than_there_are_numbers_are_none) {
    auto const bytes = write_chunk({1, space::Batch::list({space::PointId{9}}, models::Fidelity::cycle)});
    auto other = bytes;
    other[8] = static_cast<std::byte>(models::fidelity_names.size());
    EXPECT_THROW((void)read_chunk(other), space::CodecError);
    // 2^61 + 1 points of 8 bytes are 8 bytes, modulo 2^64.
    other = bytes;
    other[17] = std::byte{0x20};
    EXPECT_THROW((void)read_chunk(other), space::CodecError);
}

}  // namespace
}  // namespace pimdse::dse::run::worker_setup_test
