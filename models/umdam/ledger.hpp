#pragma once

#include "models/contract/common_metrics.hpp"
#include "models/contract/ledger.hpp"
#include "models/economy/materials.hpp"
#include "models/umdam/request_cost.hpp"
#include "models/umdam/system.hpp"

#include <vector>

namespace pimdse::models::umdam {

/// The account of every row of the ledger.
[[nodiscard]] Ledger ledger();

/// Area of logic and on-chip memory of NPU and DRAM dies, one share per part, named after the rows of the ledger.
[[nodiscard]] std::vector<Share> area_of(System const& system, MachineConstants const& machine);

/// Sum of these parts [m2].
[[nodiscard]] double sum_of_areas(System const& system, MachineConstants const& machine);

/// What the machine is made of: one NPU, and LPDDR5 with logic beside its banks. SRAM of global buffers counts as
/// logic.
[[nodiscard]] economy::Materials materials_of(System const& system, MachineConstants const& machine);

/// Area of the DRAM dies: one die per rank of a channel.
[[nodiscard]] sim::Area memory_area_of(System const& system, MachineConstants const& machine);

/// Static power of the machine [W], without a request and during one. While units work, their operations are charged
/// instead.
struct MachineStaticPower {
    double matrix_units = 0.0, vectors = 0.0;  ///< the whole NPU, waiting
    double pim_unit = 0.0;                     ///< one unit in a bank, waiting
    double pim_units = 0.0;                    ///< number of units
    double channels = 0.0;                     ///< PHYs and controllers
    double sram = 0.0;
    double dram_open = 0.0, dram_powered_down = 0.0;  ///< all dies: during a request, and without one
    double refresh = 0.0;

    [[nodiscard]] double idle() const {
        return matrix_units + vectors + pim_unit * pim_units + channels + sram + dram_powered_down + refresh;
    }
};
[[nodiscard]] MachineStaticPower static_power(System const& system, MachineConstants const& machine);

/// The clock of the units in the banks.
[[nodiscard]] sim::Frequency pim_clock(Design const& design);

/// Peak bandwidth of the data pins of a channel [B/s].
[[nodiscard]] double peak_rate(sim::dram::Standard const& dram);

/// Operations per second of the vector units that belong to matrix units of this peak.
[[nodiscard]] double vector_rate(Design const& design, NpuConstants const& npu);

/// Where the energy of a request goes.
[[nodiscard]] std::vector<Share> energy_shares(System const& system, RequestCost const& cost,
                                               MachineConstants const& machine);

/// Total energy of work in the time that it takes [J].
[[nodiscard]] sim::Bounded energy_of(System const& system, Cost const& spent, MachineConstants const& machine);

/// What commands cost however long they take, and the time for which they keep units busy.
struct UnitWork {
    double joules = 0.0;
    double matrix_units = 0.0, vectors = 0.0, pim_units = 0.0;  ///< s

    UnitWork& operator+=(UnitWork const& other);
    [[nodiscard]] UnitWork times(double n) const;
};

/// The estimate of energy_of() for work that is summed up beforehand.
class EnergyLaw {
  public:
    EnergyLaw(System const& system, MachineConstants const& machine);  ///< both live longer
    [[nodiscard]] UnitWork work_of(Commands const& commands) const;
    /// Energy of work that takes `seconds` [J].
    [[nodiscard]] double joules(UnitWork const& work, double seconds) const;
    [[nodiscard]] double idle_watts() const;  ///< without a request, hosts included

  private:
    System const& system_;
    MachineConstants const& machine_;
    MachineStaticPower power_;
};

/// Mean power of this part [W]. It decreases with time, because a waiting unit draws less than a working one.
[[nodiscard]] sim::Bounded power_of(System const& system, Cost const& spent, MachineConstants const& machine);

/// Mean power of one DRAM package during this part [W]; the channels share the work evenly.
[[nodiscard]] sim::Bounded package_power_of(System const& system, Cost const& spent, MachineConstants const& machine);

/// Power of one DRAM package while all its banks multiply whole rows without a pause [W].
[[nodiscard]] double package_power_at_work(System const& system, MachineConstants const& machine);

}  // namespace pimdse::models::umdam
