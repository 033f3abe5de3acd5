#pragma once

#include "models/contract/common_metrics.hpp"
#include "models/contract/ledger.hpp"
#include "models/economy/materials.hpp"
#include "models/umdam/request.hpp"
#include "models/umdam/system.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
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

/// The clock of the units in the banks.
[[nodiscard]] sim::Frequency pim_clock(Design const& design);

/// Peak bandwidth of the data pins of a channel [B/s].
[[nodiscard]] double peak_rate(sim::dram::Standard const& dram);

/// Operations per second of the vector units that belong to matrix units of this peak.
[[nodiscard]] double vector_rate(Design const& design, NpuConstants const& npu);

/// What commands cost however long they take, and the time for which they keep units busy.
struct UnitWork {
    double joules = 0.0;
    double matrix_units = 0.0, vectors = 0.0, pim_units = 0.0;  ///< s

    UnitWork& operator+=(UnitWork const& other);
    [[nodiscard]] UnitWork times(double n) const;
};

/// Joules by row of the ledger and part of the machine, or phase.
class EnergyByPart {
  public:
    struct One {
        std::string_view row, part;
        sim::Bounded joules;
    };
    void add(std::string_view row, std::string_view part, sim::Bounded const& joules) {
        all_.at(count_++) = {row, part, joules};
    }
    [[nodiscard]] std::span<One const> list() const { return {all_.data(), count_}; }
    [[nodiscard]] sim::Bounded sum() const;
    /// What is dissipated in the memory packages, with this share of the energy of transfers.
    [[nodiscard]] sim::Bounded in_packages(double pin_share) const;

  private:
    std::array<One, 8> all_{};  // rows of commands, or of static power
    std::size_t count_ = 0;
};

/// Energy and power of a machine.
class EnergyLaw {
  public:
    EnergyLaw(System const& system, MachineConstants const& machine);  ///< both live longer

    /// Total energy of work in the time that it takes [J].
    [[nodiscard]] sim::Bounded energy(Cost const& spent) const;
    /// Where the energy of a request goes.
    [[nodiscard]] std::vector<Share> shares(RequestCost const& cost) const;
    /// The estimate of energy() for work that is summed up beforehand and takes `seconds` [J].
    [[nodiscard]] UnitWork work_of(Commands const& commands) const;
    [[nodiscard]] double joules(UnitWork const& work, double seconds) const;
    /// Mean power [W]. It decreases with time, because a waiting unit draws less than a working one.
    [[nodiscard]] sim::Bounded power(Cost const& spent) const;
    /// Mean power of one DRAM package [W]; the channels share the work evenly.
    [[nodiscard]] sim::Bounded package_power(Cost const& spent) const;
    /// Power of one DRAM package while all its banks multiply whole rows without a pause [W].
    [[nodiscard]] double package_power_at_work() const;
    [[nodiscard]] double idle_watts() const;  ///< without a request

  private:
    /// Energy of commands, independent of the time they take.
    [[nodiscard]] EnergyByPart of_commands(std::string_view phase, Commands const& commands) const;
    /// Energy that flows for so many seconds whatever is done. While units work, their operations are charged instead.
    [[nodiscard]] EnergyByPart of_rest(UnitWork const& busy, sim::Bounded const& seconds) const;
    /// Mean power of the joules that `sum` adds up.
    template <class Sum>
    [[nodiscard]] sim::Bounded mean_power(Cost const& spent, Sum const& sum) const;
    [[nodiscard]] UnitWork busy_with(Commands const& commands) const;  ///< without joules
    [[nodiscard]] double package_share() const;                        ///< channels of a package, of all

    System const& system_;
    MachineConstants const& machine_;
    double burst_, row_, buffer_, first_level_, local_, bank_read_, multiply_;  ///< B; J of a row, and of a byte
    double matrix_watts_, vector_watts_, pim_watts_;                            ///< while they wait
    double channel_watts_, sram_watts_, open_watts_, powered_down_watts_, refresh_watts_;
};

}  // namespace pimdse::models::umdam
