#pragma once

#include "models/text/bank_products.hpp"
#include "models/text/hardware.hpp"
#include "models/text/pass.hpp"
#include "models/text/request.hpp"

#include <array>
#include <cstddef>

/// What operators of a pass ask of the components of a machine: operations, bytes, waiting.
namespace pimdse::models::text {

/// Work of one or several operators for the components of a machine.
struct ComponentWork {
    std::size_t unit = no_component;
    /// Of the unit, in the format of its figures; those in another format by what they take at the peak of each.
    double operations = 0.0;
    double drawing = 0.0;                                ///< the same by the energy that they take
    double busy = 0.0;                                   ///< operations at its peak rate in the time that it is busy
    double later = 0.0;                                  ///< s that it is busy beyond that, in another format
    std::array<double, max_memories> read{}, written{};  ///< B of each memory
    BankCost banks;                                      ///< of units in banks, which need no bytes of their memory
    std::size_t unit_beside = no_component;              ///< another unit, which computes at the same time
    double operations_beside = 0.0;                      ///< of it
    double waiting = 0.0;                                ///< s
    double sent = 0.0;                                   ///< B over the links of the machine
    double moved = 0.0, kernels = 0.0;                   ///< B of activations between kernels; number of kernels
};

/// Minimum work for any tiling of the products: every byte once, and no masked score. Lower bounds count only
/// this.
struct CompulsoryWork {
    std::array<double, max_units> operations{}, drawing{};  ///< as in ComponentWork
    std::array<double, max_memories> read{}, written{};     ///< B
    std::array<double, max_units> seconds{};                ///< s: lower bound of units in banks, and of parts
};

/// The work of operators on a machine at a point; both live longer.
class WorkLaw {
  public:
    WorkLaw(CompiledMachine const& machine, MachineFigures const& hardware, Fidelity fidelity)
        : machine_(machine), hardware_(hardware), fidelity_(fidelity) {}

    /// All executions of an operator by a rule. Activations that move between kernels have no memory yet.
    [[nodiscard]] ComponentWork of(OperatorWork const& op, Rule const& rule, LlmRequest const& request) const;
    void add_compulsory(OperatorWork const& op, Rule const& rule, LlmRequest const& request, CompulsoryWork& to) const;
    /// Kernels read what the one before has written. The cache of `hold.repeated` has as much of it as fits; the memory
    /// of keys and values the rest.
    void place_moved(ComponentWork& work) const;

  private:
    /// How an array computes a product: how often it reads its inputs and its weights, so that sums of its rows and
    /// columns stay in its buffer; each array has columns of its own. Staged: inputs are read again from another
    /// memory.
    struct Tiling {
        double inputs = 1.0, weights = 1.0;
        bool staged = false;
        double seconds = 0.0;  ///< that memories are busy, which is least
    };
    [[nodiscard]] Tiling tiling(OperatorWork const& product, UnitFigures const& array, double element) const;
    /// Products by weights that are tiled through a buffer read weights again, or write activations and read them,
    /// whichever moves less; nothing more if activations stay on chip.
    void add_tiles(OperatorWork const& product, UnitFigures const& unit, double element, ComponentWork& to) const;
    /// What operations of a unit take in the format of an operator, over what they take in that of its figures.
    struct FormatRatio {
        double peak = 1.0, attained = 1.0, joules = 1.0;
    };
    [[nodiscard]] FormatRatio format_ratio(OperatorWork const& op, std::size_t unit) const;
    [[nodiscard]] double seconds_per_byte(std::size_t memory, bool written) const;
    void add_activations(OperatorWork const& op, UnitFigures const& unit, double element, ComponentWork& to) const;

    CompiledMachine const& machine_;
    MachineFigures const& hardware_;
    Fidelity fidelity_;
};

}  // namespace pimdse::models::text
