#include "models/dram/dram_trace.hpp"

#include "../contract/temporary_file.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace pimdse::models {
namespace {

using sim::dram::Access;
using sim::dram::Transaction;
using ::testing::HasSubstr;
using testing::TemporaryFile;

std::vector<Transaction> read(std::string const& text) {
    TemporaryFile const file(text);
    auto const stream = read_dram_trace(file.path(), 32);
    EXPECT_EQ(stream.transaction_bytes(), 32);
    std::vector<Transaction> all(stream.size());
    stream.fill(0, all);
    return all;
}

std::string refusal(std::string const& text) {
    try {
        (void)read(text);
    } catch (sim::InputError const& error) {
        std::string const said = error.what();
        return said.substr(said.find(".toml") + 5);
    }
    return "accepted";
}

TEST(DramTrace, is_read_however_its_lines_are_written) {
    std::mt19937_64 random(1);
    std::string text;
    std::vector<Transaction> wanted;
    for (int i = 0; i < 500; ++i) {
        bool const is_read = random() % 2 == 0;
        std::uint64_t const address = random() % 3 == 0 ? random() >> 2 : random() % 4096;
        wanted.push_back({address, is_read ? Access::read : Access::write});
        auto const* const kind = is_read ? (random() % 2 == 0 ? "LD" : "R") : (random() % 2 == 0 ? "ST" : "W");
        std::string number;
        switch (random() % 3) {
            case 0:
                number = fmt::format("{}", address);
                break;
            case 1:
                number = fmt::format("0x{:x}", address);
                break;
            default:
                number = fmt::format("0X{:X}", address);
        }
        text += fmt::format("{}{}{}{}{}", random() % 4 == 0 ? "  \t" : "", kind, random() % 2 == 0 ? " " : "\t  ",
                            number, random() % 4 == 0 ? " # LD 7" : "");
        text += random() % 4 == 0 ? "\r\n" : "\n";
        if (random() % 5 == 0) text += random() % 2 == 0 ? "\n" : "   # a remark\n";
    }
    EXPECT_EQ(read(text), wanted);
    text.pop_back();
    EXPECT_EQ(read(text), wanted) << "a last line without an end";
}

TEST(DramTrace, names_the_line_that_is_no_request) {
    EXPECT_EQ(refusal("LD 1\n\nLOAD 2\n"), ":3: 'LOAD' is neither LD nor ST. A line reads: LD 0x40?");
    EXPECT_EQ(refusal("ld 1\n"), ":1: 'ld' is neither LD nor ST. A line reads: LD 0x40?");
    EXPECT_EQ(refusal("LD\n"), ":1: '' is not an address (decimal or 0x...)");
    EXPECT_EQ(refusal("LD # 5\n"), ":1: '' is not an address (decimal or 0x...)");
    EXPECT_EQ(refusal("LD 1 2\n"), ":1: '2' after the address (one request a line)");
    EXPECT_EQ(refusal("LD 1\nST 2 LD 3\n"), ":2: 'LD' after the address (one request a line)");
    for (auto const* address : {"-1", "+1", "0x", "0xg", "1.0", "1e3", "x40", "0x-1", "40h", "18446744073709551616"})
        EXPECT_EQ(refusal(fmt::format("LD {}\n", address)),
                  fmt::format(":1: '{}' is not an address (decimal or 0x...)", address));
}

TEST(DramTrace, has_addresses_below_two_to_the_sixty_second) {
    EXPECT_EQ(read("LD 4611686018427387903\n")[0].address, (std::uint64_t{1} << 62) - 1);
    EXPECT_EQ(read("LD 0x3fffffffffffffff\n")[0].address, (std::uint64_t{1} << 62) - 1);
    EXPECT_THAT(refusal("LD 4611686018427387904\n"), HasSubstr("is not an address"));
    EXPECT_THAT(refusal("LD 0x4000000000000000\n"), HasSubstr("is not an address"));
}

TEST(DramTrace, has_requests_and_a_file) {
    for (auto const* empty : {"", "\n\n", "# LD 5\n", "   \r\n"})
        EXPECT_EQ(refusal(empty), ": the trace has no requests") << empty;
    EXPECT_THROW((void)read_dram_trace("/nowhere/trace", 32), sim::InputError);
}

}  // namespace
}  // namespace pimdse::models
