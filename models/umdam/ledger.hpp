#pragma once

#include "models/contract/common_metrics.hpp"
#include "models/contract/standby.hpp"
#include "models/umdam/request.hpp"
#include "models/umdam/system.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <vector>

namespace pimdse::models::umdam {

/// The account of every row of the ledger.
[[nodiscard]] Ledger ledger();

/// Area of logic and on-chip memory of NPU and DRAM dies, one share per part that there is, named after the rows of the
/// ledger.
[[nodiscard]] std::vector<Share> area_of(System const& system, MachineConstants const& machine);

/// Area of the DRAM dies: one die per rank of a channel.
[[nodiscard]] sim::Area memory_area_of(System const& system, MachineConstants const& machine);

/// The clock of the units in the banks.
[[nodiscard]] sim::Frequency pim_clock(Design const& design);

/// Peak bandwidth of the data pins of a channel [B/s].
[[nodiscard]] double peak_rate(sim::dram::Standard const& dram);

/// Operations per second of the vector units that belong to matrix units of this peak.
[[nodiscard]] double vector_rate(Design const& design, NpuConstants const& npu);

/// What work takes, as the passes of a part sum it up (text::PartCost): joules of its commands, less what the units
/// that work do not draw of their power at rest, by the rows in which passes have any.
struct Spending {
    static constexpr std::array rows{energy_row("arithmetic"),    energy_row("sram"),
                                     energy_row("dram_array"),    energy_row("dram_interface"),
                                     energy_row("host_transfer"), energy_row("in_memory_logic"),
                                     energy_row("idle_units")};
    sim::Bounded seconds;
    std::array<double, rows.size()> joules{};
    double joules_below = 0.0, joules_above = 0.0;

    [[nodiscard]] double all_joules() const { return std::accumulate(joules.begin(), joules.end(), 0.0); }
    /// Widens the interval of all joules to that of the other, too.
    void include(Spending const& other) {
        double const more = other.all_joules() - all_joules();
        joules_below = std::max(joules_below, other.joules_below - more);
        joules_above = std::max(joules_above, other.joules_above + more);
    }
    Spending& operator+=(Spending const& other);
    [[nodiscard]] Spending times(double n) const;
};

/// Energy and power of a machine.
class EnergyLaw {
  public:
    EnergyLaw(System const& system, MachineConstants const& machine);  ///< both live longer

    [[nodiscard]] Spending spending_of(Cost const& spent) const;
    /// Rows of what commands take, and of units as they work: what they do not draw of their power at rest.
    static constexpr std::array<std::string_view, Spending::rows.size() + 2> explained{"arithmetic",
                                                                                       "sram",
                                                                                       "dram_array",
                                                                                       "dram_interface",
                                                                                       "host_transfer",
                                                                                       "in_memory_logic",
                                                                                       "idle_units/matrix engine",
                                                                                       "idle_units/vectors",
                                                                                       "idle_units/pim"};
    [[nodiscard]] std::array<double, explained.size()> explain(Spending const& spent, Commands const& commands) const;
    /// Joules of commands in DRAM packages, less what units in banks do not draw of their power at rest.
    [[nodiscard]] sim::Bounded package_joules(Commands const& commands) const;
    /// Mean power of one DRAM package with such joules [W]; the channels share the work evenly.
    [[nodiscard]] sim::Bounded package_power(sim::Bounded const& joules, sim::Bounded const& seconds) const;
    /// Power of one DRAM package while all its banks multiply whole rows without a pause [W].
    [[nodiscard]] double package_power_at_work() const;
    void add_rest(Standby& to) const;

  private:
    /// Calls to(row, joules) with the energy of commands, independent of the time they take.
    template <class To>
    void of_commands(Commands const& commands, To const& to) const;
    [[nodiscard]] double joules_of(Commands const& commands) const;
    [[nodiscard]] std::array<double, 3> busy_with(Commands const& commands) const;  ///< s, as waiting_
    [[nodiscard]] double package_share() const;                                     ///< channels of a package, of all

    System const& system_;
    MachineConstants const& machine_;
    double burst_, row_, buffer_, first_level_, bank_read_, multiply_;  ///< B; J of a row, and of a byte
    double cube_, local_, faster_;  ///< of the matrix units: J of an operation, with operands; of its peak over fp16's
    std::array<double, 3> waiting_{};  ///< W of matrix units, vector units and units in banks that wait
    double memory_rest_;               ///< W of DRAM that waits
};

}  // namespace pimdse::models::umdam
