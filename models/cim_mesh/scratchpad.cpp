#include "models/cim_mesh/scratchpad.hpp"

#include <cmath>

namespace pimdse::models::cim_mesh {
namespace {

/// Bytes of the scratchpad, and of a bank, relative to the published macro.
struct Sizes {
    double all, bank;
};

Sizes scratchpad_sizes(MachineConstants const& m, Design const& d) {
    double const all = static_cast<double>(d.scratchpad) / macros_of(m, d).scratchpad.si;
    return {all, d.scratchpad_banks == 0 ? all : all / static_cast<double>(d.scratchpad_banks)};
}

}  // namespace

double scratchpad_growth(MachineConstants const& m, Design const& d) {
    auto const size = scratchpad_sizes(m, d);
    if (d.scratchpad_banks == 0) return size.all;
    // Drivers along the rows and amplifiers along the columns of a square array grow with its side.
    double const periphery = static_cast<double>(d.scratchpad_banks) * std::sqrt(size.bank);
    return m.scratchpad_cells_share * size.all + (1.0 - m.scratchpad_cells_share) * periphery;
}

double scratchpad_energy(MachineConstants const& m, Design const& d) {
    auto const& events = m.events;
    auto const size = scratchpad_sizes(m, d);
    if (d.scratchpad_banks == 0) return events.scratchpad_access.si * std::pow(size.all, events.scratchpad_exponent);
    double const exponent = size.bank < 1.0 ? events.small_bank_exponent : events.scratchpad_exponent;
    double const side = std::sqrt(macros_of(m, d).scratchpad_area.si * scratchpad_growth(m, d));
    // A bank on its own has no wires besides its array's; of many, each is a side of the macro away.
    double const way = side * (1.0 - 1.0 / std::sqrt(static_cast<double>(d.scratchpad_banks)));
    return events.scratchpad_access.si * std::pow(size.bank, exponent) + events.wire.si * way;
}

}  // namespace pimdse::models::cim_mesh
