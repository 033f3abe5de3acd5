#pragma once

#include "models/contract/standby.hpp"
#include "models/text/machine.hpp"
#include "models/text/tilings.hpp"
#include "sim/base/memo.hpp"

#include <memory>
#include <vector>

namespace pimdse::models::text {

class BankProducts;  // bank_products.hpp

/// A memory at a point; SI.
struct MemoryFigures {
    double bandwidth = 0.0;                              ///< B/s, data sheet; 0: never the limit
    double attained = 0.0;                               ///< B/s that programs attain
    double write_bandwidth = 0.0, write_attained = 0.0;  ///< B/s of a write port; 0: reads and writes share one
    double latency = 0.0;                                ///< s, of a tier
    double clock_share = 0.0;   ///< share of the nominal clock below which the bandwidth falls with the clock; 0: never
    std::int64_t channels = 0;  ///< of kind dram
    double capacity = 0.0;      ///< B that programs can use
    double packages = 0.0, package_limit = 0.0;
    EnergyByRow energy{}, write_energy{};  ///< J/B
    /// J/B, their sums: independent of the voltage of the logic, and at its nominal one.
    double fixed = 0.0, scaled = 0.0, write_fixed = 0.0, write_scaled = 0.0;
    void add_up();  ///< sets these sums
    /// Seconds of these bytes at a bandwidth and a write bandwidth of its own.
    [[nodiscard]] static double seconds(double read, double written, double bandwidth, double write_bandwidth);
};

/// A compute component at a point in the format of the request; SI.
struct UnitFigures {
    double peak = 0.0, attained = 0.0;  ///< FLOP/s
    EnergyByRow energy{};               ///< J/FLOP
    double scaled = 0.0;                ///< J/FLOP, their sum at nominal voltage
    void add_up();                      ///< sets it
    /// Arrays: multiply-accumulates of a weight tile and cycle; 0 rows: no array.
    double rows = 0.0, columns = 0.0, count = 0.0, fill = 0.0;
    std::size_t buffer = no_component;
    double busy_energy = 0.0;  ///< J in row `sram` for each operation of `busy`, at nominal voltage
    double tile = 1.0;         ///< rows of a product are padded to a multiple of this; 1: no padding
    bool packed = false;       ///< array: heads of attention lie beside each other and fill its tiles
    double tile_buffer = 0.0;  ///< B through which products by weights are tiled; 0: weights are read once
    sim::Memo<GemmShape, GemmTraffic> const* tilings = nullptr;  ///< of them; it lives longer
    BankProducts const* bank = nullptr;                          ///< units in banks: simulated
    std::int64_t channels = 0, value_channels = 0;  ///< value_channels: round which heads of values go, each in one; 0:
                                                    ///< all, of which heads may have several
    double standby_share = 1.0;                     ///< share of its channels that draw standby power
    double waiting = 0.0;                           ///< W that it draws as long as it does not work, at its peak rate
    std::shared_ptr<PartLaw const> part;  ///< its laws, if they are C++; nullptr also if a key has no value of its own
    /// Operations at the peak rate of the unit in the time of a product of this shape.
    [[nodiscard]] double busy(OperatorWork const& product) const;
    /// Queries of a sequence that are computed together, for `summed`. A roof takes those of all heads that share keys.
    [[nodiscard]] QueryTile query_tile() const {
        bool const of_a_roof = rows == 0.0 && tile > 1.0;
        return {packed || of_a_roof ? tile : 0.0, of_a_roof};
    }
};

/// All components of a machine at a point.
struct MachineFigures {
    std::vector<double> numbers;  ///< of NumberTable
    std::size_t format = 0;       ///< of the products that the figures of its units are for
    std::vector<MemoryFigures> memories;
    std::vector<UnitFigures> units;
    Standby rest;        ///< of the machine and its components; NaN: it is not stated
    double limit = 0.0;  ///< W; 0: none
    double voltage_floor = 1.0, lowest_clock = 1.0;
    double slower = 0.0;                   ///< factor of the calibrated upper bound; 0: there is none
    double area = 0.0, memory_area = 0.0;  ///< m2; area: logic
    double bank_area = 0.0;                ///< m2 of it in the banks
    double link_energy = 0.0;              ///< J/B over one link of the machine
};

/// Installed bytes of a memory, used or not.
[[nodiscard]] double installed(MemorySlots const& slots, std::vector<double> const& numbers);

/// Whether the energy of a row is drawn from the supply of the logic, whose voltage follows its clock: all of a unit,
/// on-chip memory and wires of a memory.
[[nodiscard]] bool follows_voltage(std::size_t row);

/// Figures of a unit for products in a format. A part and units in banks: 0, as their laws and their memory say.
struct FormatFigures {
    double peak = 0.0, attained = 0.0, scaled = 0.0;  ///< as UnitFigures
};
[[nodiscard]] FormatFigures in_format(UnitSlots const& slots, std::vector<double> const& numbers, std::size_t format);

/// `numbers`: all of NumberTable at a point. `format`: of products.
[[nodiscard]] MachineFigures hardware_at(CompiledMachine const& machine, std::vector<double> numbers,
                                         std::size_t format);

}  // namespace pimdse::models::text
