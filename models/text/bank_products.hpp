#pragma once

#include "models/contract/fidelity.hpp"
#include "models/text/hardware.hpp"
#include "models/text/pass.hpp"
#include "sim/base/bounded.hpp"
#include "sim/dram/standard.hpp"
#include "sim/pim/product_cost.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

/// Memories and units that are simulated: reads of a timing set, and products in its banks.
namespace pimdse::models::text {

/// What a long sequential read of one channel attains: bytes per second of its peak.
struct DramStream {
    double peak = 0.0;                        ///< B/s of one channel
    double estimated = 0.0, simulated = 0.0;  ///< share of it: without refreshes; cycle by cycle
};
/// `mapping`: of the addresses of a channel (docs of mappings). Throws InputError.
[[nodiscard]] DramStream dram_stream(sim::dram::Standard const& standard, std::string const& mapping);

/// Seconds and joules by row of the ledger, of all executions on all channels.
struct BankCost {
    sim::Bounded seconds;
    EnergyByRow joules{};
};

/// Numbers that a machine file may change of the units of a timing set. 0: that of the timing set.
struct BankChanges {
    std::int64_t mac_cycles = 0, buffer_bytes = 0;
    auto operator<=>(BankChanges const&) const = default;
};

/// Costs of products in the banks of a memory with multiply-accumulate units. Each product is simulated once; shared by
/// all threads.
class BankProducts {
  public:
    /// Throws InputError if the units cannot be simulated after the changes.
    BankProducts(sim::pim::BankUnits const& units, BankChanges const& changes);

    /// An operator of `element`-byte activations and `weight_bits` weights on `channels` channels: matrix products are
    /// executed row by row, attention query by query. analytic: estimate with a proved lower bound; cycle: simulated.
    /// `unit`: its channels, those of them that hold values of attention, and those that draw standby power.
    [[nodiscard]] BankCost cost(OperatorWork const& op, LlmRequest const& request, UnitFigures const& unit,
                                Fidelity fidelity) const;
    [[nodiscard]] sim::pim::BankUnits const& units() const { return costs_.units(); }

  private:
    struct OneProgram {
        sim::Bounded cycles;
        sim::pim::ChannelCommands commands;
        double executions = 1.0;   ///< that have these commands
        double open_cycles = 0.0;  ///< of one execution, with an open row
    };
    template <class Product>
    [[nodiscard]] OneProgram program(Product const& product, Fidelity fidelity) const;
    template <class Product>
    void add(std::vector<sim::pim::ChannelShare<Product>> const& shares, double executions, Fidelity fidelity,
             BankCost& to) const;
    void add_energy(OneProgram const& one, double executions, BankCost& to) const;

    sim::pim::ProductCosts costs_;
};

}  // namespace pimdse::models::text
