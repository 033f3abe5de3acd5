#include "sim/dram/stream.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/refused.hpp"
#include "tests/unit/says.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace pimdse::sim::dram::test::stream_test {
namespace {

std::vector<Transaction> all(Stream const& stream) {
    std::vector<Transaction> out(stream.size());
    stream.fill(0, out);
    return out;
}

TEST(Stream, of_every_kind_begins_as_its_formula_says) {
    auto const reads = [](std::initializer_list<std::uint64_t> addresses) {
        std::vector<Transaction> out;
        for (auto const a : addresses) out.push_back({a, Access::read});
        return out;
    };
    EXPECT_EQ(all(parse_stream("seq:128", 32)), reads({0, 32, 64, 96}));
    EXPECT_EQ(all(parse_stream("stride:100:3", 32)), reads({0, 100, 200}));
    EXPECT_EQ(all(parse_stream("seqw:64", 32)), (std::vector<Transaction>{{0, Access::write}, {32, Access::write}}));
    // Four pairs in two rows: the writes transpose them.
    EXPECT_EQ(all(parse_stream("copy:128:4096:2", 32)), (std::vector<Transaction>{{0, Access::read},
                                                                                  {4096, Access::write},
                                                                                  {32, Access::read},
                                                                                  {4096 + 64, Access::write},
                                                                                  {64, Access::read},
                                                                                  {4096 + 32, Access::write},
                                                                                  {96, Access::read},
                                                                                  {4096 + 96, Access::write}}));
    EXPECT_EQ(all(parse_stream("engines:2:128", 32)), reads({0, 64, 32, 96}));
    EXPECT_EQ(parse_stream("colwalk:4096", 32).at(2049).address, 4096U + 32U);
    EXPECT_EQ(parse_stream("tile:2:64:C:1024", 32).at(3).address, 4096U + 32U);
    EXPECT_EQ(parse_stream("tile:2:64:R:1024", 32).at(3).address, 4096U + 32U);
    EXPECT_EQ(parse_stream("tile:2:64:R:1024", 32).at(1).address, 32U);
    EXPECT_EQ(parse_stream("utile:2048", 32).at(512).address, 16U * 16384U);
}

TEST(Stream, is_the_same_from_any_starting_point) {
    for (auto const* spec : {"seq:65536", "rand:3000:1048576", "copy:65536:131072:64", "colwalk:5000",
                             "tile:16:128:C:4000", "utile:3000", "engines:4:65536"}) {
        auto const stream = parse_stream(spec, 32);
        auto const whole = all(stream);
        for (std::uint64_t first : {1ULL, 7ULL, 255ULL, 1500ULL}) {
            EXPECT_EQ(stream.at(first), whole[first]) << spec;
            std::vector<Transaction> part(100);
            stream.fill(first, part);
            EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + static_cast<std::ptrdiff_t>(first)))
                << spec;
        }
        auto const highest = std::max_element(whole.begin(), whole.end(), [](auto const& a, auto const& b) {
                                 return a.address < b.address;
                             })->address;
        EXPECT_GE(stream.highest_address(), highest) << spec;
    }
}

TEST(Stream, knows_the_step_that_moves_it_onto_itself) {
    for (auto const* spec :
         {"seq:65536", "stride:96:3000", "copy:65536:131072:0", "tile:16:128:C:300000", "utile:300000"}) {
        auto const stream = parse_stream(spec, 32);
        auto const step = stream.step();
        ASSERT_GT(step.requests, 0U) << spec;
        for (std::uint64_t i = 0; i + step.requests < stream.size() && i < 3000; ++i)
            EXPECT_EQ(stream.at(i + step.requests).address, stream.at(i).address + step.bytes) << spec;
    }
    for (auto const* spec : {"rand:100:4096", "copy:65536:131072:64"})
        EXPECT_EQ(parse_stream(spec, 32).step().requests, 0U) << spec;
}

TEST(Stream, is_refused_with_the_field_that_is_wrong) {
    auto const refusal = [](char const* spec) { return refusal_by([&] { (void)parse_stream(spec, 32); }, "accepted"); };
    EXPECT_THAT(refusal("sek:64"), ::testing::HasSubstr("'seq'"));
    EXPECT_THAT(refusal("seq:64:1"), ::testing::HasSubstr("seq:BYTES"));
    EXPECT_THAT(refusal("stride:a:3"), says("whole-number"));
    EXPECT_THAT(refusal("seq:31"), ::testing::HasSubstr("too small"));
    EXPECT_THAT(refusal("tile:16:64:X:100"), ::testing::HasSubstr("neither C"));
}

TEST(Stream, knows_that_it_reaches_beyond_every_memory) {
    // Regression: the product of stride and count is 2^64, which wrapped to 0.
    EXPECT_GT(parse_stream("stride:1125899906842624:16385", 64).highest_address(), std::uint64_t{1} << 62);
    // 2^50 bytes, 2048 rows of 4096 at a time: 2^39 columns next to each other.
    EXPECT_EQ(parse_stream("tile:2048:1125899906842624:C:1125899906842624", 1).highest_address(),
              (std::uint64_t{1} << 39) - 1 + 2047U * 4096);
    EXPECT_EQ(parse_stream("stride:96:3000", 32).highest_address(), 96U * 2999);
    EXPECT_EQ(parse_stream("copy:65536:131072:0", 32).highest_address(), 131072U + 65536 - 32);
}

TEST(Stream, has_transactions_of_some_bytes) {
    for (int const bytes : {0, -64, 1 << 30}) EXPECT_THROW((void)parse_stream("seq:65536", bytes), InputError) << bytes;
}

/// The read and the write address of every iteration, computed by explicit loops.
std::vector<Transaction> walked(std::vector<Loop> const& loops, Stream::Kinds kinds, std::uint64_t length) {
    std::vector<std::uint64_t> index(loops.size());
    std::vector<Transaction> out;
    while (out.size() < length) {
        std::uint64_t read = 1U << 30, write = 1U << 31;
        for (std::size_t l = 0; l < loops.size(); ++l) {
            read += index[l] * static_cast<std::uint64_t>(loops[l].read_stride);
            write += index[l] * static_cast<std::uint64_t>(loops[l].write_stride);
        }
        if (kinds != Stream::Kinds::writes) out.push_back({read, Access::read});
        if (kinds != Stream::Kinds::reads) out.push_back({write, Access::write});
        for (std::size_t l = 0; l < loops.size() && ++index[l] == loops[l].count; ++l) index[l] = 0;
    }
    out.resize(length);
    return out;
}

struct RandomNest {
    std::vector<Loop> loops;
    Stream::Kinds kinds;
    std::uint64_t length = 1;

    explicit RandomNest(std::mt19937& random) : kinds(static_cast<Stream::Kinds>(random() % 3)) {
        auto const stride = [&] { return (static_cast<std::int64_t>(random() % 9) - 2) * 32; };
        for (auto left = 1 + random() % 4; left > 0; --left) loops.push_back({1 + random() % 6, stride(), stride()});
        for (auto const& loop : loops) length *= loop.count;
        length *= kinds == Stream::Kinds::alternating ? 2 : 1;
        length -= random() % length;
    }
    [[nodiscard]] Stream stream() const { return Stream::nest(loops, kinds, length, 1U << 30, 1U << 31, 32); }
};

TEST(Stream, is_its_loops_from_any_point_on) {
    std::mt19937 random(1);
    for (int i = 0; i < 300; ++i) {
        RandomNest const nest(random);
        auto const slow = walked(nest.loops, nest.kinds, nest.length);
        ASSERT_EQ(all(nest.stream()), slow);
        auto const first = random() % (nest.length + 1);
        std::vector<Transaction> rest(nest.length - first);
        nest.stream().fill(first, rest);
        EXPECT_EQ(rest, std::vector<Transaction>(slow.begin() + static_cast<std::ptrdiff_t>(first), slow.end()));
        std::uint64_t highest = 0;
        for (auto const& transaction : slow) highest = std::max(highest, transaction.address);
        EXPECT_GE(nest.stream().highest_address(), highest);
        if (nest.loops.size() == 1 && nest.kinds != Stream::Kinds::alternating) {
            EXPECT_EQ(nest.stream().highest_address(), highest);
        }
    }
}

TEST(Stream, has_a_step_that_moves_every_request_alike) {
    std::mt19937 random(2);
    int steps = 0;
    for (int i = 0; i < 300; ++i) {
        RandomNest const nest(random);
        auto const step = nest.stream().step();
        if (step.requests == 0) continue;
        ++steps;
        auto const slow = walked(nest.loops, nest.kinds, nest.length);
        for (std::size_t k = step.requests; k < slow.size(); ++k)
            ASSERT_EQ(slow[k].address, slow[k - step.requests].address + step.bytes);
    }
    EXPECT_GT(steps, 50);
}

TEST(Stream, is_asked_for_its_own_requests_only) {
    auto const stream = parse_stream("rand:100:4096", 32);
    EXPECT_THROW((void)stream.at(100), ContractViolation);
    EXPECT_THROW((void)stream.at(~std::uint64_t{0}), ContractViolation);
    std::vector<Transaction> some(51);
    EXPECT_THROW(stream.fill(50, some), ContractViolation);
    EXPECT_THROW(stream.fill(~std::uint64_t{0}, some), ContractViolation);
    stream.fill(100, std::span<Transaction>());
}

TEST(Stream, has_a_hash_of_its_requests_and_not_of_their_form) {
    std::mt19937 random(4);
    for (int i = 0; i < 20; ++i) {
        RandomNest const nest(random);
        auto const slow = walked(nest.loops, nest.kinds, nest.length);
        EXPECT_EQ(nest.stream().hash(), Stream::list(slow, 32).hash());
        auto changed = slow;
        auto& access = changed[random() % changed.size()].access;
        access = access == Access::read ? Access::write : Access::read;
        EXPECT_NE(nest.stream().hash(), Stream::list(changed, 32).hash());
    }
    auto const long_one = parse_stream("seq:131072", 32);  // four blocks of 1024
    EXPECT_EQ(long_one.hash(), Stream::list(all(long_one), 32).hash());
}

}  // namespace
}  // namespace pimdse::sim::dram::test::stream_test
