#pragma once

#include "models/contract/assumptions.hpp"
#include "models/contract/request_result.hpp"
#include "models/economy/materials.hpp"
#include "sim/base/bounded.hpp"
#include "sim/base/units.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace pimdse::models {
class Constants;  // models/contract/constants.hpp
}

/// Cost in USD and carbon in kg of CO2 equivalents of machines and of what they serve. docs/cost.md.
namespace pimdse::models::economy {

/// A die of logic without a defect.
struct Die {
    double cost = 0.0;    ///< USD
    double carbon = 0.0;  ///< kg
};

/// What one machine costs; USD, and kg for carbon.
struct Bill {
    double dies = 0.0;      ///< of logic
    double packages = 0.0;  ///< of them
    double design = 0.0;    ///< part of masks and design
    double memories = 0.0;
    double bank_logic = 0.0;  ///< that enlarges their dies
    double product = 0.0;     ///< sold for this, instead of all that; 0: it is not, or bills are what counts
    double carbon = 0.0;
    [[nodiscard]] double materials() const { return dies + packages + design + memories + bank_logic; }
    [[nodiscard]] double total() const { return product > 0.0 ? product : materials(); }
};

/// Figures of a request or of a group that serves it, as the common metrics of the same names.
struct RequestFigures {
    sim::Bounded latency, energy, idle_power, tokens_per_second, energy_per_token;
};

/// The figures of models/economy.toml with everything that is the same for all machines.
class Economy {
  public:
    /// Reads them under these assumptions. Throws InputError for a constant that is missing, has another dimension or
    /// another sign, and for assumptions that are not.
    explicit Economy(ModelOptions const& options = {});
    /// As shipped; read once.
    [[nodiscard]] static Economy const& shipped();
    /// With the rows of economy.toml that these options change; the process of `bill` is that of 7 nm. Read once for
    /// equal rows. Thread-safe.
    [[nodiscard]] static Economy const& of(ModelOptions const& options);

    /// A die of this area. Precondition: not above the reticle.
    [[nodiscard]] Die die(sim::Area area, std::size_t process) const;
    /// The bill of one machine. Logic beyond the reticle is divided into dies of its size and a smaller one.
    [[nodiscard]] Bill bill(Materials const& materials) const;
    /// USD of what joins one device to others, for a link of this name.
    [[nodiscard]] double link(std::string_view name) const;
    /// kg of making that.
    [[nodiscard]] double link_carbon(std::string_view name) const;

    /// USD for a million output tokens: machine over its lifetime, and energy, idle time included. Does not apply
    /// where a request has no tokens.
    [[nodiscard]] sim::Bounded per_million_tokens(sim::Bounded const& machine, RequestFigures const& served) const;
    /// kg of a request: part of the machine's `embodied`, and energy, idle time included.
    [[nodiscard]] sim::Bounded carbon(sim::Bounded const& embodied, RequestFigures const& served) const;
    /// Sets what a machine of these materials costs, and then what its use does.
    void add_bill(RequestResult& result, Materials const& materials) const;
    /// Sets cost_per_million_tokens and carbon of a request by its other members.
    void add_use(RequestResult& result) const;
    /// USD for an hour of a machine that draws `watts` all the time.
    [[nodiscard]] double per_hour(double machine, double watts) const;

    [[nodiscard]] double design_cost(std::size_t process) const { return processes_[process].design; }
    [[nodiscard]] double volume() const { return volume_; }

  private:
    struct Process {
        double wafer = 0.0, defects = 0.0;  ///< USD; 1/m2
        double design = 0.0;                ///< USD, masks included
        double carbon = 0.0;                ///< kg/m2
        Die full;                           ///< of the size of the reticle
    };
    void read_processes(Constants const& all);

    std::array<Process, process_names.size()> processes_;
    std::array<double, memory_names.size()> memory_cost_{}, memory_carbon_{};  ///< USD/B, kg/B
    [[nodiscard]] double row_of_link(std::string const& row) const;
    std::vector<std::pair<std::string, double>> links_;  ///< by row: USD, kg
    std::size_t process_ = process("7nm");
    double wafer_diameter_ = 0.0, reticle_ = 0.0, cluster_ = 0.0;
    double volume_ = 0.0, package_share_ = 0.0, interposer_ = 0.0, stack_dies_ = 0.0, package_carbon_ = 0.0;
    double bank_logic_cost_ = 0.0, bank_logic_carbon_ = 0.0;
    double lifetime_ = 0.0;                    ///< s
    double write_off_ = 0.0, idle_ = 0.0;      ///< 1/s of use; s of idling for a second of use
    double joule_ = 0.0, joule_carbon_ = 0.0;  ///< USD and kg for a joule of a machine
    CostBasis basis_ = CostBasis::own;
    double margin_ = 1.0;  ///< price of a design over its bill
};

/// Rectangular dies on a round wafer (de Vries, 2005): pi d^2 / (4 A) - pi d / sqrt(2 A), the second term for dies that
/// the edge cuts. Precondition: 0 < A, and the wafer is some dies wide, so that the result is above 0.
[[nodiscard]] double dies_per_wafer(sim::Area die, double wafer_diameter);

/// Share of dies without a defect if defects are clustered (negative-binomial): (1 + A D / cluster)^-cluster. `defects`
/// per m2. Poisson's exp(-A D) is the limit for large clusters. Precondition: cluster > 0.
[[nodiscard]] double yield_of(sim::Area die, double defects, double cluster);

/// Package as a share of the packaged die: share / (1 - share) of the die.
[[nodiscard]] double package_by_share(double dies, double share);

/// Share of a sum that is spent over a lifetime for each second of use: 1 / (lifetime x utilisation), in 1/s.
[[nodiscard]] double write_off_rate(sim::Time lifetime, double utilisation);

/// Idle time for each second of use.
[[nodiscard]] double idle_share(double utilisation);

}  // namespace pimdse::models::economy
