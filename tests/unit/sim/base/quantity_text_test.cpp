#include "sim/base/quantity_text.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/refused.hpp"

#include <gtest/gtest.h>
#include <cctype>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::sim::quantity_text_test {
namespace {

TEST(QuantityText, reads_prefixes_and_quotients) {
    EXPECT_DOUBLE_EQ(parse_quantity("614.4 GB/s").si, 614.4e9);
    EXPECT_EQ(parse_quantity("614.4 GB/s").dimension, dimension_of(Bandwidth{}));
    EXPECT_DOUBLE_EQ(parse_quantity("4 ns").si, 4e-9);
    EXPECT_DOUBLE_EQ(parse_quantity("8 MiB").si, 8.0 * 1024 * 1024);
    EXPECT_DOUBLE_EQ(parse_quantity("32 Gbit").si, 4e9);
    EXPECT_DOUBLE_EQ(parse_quantity("2 pJ/bit").si, 16e-12);
    EXPECT_DOUBLE_EQ(parse_quantity("227.5 mm2").si, 227.5e-6);
    EXPECT_DOUBLE_EQ(parse_quantity("16 TFLOP/s").si, 16e12);
    EXPECT_DOUBLE_EQ(parse_quantity("350MHz").si, 350e6);
    EXPECT_DOUBLE_EQ(parse_quantity("2 h").si, 7200.0);
    EXPECT_TRUE(parse_quantity("42").dimension.is_number());
    EXPECT_TRUE(parse_quantity("77 cycles").dimension.is_number());
}

TEST(QuantityText, reads_bits_transfers_and_peta) {
    EXPECT_DOUBLE_EQ(parse_quantity("100 Mb/s").si, 12.5e6);
    EXPECT_DOUBLE_EQ(parse_quantity("100 Mbit/s").si, 12.5e6);
    EXPECT_DOUBLE_EQ(parse_quantity("6.4 Gbps").si, 0.8e9);
    EXPECT_EQ(parse_quantity("6.4 Gbps").dimension, dimension_of(Bandwidth{}));
    EXPECT_DOUBLE_EQ(parse_quantity("6400 MT/s").si, 6.4e9);
    EXPECT_DOUBLE_EQ(parse_quantity("1.979 PFLOP/s").si, 1.979e15);
    EXPECT_EQ(parse_quantity("275 TOPS").dimension, parse_quantity("275 TFLOP/s").dimension);
}

/// A unit, the SI prefixes that people use with it, and whether they use those of powers of 1024.
struct Usual {
    std::string name, prefixes;
    bool binary;
};

std::vector<Usual> usual_units() {
    return {{"s", "fpnum", false},  {"Hz", "kMGTP", false},    {"J", "fpnumkMGT", false}, {"W", "fpnumkMGT", false},
            {"B", "kMGTP", true},   {"bit", "kMGTP", true},    {"b", "kMGTP", true},      {"FLOP", "kMGTP", false},
            {"m", "fpnumk", false}, {"FLOPS", "kMGTP", false}, {"g", "numk", false},      {"USD", "kMG", false},
            {"cycles", "", false}};
}

std::string refusal(std::string const& text) {
    return refusal_by([&] { (void)parse_unit(text); });
}

TEST(QuantityText, takes_prefixes_that_make_sense_for_a_unit_and_no_others) {
    std::map<char, double> const sizes{{'f', 1e-15}, {'p', 1e-12}, {'n', 1e-9}, {'u', 1e-6}, {'m', 1e-3},
                                       {'k', 1e3},   {'M', 1e6},   {'G', 1e9},  {'T', 1e12}, {'P', 1e15}};
    for (auto const& unit : usual_units()) {
        double const one = parse_unit(unit.name).in_si;
        double binary = 1.0;
        for (char const letter : std::string("KMGTP")) {
            binary *= 1024.0;
            auto const text = std::string{letter, 'i'} + unit.name;
            EXPECT_EQ(refusal(text).empty(), unit.binary) << text;
            if (unit.binary) {
                EXPECT_DOUBLE_EQ(parse_unit(text).in_si, binary * one) << text;
            }
        }
        for (auto const& [letter, size] : sizes) {
            auto const text = letter + unit.name;
            bool const usual = unit.prefixes.find(letter) != std::string::npos;
            EXPECT_EQ(refusal(text).empty(), usual) << text;
            if (usual) {
                EXPECT_DOUBLE_EQ(parse_unit(text).in_si, size * one) << text;
            }
        }
    }
}

TEST(QuantityText, suggests_capitals_that_make_sense_and_no_others) {
    for (auto const& unit : usual_units()) {
        for (char const letter : unit.prefixes) {
            auto const meant = letter + unit.name;
            for (unsigned int capitals = 0; capitals < 1U << meant.size(); ++capitals) {
                auto typed = meant;
                for (std::size_t i = 0; i < typed.size(); ++i)
                    typed[i] =
                        static_cast<char>((capitals >> i & 1U) != 0 ? std::toupper(typed[i]) : std::tolower(typed[i]));
                auto const why = refusal(typed + "/s");
                bool const byte = typed.find('B') != std::string::npos && unit.name == "b";  // B is never a bit
                if (!why.empty() && !byte) {
                    EXPECT_NE(why.find("'" + meant + "'"), std::string::npos) << typed << why;
                }
            }
        }
    }
    for (auto const& [typed, meant] : std::vector<std::pair<std::string, std::string>>{{"MHZ", "'MHz'"},
                                                                                       {"mHz", "'MHz'"},
                                                                                       {"mB", "'MB'"},
                                                                                       {"Ms", "'ms'"},
                                                                                       {"MM2", "'mm2'"},
                                                                                       {"KB", "'kB' or 'KiB'"},
                                                                                       {"mw", "'mW' or 'MW'"},
                                                                                       {"gb", "'GB' or 'Gb'"},
                                                                                       {"PJ", "'pJ'"},
                                                                                       {"mFLOP", "'MFLOP'"}})
        EXPECT_TRUE(refusal(typed).ends_with("Did you mean " + meant + "?")) << refusal(typed);
}

/// Whatever the prefix, the double is the one that is nearest to the number in SI.
TEST(QuantityText, is_the_nearest_double_in_every_multiple_of_a_unit) {
    struct Prefix {
        char const* letter;
        int exponent;
    };
    std::mt19937 random(6);
    for (int i = 0; i < 3000; ++i) {
        auto const digits = 1 + random() % 99'999;
        int const point = static_cast<int>(random() % 5);
        for (auto const& [letter, exponent] :
             {Prefix{"p", -12}, {"n", -9}, {"u", -6}, {"m", -3}, {"", 0}, {"k", 3}, {"M", 6}, {"G", 9}, {"T", 12}}) {
            auto const number = std::to_string(digits) + "e-" + std::to_string(point);
            auto const nearest = [&](int shift) {
                return std::stod(std::to_string(digits) + "e" + std::to_string(shift - point));
            };
            EXPECT_EQ(parse_quantity(number + " " + letter + "J/bit").si, 8.0 * nearest(exponent));
            if (exponent >= 0) {
                EXPECT_EQ(parse_quantity(number + " " + letter + "B/s").si, nearest(exponent));
                EXPECT_EQ(parse_quantity(number + " " + letter + "B/KiB").si, nearest(exponent) / 1024.0);
            }
            if (exponent > 0) continue;
            EXPECT_EQ(parse_quantity(number + " " + letter + "s").si, nearest(exponent));
            EXPECT_EQ(parse_quantity(number + " " + letter + "m2").si, nearest(2 * exponent));
            EXPECT_EQ(parse_quantity(number + " J/" + letter + "s").si, nearest(-exponent));
        }
    }
    EXPECT_EQ(parse_quantity("100 ns").si, parse_quantity("0.1 us").si);
    EXPECT_EQ(parse_quantity("0.1 h").si, 360.0);
    EXPECT_EQ(parse_quantity("0.7 h").si, parse_quantity("42 min").si);
    EXPECT_EQ(parse_quantity("70 %").si, 0.7);
    EXPECT_EQ(parse_quantity("4.5 TiB*TiB*TiB").si, 4.5 * std::ldexp(1.0, 120)) << "beyond the exact digits";
}

TEST(QuantityText, refuses_what_is_no_quantity) {
    for (char const* wrong : {"", "fast", "4 parsec", "4 ns ns", "GB", "nan s", "4 /s/"})
        EXPECT_THROW((void)parse_quantity(wrong), InputError) << wrong;
}

TEST(QuantityText, refuses_units_that_no_quantity_has) {
    std::string powers = "1 B", giants = "1 s/TB";
    for (int i = 0; i < 300; ++i) powers += "*B";
    for (int i = 0; i < 40; ++i) giants += i % 2 == 0 ? "*TB/B*TB/B" : "*TFLOP/FLOP";
    // Regressions: 8-bit exponents wrapped to a plain number; a unit with 80,000 digits overflowed the stack.
    for (auto const& wrong : {std::string("0 TFLOP/s*TB22222222"), "1 m" + std::string(80'000, '2'), powers, giants,
                              std::string("1e300 TB")}) {
        try {
            (void)parse_quantity(wrong);
            ADD_FAILURE() << wrong.substr(0, 40);
        } catch (InputError const& error) {
            EXPECT_LT(std::string(error.what()).size(), 400U) << wrong.substr(0, 40);
        }
    }
    EXPECT_THROW((void)combined(Dimension{16, 0, 0, 0, 0}, Dimension{1, 0, 0, 0, 0}, 1), InputError);
    EXPECT_EQ(parse_quantity("3 mm^2").dimension, dimension_of(Area{}));
}

TEST(QuantityText, reads_money_and_mass) {
    auto const cost = parse_quantity("3.5 kUSD");
    EXPECT_EQ(cost.dimension, (Dimension{.money = 1}));
    EXPECT_DOUBLE_EQ(cost.si, 3500.0);
    auto const carbon = parse_quantity("481 gCO2e/kWh");
    EXPECT_EQ(carbon.dimension, (Dimension{.joule = -1, .mass = 1}));
    EXPECT_DOUBLE_EQ(carbon.si, 0.481 / 3.6e6);
    EXPECT_EQ(parse_quantity("1 kg").si, 1.0);
    EXPECT_DOUBLE_EQ(parse_quantity("2 years").si, 2 * 365.25 * 86400);
    EXPECT_EQ(a_dimension({.money = 1}), "money");
    EXPECT_EQ(a_dimension({.mass = 1}), "a mass");
    EXPECT_EQ(unit_of({.byte = -1, .money = 1}), "USD/B");
}

TEST(QuantityText, prints_the_most_readable_multiple) {
    EXPECT_EQ(print_quantity(0.2613, "s"), "261.3 ms");
    EXPECT_EQ(print_quantity(47.9e9, "B/s"), "47.9 GB/s");
    EXPECT_EQ(print_quantity(8.0 * 1024 * 1024, "B"), "8 MiB");
    EXPECT_EQ(print_quantity(2.275e-4, "m2"), "227.5 mm2");
    EXPECT_EQ(print_quantity(991038, "cycles"), "991038 cycles");
    EXPECT_EQ(print_quantity(123'456.0, "USD"), "123500 USD");
    EXPECT_EQ(print_quantity(0.047618, "USD"), "0.04762 USD");
    EXPECT_EQ(print_quantity(12'345.0, "kg"), "12340 kg");
    EXPECT_EQ(print_quantity(2.0917e-6, "kg"), "2.092 mg");
    EXPECT_EQ(print_quantity(0.0, "s"), "0 s");
    EXPECT_EQ(print_quantity(0.25, "1"), "0.25");
}

/// Random numbers of every magnitude, and numbers just below a power of ten.
std::vector<double> numbers_of_every_size() {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> exponents(-15.0, 15.0);
    std::vector<double> numbers;
    for (int i = 0; i < 500; ++i) numbers.push_back(std::pow(10.0, exponents(random)));
    for (int exponent = -12; exponent <= 12; ++exponent) {
        for (double const share : {0.9, 0.99, 0.9996, 0.99999, 1.0}) numbers.push_back(share * std::pow(10, exponent));
    }
    return numbers;
}

TEST(QuantityText, prints_numbers_without_an_exponent_where_people_write_none) {
    for (double const number : numbers_of_every_size()) {
        auto const text = print_number(number);
        EXPECT_EQ(text.find('e') == text.npos, number >= 0.99995e-4 && number < 1e15) << text;
        EXPECT_NEAR(std::stod(text), number, 0.5001e-3 * number);
    }
    EXPECT_EQ(print_quantity(0.08, "m2"), "80000 mm2");
    EXPECT_EQ(print_quantity(12'345.6, "s"), "205.8 min");
    EXPECT_EQ(print_quantity(599.0, "s"), "599 s");
    EXPECT_EQ(print_quantity(0.45, "B/s"), "0.45 B/s");
}

TEST(QuantityText, prints_as_many_digits_as_asked_and_is_no_further_off) {
    for (char const* unit : {"s", "J", "W", "Hz", "B/s", "B", "FLOP/s", "m"}) {
        for (double const number : numbers_of_every_size()) {
            for (int const digits : {3, 4, 6, 15}) {
                for (double const si : {number, -number}) {
                    auto const text = print_quantity(si, unit, digits);
                    EXPECT_NEAR(parse_quantity(text).si, si, 0.5001 * number * std::pow(10.0, 1 - digits)) << text;
                }
            }
        }
    }
}

TEST(QuantityText, prints_a_thousand_of_a_unit_as_one_of_the_next) {
    struct Printed {
        char const* unit;
        double least, most;
    };
    for (auto const& [unit, least, most] :
         {Printed{"s", 1e-12, 999}, Printed{"J", 1e-12, 9e14}, Printed{"B/s", 1, 9e14}, Printed{"FLOP/s", 1, 9e14},
          Printed{"m", 1e-12, 999}}) {
        for (double const number : numbers_of_every_size()) {
            if (number < least || number > most) continue;
            for (int const digits : {3, 4, 6}) {
                auto const text = print_quantity(number, unit, digits);
                double const shown = std::stod(text);
                EXPECT_TRUE(shown >= 1.0 && shown < 1000.0) << text;
                EXPECT_EQ(text.substr(0, text.find(' ')).find('e'), std::string::npos) << text;
            }
        }
    }
}

TEST(QuantityText, prints_what_it_can_read_again) {
    for (double const value : {3.2e-9, 0.25, 1.0, 5.5e6, 7.25e13}) {
        for (char const* unit : {"s", "J", "W", "B/s", "FLOP/s"})
            EXPECT_NEAR(parse_quantity(print_quantity(value, unit, 12)).si, value, 1e-9 * value) << unit;
    }
}

}  // namespace
}  // namespace pimdse::sim::quantity_text_test
