#include "sim/dram/stream.hpp"
#include "models/dram/dram_trace.hpp"
#include "sim/base/check.hpp"
#include "sim/dram/stream_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <filesystem>
#include <fstream>

namespace pimdse::sim::dram::test {
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
    // Four pairs, two rows: writes transpose.
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
            auto const part = all(stream.slice(first, 100));
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
    auto const refusal = [](char const* spec) {
        try {
            (void)parse_stream(spec, 32);
        } catch (InputError const& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    EXPECT_THAT(refusal("sek:64"), ::testing::HasSubstr("'seq'"));
    EXPECT_THAT(refusal("seq:64:1"), ::testing::HasSubstr("seq:BYTES"));
    EXPECT_THAT(refusal("stride:a:3"), ::testing::HasSubstr("'a' is not a whole number"));
    EXPECT_THAT(refusal("seq:31"), ::testing::HasSubstr("too small"));
    EXPECT_THAT(refusal("tile:16:64:X:100"), ::testing::HasSubstr("neither C"));
}

TEST(Stream, knows_that_it_reaches_beyond_every_memory) {
    // The product of stride and count is 2^64: it wrapped to 0.
    EXPECT_GT(parse_stream("stride:1125899906842624:16385", 64).highest_address(), std::uint64_t{1} << 62);
    // 2^50 bytes, 2048 rows of 4096 at a time: 2^39 columns beside each other.
    EXPECT_EQ(parse_stream("tile:2048:1125899906842624:C:1125899906842624", 1).highest_address(),
              (std::uint64_t{1} << 39) - 1 + 2047U * 4096);
    EXPECT_EQ(parse_stream("stride:96:3000", 32).highest_address(), 96U * 2999);
    EXPECT_EQ(parse_stream("copy:65536:131072:0", 32).highest_address(), 131072U + 65536 - 32);
}

TEST(Stream, has_transactions_of_some_bytes) {
    for (int const bytes : {0, -64, 1 << 30}) EXPECT_THROW((void)parse_stream("seq:65536", bytes), InputError) << bytes;
}

std::filesystem::path written(std::string const& text) {
    auto const file =
        std::filesystem::temp_directory_path() / ("pimdse_trace_" + std::to_string(std::hash<std::string>{}(text)));
    std::ofstream(file) << text;
    return file;
}

TEST(Trace, reads_loads_and_stores) {
    auto const file = written("LD 0x40\n\nST 128   # a store\nLD 64\n");
    EXPECT_EQ(all(models::read_dram_trace(file, 32)),
              (std::vector<Transaction>{{64, Access::read}, {128, Access::write}, {64, Access::read}}));
    std::filesystem::remove(file);
}

TEST(Trace, names_the_line_that_is_wrong) {
    for (auto const& [text, sentence] : {std::pair{"LD 0\nLOAD 3\n", ":2: 'LOAD' is neither LD nor ST"},
                                         {"LD 0\nST 0x\n", ":2: '0x' is not an address"},
                                         {"LD 0 1\n", ":1: '1' after the address"},
                                         {"# nothing\n", "no requests"}}) {
        auto const file = written(text);
        try {
            (void)models::read_dram_trace(file, 32);
            ADD_FAILURE() << text;
        } catch (InputError const& error) {
            EXPECT_THAT(error.what(), ::testing::HasSubstr(sentence));
        }
        std::filesystem::remove(file);
    }
}

}  // namespace
}  // namespace pimdse::sim::dram::test
