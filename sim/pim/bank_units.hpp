#pragma once

#include "sim/base/units.hpp"

#include <compare>
#include <cstdint>

namespace pimdse::sim::pim {

/// What happens to the sums of a unit while the parts of an input vector pass through its operand buffer.
enum class SumPolicy : std::uint8_t {
    carried,  ///< written before and read after the products with every part (AiM)
    kept      ///< stay in the registers until all parts have passed, then read once; the parts are written again
              ///< for every group of outputs
};

/// Where the weights of the next output start.
enum class WeightPlacement : std::uint8_t {
    row_per_output,  ///< the products of an output with one part of the inputs start at a new row
    packed           ///< in the order of use, without gaps
};

/// Lengths of what a unit works on. Every count is at least 1.
struct UnitSizes {
    std::int64_t banks = 1;           ///< of a channel
    std::int64_t banks_per_unit = 1;  ///< a divisor of `banks`; the unit works on them one after the other
    std::int64_t word_bytes = 1;      ///< weights that one MAC command reads in every unit, and data of one transfer
    std::int64_t row_bytes = 1;       ///< of one bank, a multiple of word_bytes
    std::int64_t buffer_bytes = 1;    ///< inputs that MACs can use without another write, the same for all units
    std::int64_t sums = 1;            ///< outputs whose sums the registers of a unit hold
    std::int64_t sum_bytes = 1;
    SumPolicy policy = SumPolicy::carried;
    WeightPlacement placement = WeightPlacement::row_per_output;
    auto operator<=>(UnitSizes const&) const = default;

    [[nodiscard]] std::int64_t units() const { return banks / banks_per_unit; }
    /// MAC commands that one visit of a row in all banks can serve.
    [[nodiscard]] std::int64_t words_per_row() const { return banks_per_unit * row_bytes / word_bytes; }
};

/// Minimum distances of commands on a channel whose banks work in step, in clock cycles. 0: no constraint.
struct UnitTiming {
    Time clock;
    std::int64_t activate_to_mac = 0, activate_to_write = 0;
    std::int64_t mac_interval = 1;
    std::int64_t mac_to_precharge = 0, precharge = 0;     ///< precharge: PRE to ACT
    std::int64_t activate_to_precharge = 0;               ///< nRAS
    std::int64_t activate_to_activate = 0;                ///< nRC
    std::int64_t write_to_activate = 0;                   ///< last word written to a bank, to the next ACT
    std::int64_t buffer_write = 1, sum_write = 1;         ///< between two words over the pins
    std::int64_t sum_read = 1;                            ///< between two words, with the round trip of the controller
    std::int64_t write_to_read = 0, read_to_write = 0;    ///< turnarounds of the pins
    std::int64_t mac_to_transfer = 0, write_to_mac = 0;   ///< turnarounds between banks and registers
    std::int64_t mode_change = 0;                         ///< between commands to banks and commands to registers
    std::int64_t fence = 0;                               ///< wait of the host between writing inputs and the MACs
    std::int64_t refresh_interval = 0, refresh_time = 0;  ///< interval 0: no refresh
    bool operator==(UnitTiming const&) const = default;
};

/// Energy of the commands of a channel; 0 if no source gives it.
struct UnitEnergy {
    Energy activate;                ///< ACT and PRE of one bank
    Energy mac;                     ///< one MAC command of all units
    Energy buffer_write;            ///< one word of the operand buffer, with its transfer
    Energy sum_write, sum_read;     ///< one word of sums, with its transfer
    Energy word_write;              ///< one word into each opened bank, with its transfer
    Energy refresh;                 ///< one all-bank refresh
    Power active_standby, standby;  ///< of a channel with open rows, with all rows closed
};

/// Banks with multiply-accumulate units on one channel: their commands are broadcast and issued in order.
struct BankUnits {
    UnitSizes sizes;
    UnitTiming timing;
    UnitEnergy energy;
};

/// Throws InputError with every reason for which these units cannot be simulated (counts below 1, banks that do not
/// divide, a refresh that would never end).
void review(BankUnits const& units);

}  // namespace pimdse::sim::pim
