#pragma once

#include "sim/pim/bank_units.hpp"
#include "sim/pim/program.hpp"

#include <compare>
#include <cstdint>
#include <vector>

namespace pimdse::sim::pim {

/// The share of one channel in a matrix-vector product: `outputs` x `inputs` weights lie in its banks.
struct Gemv {
    std::int64_t inputs = 1;
    std::int64_t outputs = 1;  ///< of this channel; its units have divide_up(outputs, units) each
    std::int64_t vectors = 1;  ///< products with the same weights, one after the other
    int weight_bits = 16, activation_bits = 16;
    /// The inputs are in the operand buffer already, which must hold all of them.
    bool vector_in_buffer = false;
    auto operator<=>(Gemv const&) const = default;
};

/// The product with one vector, command by command.
///
/// carried: for each part of the inputs that fits the operand buffer: write the part; for each group of outputs whose
/// sums fit the registers: write their sums, multiply, read their sums. Groups are of equal size as far as possible.
/// kept: for each group of outputs: for each part of the inputs: write the part, multiply; then read the sums.
[[nodiscard]] Program program_of(BankUnits const& units, Gemv const& product);

/// The shares of a product on `channels` channels, the longest first: as many channels as possible have the longest
/// one, the next has the rest, and the others have none.
[[nodiscard]] std::vector<ChannelShare<Gemv>> shares_of(BankUnits const& units, Gemv const& whole,
                                                        std::int64_t channels);

}  // namespace pimdse::sim::pim
