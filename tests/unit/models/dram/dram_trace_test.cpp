#include "models/dram/dram_trace.hpp"

#include "../contract/temporary_file.hpp"
#include "models/dram/dram_standard.hpp"
#include "sim/base/check.hpp"
#include "sim/dram/mapping.hpp"
#include "tests/unit/says.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <random>

namespace pimdse::models::dram_trace_test {
namespace {

using sim::dram::Access;
using sim::dram::Transaction;
using ::testing::HasSubstr;
using testing::TemporaryFile;

sim::dram::Mapping mapping() { return sim::dram::parse_mapping("umdam", load_dram_standard("L5J").organisation); }

sim::dram::Stream stream_of(std::string const& text, TraceFormat format = TraceFormat::automatic) {
    TemporaryFile const file(text);
    return read_dram_trace(file.path(), format, mapping(), 32);
}

std::vector<Transaction> read(std::string const& text, TraceFormat format = TraceFormat::automatic) {
    auto const stream = stream_of(text, format);
    EXPECT_EQ(stream.transaction_bytes(), 32);
    std::vector<Transaction> all(stream.size());
    stream.fill(0, all);
    return all;
}

std::string refusal(std::string const& text, TraceFormat format = TraceFormat::automatic) {
    try {
        (void)read(text, format);
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
    EXPECT_EQ(read(text), wanted) << "a last line without a line end";
}

TEST(DramTrace, names_the_line_that_is_no_request) {
    EXPECT_THAT(refusal("LD 1\n\nLOAD 2\n"), says("load-neither-ld-nor"));
    EXPECT_THAT(refusal("LD\n"), says("address"));
    EXPECT_THAT(refusal("LD # 5\n"), says("address-2"));
    EXPECT_THAT(refusal("LD 1\nST 2 3\n"), says("after-address"));
    EXPECT_THAT(refusal("LD 1 2 3\n"), says("after-cycle"));
    EXPECT_THAT(refusal("LD 1 2\nST 2 LD\n"), says("ld-cycle"));
    EXPECT_THAT(refusal("LD 1 2\nST 2\n"), says("cycle"));
    EXPECT_THAT(refusal("0x1 R\n0x2 R W\n"), says("after-access"));
    EXPECT_THAT(refusal("0x1 READ 5\n0x2 READ\n"), says("cycle-2"));
    for (auto const* address : {"-1", "+1", "0x", "0xg", "1.0", "1e3", "x40", "0x-1", "40h", "18446744073709551616"})
        EXPECT_THAT(refusal(fmt::format("LD {}\n", address)),
                    HasSubstr(fmt::format(":1: '{}' is not an address", address)));
}

TEST(DramTrace, of_no_known_format_lists_those_there_are) {
    for (auto const* line : {"ld 1", "3 20734016", "1 0x1000 0x2000", "0x40", "10 LD 0x40", "0x40 READ", "0x40 R 5"}) {
        auto const said = refusal(fmt::format("# a remark\n{}\n", line));
        EXPECT_THAT(said, HasSubstr(":2: ")) << line;
        for (auto const& name : trace_format_names()) {
            if (name == "auto") continue;
            EXPECT_THAT(said, HasSubstr(name + " (")) << line;
        }
    }
}

TEST(DramTrace, has_addresses_below_two_to_the_sixty_second) {
    EXPECT_EQ(read("LD 4611686018427387903\n")[0].address, (std::uint64_t{1} << 62) - 1);
    EXPECT_EQ(read("LD 0x3fffffffffffffff\n")[0].address, (std::uint64_t{1} << 62) - 1);
    EXPECT_THAT(refusal("LD 4611686018427387904\n"), says("address-3"));
    EXPECT_THAT(refusal("LD 0x4000000000000000\n"), says("address-4"));
}

/// The same random requests in every suitable format, with the format named and with the format detected.
TEST(DramTrace, says_the_same_in_every_format) {
    std::mt19937_64 random(3);
    auto const map = mapping();
    std::uint64_t const bursts = std::uint64_t{1} << (map.address_bits() - 5);
    std::vector<Transaction> wanted;
    std::vector<sim::dram::Tick> cycles;
    std::map<TraceFormat, std::string> texts;
    for (int i = 0; i < 300; ++i) {
        auto const address = random() % bursts * 32;
        bool const is_read = random() % 2 == 0;
        wanted.push_back({address, is_read ? Access::read : Access::write});
        cycles.push_back((cycles.empty() ? 0 : cycles.back()) + static_cast<sim::dram::Tick>(random() % 9));
        auto const& at = map.coordinates(address).of;
        texts[TraceFormat::plain] += fmt::format("{} {}\n", is_read ? "LD" : "ST", address);
        texts[TraceFormat::timed] += fmt::format("{} 0x{:x} {}\n", is_read ? "R" : "W", address, cycles.back());
        texts[TraceFormat::ramulator2_load_store] += fmt::format("{} 0x{:x}\n", is_read ? "LD" : "ST", address);
        texts[TraceFormat::ramulator2_read_write] += fmt::format("{} {}\n", is_read ? "R" : "W", fmt::join(at, ","));
        texts[TraceFormat::ramulator] += fmt::format("0x{:x} {}\n", address, is_read ? "R" : "W");
        texts[TraceFormat::dramsim3] +=
            fmt::format("{}{:X} {} {}\n", i % 2 == 0 ? "0x" : "", address, is_read ? "READ" : "WRITE", cycles.back());
    }
    for (auto const& [format, text] : texts) {
        bool const timed = format == TraceFormat::timed || format == TraceFormat::dramsim3;
        for (auto const asked : {format, TraceFormat::automatic}) {
            for (auto const* mark : {"", "\xEF\xBB\xBF"}) {
                EXPECT_EQ(read(mark + text, asked), wanted) << text.substr(0, 40);
                auto const stream = stream_of(mark + text, asked);
                ASSERT_EQ(stream.timed(), timed);
                for (std::uint64_t i = 0; timed && i < stream.size(); ++i) EXPECT_EQ(stream.arrival(i), cycles[i]);
            }
        }
    }
    EXPECT_EQ(texts.size() + 1, trace_format_names().size()) << "every format was tried";
}

TEST(DramTrace, in_a_named_format_takes_no_other) {
    EXPECT_THAT(refusal("R 5\n", TraceFormat::ramulator2_load_store), says("neither-ld-nor-st"));
    EXPECT_THAT(refusal("LD 5\n", TraceFormat::ramulator), says("neither-nor"));
    EXPECT_THAT(refusal("LD 5\n", TraceFormat::dramsim3), HasSubstr("neither READ nor WRITE"));
    EXPECT_THAT(refusal("LD 5\n", TraceFormat::timed), says("cycle-3"));
    EXPECT_THAT(refusal("R 5\n", TraceFormat::ramulator2_read_write), HasSubstr("has 1 numbers"));
    EXPECT_THROW((void)trace_format_named("dramsim2"), sim::InputError);
}

TEST(DramTrace, has_address_vectors_within_the_machine) {
    EXPECT_THAT(refusal("R 0,0,0,0,0,0\nR 4,0,0,0,0,0\n"), HasSubstr(":2: channel '4' of"));
    EXPECT_THAT(refusal("R 0,0,0,0,0\n"), HasSubstr("has 5 numbers"));
    EXPECT_THAT(refusal("R 0,0,0,0,-1,0\n"), HasSubstr("row '-1' of"));
}

TEST(DramTrace, has_cycles_in_ascending_order) {
    EXPECT_THAT(refusal("LD 0 5\nLD 0 5\nLD 0 4\n"), says("cycle-comes-after-cycle"));
    EXPECT_THAT(refusal("LD 0 1125899906842625\n"), HasSubstr("is not a cycle"));
}

TEST(DramTrace, has_requests_and_a_file) {
    for (auto const* empty : {"", "\n\n", "# LD 5\n", "   \r\n"})
        EXPECT_THAT(refusal(empty), says("trace-no-requests")) << empty;
    EXPECT_THROW((void)read_dram_trace("/nowhere/trace", TraceFormat::automatic, mapping(), 32), sim::InputError);
}

}  // namespace
}  // namespace pimdse::models::dram_trace_test
