#include "models/upmem/dpu/assembler.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/says.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace pimdse::models::upmem::dpu::assembler_test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

/// An instruction with what the text of it must be read as.
struct Line {
    std::string text;
    Instruction meant;
};

std::uint32_t bit(int r) { return r < 24 ? 1U << r : 0U; }

/// Random lines of every form; registers are r0 to r23, zero and id.
class Lines {
  public:
    explicit Lines(unsigned seed) : random_(seed) {}

    Line line() {
        switch (random_() % 9) {
            case 0:
                return computing();
            case 1:
                return shifting();
            case 2:
                return multiplying();
            case 3:
                return loading();
            case 4:
                return storing();
            case 5:
                return moving();
            case 6:
                return jumping();
            case 7:
                return locking();
            default:
                return {"stop", {}};
        }
    }

  private:
    std::pair<std::string, int> source() {
        int const r = static_cast<int>(random_() % 26);
        return {r == 24 ? "zero" : r == 25 ? "id" : fmt::format("r{}", r), r};
    }
    std::pair<std::string, int> destination() {
        int const r = static_cast<int>(random_() % 24);
        return {fmt::format("r{}", r), r};
    }
    std::pair<std::string, int> pair() {
        int const r = static_cast<int>(random_() % 23);
        return {fmt::format("d{}", r), r};
    }
    std::int64_t number() { return static_cast<std::int64_t>(random_() % 100'000) - 50'000; }

    /// A register or a number.
    std::string either(Instruction& i) {
        if (random_() % 2 == 0) {
            auto const [text, r] = source();
            i.b = static_cast<std::uint8_t>(r);
            i.reads |= bit(r);
            return text;
        }
        auto const n = number();
        i.b = immediate;
        i.value = static_cast<std::uint32_t>(n);
        return std::to_string(n);
    }
    std::string branch(Instruction& i) {
        static constexpr std::array conditions{std::pair{"z", Condition::z}, std::pair{"nz", Condition::nz},
                                               std::pair{"true", Condition::always}};
        if (random_() % 2 == 0) return "";
        auto const& [text, condition] = conditions[random_() % conditions.size()];
        i.condition = condition;
        i.target = Listing::main;
        return fmt::format(", {}, start", text);
    }
    void read(Instruction& i, std::uint8_t Instruction::*field, int r) {
        i.*field = static_cast<std::uint8_t>(r);
        i.reads |= bit(r);
    }

    Line computing() {
        static constexpr std::array names{std::pair{"add", Operation::add}, std::pair{"addc", Operation::addc},
                                          std::pair{"sub", Operation::sub}, std::pair{"and", Operation::bit_and},
                                          std::pair{"lsl", Operation::lsl}, std::pair{"lsr", Operation::lsr}};
        auto const& [name, operation] = names[random_() % names.size()];
        Instruction i{.operation = operation};
        auto const [d, rd] = destination();
        auto const [a, ra] = source();
        i.d = static_cast<std::uint8_t>(rd);
        i.writes = bit(rd);
        read(i, &Instruction::a, ra);
        auto const b = either(i), rest = branch(i);
        return {fmt::format("{} {}, {}, {}{}", name, d, a, b, rest), i};
    }
    Line shifting() {
        Instruction i{.operation = Operation::lsr_add};
        auto const [d, rd] = destination();
        auto const [a, ra] = source();
        auto const [b, rb] = source();
        i.d = static_cast<std::uint8_t>(rd);
        i.writes = bit(rd);
        read(i, &Instruction::a, ra);
        read(i, &Instruction::b, rb);
        i.shift = random_() % 32;
        return {fmt::format("lsr_add {},{},{},{}", d, a, b, i.shift), i};
    }
    Line multiplying() {
        Instruction i{.operation = Operation::mul_step};
        auto const [d, rd] = pair();
        auto const [a, ra] = source();
        auto const [b, rb] = pair();
        i.d = static_cast<std::uint8_t>(rd);
        i.writes = bit(rd) | bit(rd + 1);
        read(i, &Instruction::a, ra);
        read(i, &Instruction::b, rb);
        i.reads |= bit(rb + 1);
        i.shift = random_() % 32;
        auto const rest = branch(i);
        return {fmt::format("mul_step {}, {}, {}, {}{}", d, a, b, i.shift, rest), i};
    }
    Line loading() {
        bool const two = random_() % 2 == 0;
        Instruction i{.operation = two ? Operation::ld : Operation::lw};
        auto const [d, rd] = two ? pair() : destination();
        auto const [a, ra] = source();
        i.d = static_cast<std::uint8_t>(rd);
        i.writes = bit(rd) | (two ? bit(rd + 1) : 0U);
        read(i, &Instruction::a, ra);
        auto const offset = number();
        i.value = static_cast<std::uint32_t>(offset);
        return {fmt::format("{}\t{} , {}, {}", two ? "ld" : "lw", d, a, offset), i};
    }
    Line storing() {
        bool const two = random_() % 2 == 0;
        Instruction i{.operation = two ? Operation::sd : Operation::sw};
        auto const [a, ra] = source();
        auto const [b, rb] = two ? pair() : source();
        read(i, &Instruction::a, ra);
        read(i, &Instruction::b, rb);
        if (two) i.reads |= bit(rb + 1);
        i.value = 8;
        return {fmt::format("{} {}, WORD, {}", two ? "sd" : "sw", a, b), i};
    }
    Line moving() {
        bool const in = random_() % 2 == 0;
        Instruction i{.operation = in ? Operation::ldma : Operation::sdma};
        auto const [a, ra] = source();
        auto const [b, rb] = source();
        read(i, &Instruction::a, ra);
        read(i, &Instruction::b, rb);
        i.value = 255;
        return {fmt::format("  {} {}, {}, 255  # a transfer, of 2 KiB", in ? "ldma" : "sdma", a, b), i};
    }
    Line jumping() {
        static constexpr std::array names{std::pair{"jeq", Operation::jeq}, std::pair{"jgtu", Operation::jgtu},
                                          std::pair{"jgeu", Operation::jgeu}, std::pair{"jltu", Operation::jltu}};
        auto const& [name, operation] = names[random_() % names.size()];
        Instruction i{.operation = operation};
        auto const [a, ra] = source();
        read(i, &Instruction::a, ra);
        auto const b = either(i);
        i.target = Listing::main;
        return {fmt::format("{} {}, {}, start", name, a, b), i};
    }
    Line locking() {
        Instruction i{.operation = Operation::acquire};
        auto const [a, ra] = source();
        read(i, &Instruction::a, ra);
        i.value = 8;
        auto const rest = branch(i);
        return {fmt::format("acquire {}, WORD{}", a, rest), i};
    }

    std::mt19937 random_;
};

void expect_same(Instruction const& read, Instruction const& meant, std::string const& text) {
    EXPECT_EQ(read.operation, meant.operation) << text;
    EXPECT_EQ(read.condition, meant.condition) << text;
    EXPECT_EQ(std::tuple(read.d, read.a, read.b), std::tuple(meant.d, meant.a, meant.b)) << text;
    EXPECT_EQ(std::tuple(read.value, read.shift, read.target), std::tuple(meant.value, meant.shift, meant.target))
        << text;
    EXPECT_EQ(std::tuple(read.reads, read.writes), std::tuple(meant.reads, meant.writes)) << text;
}

TEST(Assembler, reads_what_any_line_means_and_which_registers_it_touches) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        Lines lines(seed);
        std::string text = "start:\n";
        std::vector<Line> all;
        for (int i = 0; i < 60; ++i) {
            all.push_back(lines.line());
            text += all.back().text + (i % 5 == 0 ? "   # behind it\r\n\n" : "\n");
        }
        auto const listing = assemble(text, "random.s", {{"WORD", 8}}, 16);
        ASSERT_EQ(listing.code.size(), Listing::main + all.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            expect_same(listing.code[Listing::main + i], all[i].meant, all[i].text);
    }
}

TEST(Assembler, boots_one_tasklet_after_the_other_and_calls_main) {
    auto const code = assemble("stop", "file", {}, 5).code;
    ASSERT_EQ(code.size(), 5U);
    // The last tasklet boots no other.
    expect_same(code[0], {.operation = Operation::jeq, .a = id_register, .b = immediate, .value = 4, .target = 2}, "");
    expect_same(code[1], {.operation = Operation::boot, .a = id_register, .value = 1}, "");
    expect_same(code[2], {.operation = Operation::call, .d = 23, .target = Listing::main, .writes = bit(23)}, "");
    expect_same(code[3], {}, "");
}

std::vector<std::string> mistakes(std::string const& text) {
    try {
        (void)assemble(text, "f.s", {{"WORD", 8}}, 2);
    } catch (sim::InputError const& error) {
        return error.sentences();
    }
    return {};
}

TEST(Assembler, names_every_mistake_with_its_line) {
    EXPECT_THAT(mistakes("adx r1, r2, r3\n\nadd r1, r2\nstop r1"),
                ElementsAre(says("unknown-instruction-adx-did"), says("add-operands-takes-condition"),
                            says("stop-operands-takes")));
    EXPECT_THAT(mistakes("here:\n jump r1\nhere:\n call r2, there"),
                ElementsAre(says("label-here-defined-twice"), says("label-defined")));
    EXPECT_THAT(mistakes("add r24, r1, 2"), Contains(says("r24-register-write-r0")));
    EXPECT_THAT(mistakes("add r0, 5, 2"), Contains(says("register-write-r0-r23")));
    EXPECT_THAT(mistakes("ld d23, r0, 0"), Contains(says("d23-register-write-d0")));
    EXPECT_THAT(mistakes("ld r2, r0, 0"), Contains(says("r2-register-write-d0")));
    EXPECT_THAT(mistakes("lw r2, r0, WORT"), Contains(says("wort-neither-number-nor")));
    EXPECT_THAT(mistakes("x:\nadd r0, r1, 1, maybe, x"), Contains(says("unknown-condition-maybe-known")));
    EXPECT_THAT(mistakes("add r0,,1"), Contains(says("register-write-r0-r23-2")));
    EXPECT_THAT(mistakes("add r0, r1, 1, z"), ElementsAre(says("add-operands-takes-condition-2")));
}

TEST(Assembler, takes_no_listing_without_an_instruction) {
    for (auto const* text : {"", "\n\n", "# only words", "label:\n"})
        EXPECT_THAT(mistakes(text), ElementsAre(says("listing-no-instructions"))) << text;
}

TEST(Assembler, reads_numbers_of_32_bits_and_no_others) {
    auto const value = [](std::string const& number) {
        return assemble("move r0, " + number, "f.s", {}, 1).code.back().value;
    };
    EXPECT_EQ(value("4294967295"), 0xFFFFFFFFU);
    EXPECT_EQ(value("-2147483648"), 0x80000000U);
    for (auto const* number : {"4294967296", "-2147483649", "9223372036854775807"})
        EXPECT_THAT(mistakes(std::string("move r0, ") + number), Contains(::testing::HasSubstr(number))) << number;
}

}  // namespace
}  // namespace pimdse::models::upmem::dpu::assembler_test
