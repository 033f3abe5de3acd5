#include "sim/noc/network_state.hpp"
#include "sim/noc/open_loop.hpp"

#include <gtest/gtest.h>
#include <array>

namespace pimdse::sim::noc::lanes::test::lanes_test {
namespace {

TEST(Lanes, tell_full_from_empty_whatever_stands_beside) {
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        std::array<std::int32_t, ports> values{};
        std::uint64_t word = 0;
        std::uint32_t expected = 0;
        for (unsigned port = 0; port < ports; ++port) {
            auto const draw = hashed(i, port);
            values[port] = draw % 3 == 0   ? 0
                           : draw % 3 == 1 ? max
                                           : static_cast<std::int32_t>((draw >> 8U) % (max + 1));
            word += static_cast<std::uint64_t>(values[port]) * one(port);
            expected |= values[port] != 0 ? 1U << port : 0U;
        }
        ASSERT_EQ(filled(word), expected);
        for (unsigned port = 0; port < ports; ++port) ASSERT_EQ(at(word, port), values[port]);
    }
}

TEST(Lanes, add_a_one_to_each_port_of_a_mask) {
    for (unsigned mask = 0; mask < 32; ++mask) {
        for (unsigned port = 0; port < ports; ++port)
            ASSERT_EQ(at(ones[mask], port), static_cast<std::int32_t>(mask >> port & 1U));
    }
}

TEST(Lanes, match_every_pair_of_inputs_and_outputs) {
    for (unsigned inputs = 0; inputs < 32; ++inputs) {
        for (unsigned outputs = 0; outputs < 32; ++outputs) {
            Pairs expected = 0;
            for (unsigned out = 0; out < ports; ++out) {
                for (unsigned in = 0; in < ports; ++in) {
                    if ((inputs >> in & outputs >> out & 1U) != 0) expected |= pair(out, in);
                }
            }
            ASSERT_EQ(with_inputs(inputs) & with_outputs[outputs], expected);
        }
    }
}

/// All assignments of at most one input to each output, without using an input twice.
TEST(Lanes, name_the_inputs_and_outputs_of_a_matching) {
    for (unsigned code = 0; code < 6 * 6 * 6 * 6 * 6; ++code) {
        Pairs pairs = 0;
        std::uint32_t inputs = 0, outputs = 0;
        bool matching = true;
        for (unsigned out = 0, rest = code; out < ports; ++out, rest /= 6) {
            unsigned const in = rest % 6;
            if (in == ports) continue;
            matching = matching && (inputs >> in & 1U) == 0;
            pairs |= pair(out, in);
            inputs |= 1U << in;
            outputs |= 1U << out;
        }
        if (!matching) continue;
        ASSERT_EQ(inputs_of(pairs), inputs);
        ASSERT_EQ(outputs_of(pairs), outputs);
    }
}

TEST(Lanes, take_turns_in_a_circle) {
    for (unsigned last = 0; last < ports; ++last) {
        for (unsigned mask = 1; mask < 32; ++mask) {
            unsigned expected = (last + 1) % ports;
            while ((mask >> expected & 1U) == 0) expected = (expected + 1) % ports;
            ASSERT_EQ(next_in_turn[last][mask], expected);
        }
    }
}

}  // namespace
}  // namespace pimdse::sim::noc::lanes::test::lanes_test
