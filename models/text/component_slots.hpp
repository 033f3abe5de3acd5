#pragma once

#include "models/economy/materials.hpp"
#include "models/text/machine_file.hpp"
#include "models/text/numbers.hpp"
#include "models/text/part.hpp"
#include "sim/dram/standard.hpp"
#include "sim/pim/bank_units.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The components of a machine file compiled: positions of their numbers in the NumberTable.
namespace pimdse::models::text {

inline constexpr std::size_t max_memories = 4, max_units = 6;
inline constexpr std::size_t no_component = max_units + max_memories;

using EnergySlots = std::vector<std::pair<std::size_t, std::size_t>>;  ///< row of the ledger, number
struct MemorySlots {
    bool simulated = false;        ///< of kind dram
    bool is_tier = false;          ///< of kind tier
    sim::dram::Standard standard;  ///< if it is
    std::string timing, mapping;
    std::optional<sim::pim::BankUnits> units{};  ///< in its banks, if a component computes with them
    std::size_t channels = 0;
    std::size_t bandwidth = 0, write_bandwidth = 0, share = 0, clock_share = 0;
    std::size_t latency = 0, relayout = 0;  ///< of a tier, which has no clock_share
    std::size_t capacity = 0, usable = 0, area = 0, memory_area = 0, static_power = 0, working_power = 0, packages = 0,
                package_limit = 0;
    std::optional<economy::MemoryKind> type{};  ///< nothing: its bytes cost nothing but `cost` and `carbon`
    std::size_t cost = 0, carbon = 0;           ///< of a byte; below 0: that of the type
    std::size_t installed = 0;                  ///< bytes; 0: the capacity
    EnergySlots energies, write_energies;
};
enum class UnitKind : std::uint8_t { roof, array, bank_pim, vector, part };
/// Where a key of a part has its value: in a number, in a parameter, or fixed.
struct PartSlot {
    std::optional<std::size_t> number{}, parameter{};
    std::vector<std::size_t> choices{};  ///< of the key, by choice of the parameter; none: the key takes its values
    Value fixed{};
    double unit = 1.0;  ///< SI of a whole number of 1
};
struct UnitSlots {
    std::vector<std::size_t> rate, share;  ///< by format; rate: of kind roof
    UnitKind kind = UnitKind::roof;
    std::size_t tile = 0, packed = 0;                                          ///< roof and array; array
    std::size_t tile_buffer = 0;                                               ///< roof
    std::size_t lanes = 0, frequency = 0, per_cycle = 0;                       ///< vector; frequency also of an array
    std::size_t rows = 0, columns = 0, count = 0, fill = 0, cycle_energy = 0;  ///< array
    std::size_t buffer = no_component;                                         ///< array: memory beside each array
    std::size_t memory = no_component, mac_interval = 0, global_buffer = 0, value_channels = 0,
                standby_share = 0;  ///< bank_pim
    PartKind const* part = nullptr;
    std::vector<PartSlot> values;  ///< by key of the part
    std::size_t area = 0, static_power = 0, waiting_power = 0;
    std::vector<EnergySlots> energies;  ///< by format
};

/// Position of a memory of the file; the number of its memories if it has none of this name.
[[nodiscard]] std::size_t memory_at(MachineFile const& file, std::string_view name);
/// The names in braces of a sentence.
[[nodiscard]] std::vector<std::string> in_braces(std::string const& sentence);

/// Compiles the components of a file, whose machine has these parameters and numbers. Adds a sentence to `mistakes`
/// for what reading the file could not see. What it is made of lives longer.
class SlotsOfFile {
  public:
    SlotsOfFile(MachineFile const& file, Parameters const& parameters, NumberTable const& numbers,
                std::vector<std::string>& mistakes)
        : file_(file), parameters_(parameters), numbers_(numbers), mistakes_(mistakes) {}
    [[nodiscard]] MemorySlots of_memory(Component const& memory) const;
    [[nodiscard]] UnitSlots of_unit(Component const& unit) const;

  private:
    [[nodiscard]] std::vector<PartSlot> of_part(Component const& unit) const;
    [[nodiscard]] EnergySlots energies(std::string const& prefix, std::vector<std::string> const& rows,
                                       std::string const& format = "") const;

    MachineFile const& file_;
    Parameters const& parameters_;
    NumberTable const& numbers_;
    std::vector<std::string>& mistakes_;
};

}  // namespace pimdse::models::text
