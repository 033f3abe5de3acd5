#include "models/umdam/constants.hpp"

#include <cmath>
#include <initializer_list>

namespace pimdse::models::umdam {
namespace {

/// The sum over the rails of a die.
sim::Power rails(Constants const& c, std::initializer_list<char const*> names) {
    sim::Power sum;
    for (auto const* name : names) sum += c.get<sim::Power>(name);
    return sum;
}

ConstantRules counted_constants() {
    constexpr double max = 1'000'000;
    return together(
        {whole_numbers({"cube_edge", "cube_byte_inputs"}, 1, 4096, "a matrix unit multiplies whole blocks"),
         whole_numbers({"chips", "vector_lanes", "first_level_fill", "results_per_burst", "package_channels"}, 1.0, max,
                       "they are counts"),
         whole_numbers({"mode_switch", "mac_read_to_precharge", "global_buffer_write"}, 1.0, max,
                       "a channel counts whole cycles"),
         whole_numbers({"element_bytes"}, 1, 16, "an element consists of whole bytes"),
         whole_numbers({"huge_page", "relayout_chunk"}, 4096, 0x1p40, "they are whole numbers of bytes")});
}

/// Energy increases and power decreases with time. So no power may be negative, and a waiting unit may not draw more
/// than a working one.
ConstantRules power_constants() {
    auto const idle = [](ConstantValues const& v) { return v("idd2n_vdd2h") + v("idd2n_vdd1"); };
    return together(
        {shares({"waiting_share", "pim_waiting_share", "second_row_buffer", "pim_voltage_floor", "pim_clocked_area",
                 "package_pin_share"},
                "it is a fraction"),
         efficiencies({"sram_efficiency", "fused_efficiency"}, "it is a fraction"),
         ascending({"idd2n_vdd2h", "idd5_vdd2h"}, "a refreshing die draws at least as much as an idle one"),
         ascending({"pim_vector_multiply", "pim_multiply"},
                   "the energy of one vector is part of the energy of a multiplication"),
         ascending({"cube_first_level", "cube_local_memory"}, "the first level is one of the local memories"),
         ascending({"pim_clock_lowest", "pim_clock_highest"}, "they are the ends of a range"),
         {{"idd2p_vdd2h <= idd2n_vdd2h + idd2n_vdd1",
           {"idd2p_vdd2h", "idd2n_vdd2h", "idd2n_vdd1"},
           "a powered-down die draws at most as much as an idle one",
           [idle](ConstantValues const& v) { return v("idd2p_vdd2h") <= idle(v); }},
          {"idd2n_vdd2h + idd2n_vdd1 <= idd3n_vdd2h + idd3n_vdd1 + idd3n_vddq",
           {"idd2n_vdd2h", "idd2n_vdd1", "idd3n_vdd2h", "idd3n_vdd1", "idd3n_vddq"},
           "a die with an open row draws at least as much as an idle one",
           [idle](ConstantValues const& v) { return idle(v) <= v("idd3n_vdd2h") + v("idd3n_vdd1") + v("idd3n_vddq"); }},
          {"sram_local < sram_small",
           {"sram_local", "sram_small"},
           "the access energy lies on a power law through two different sizes",
           [](ConstantValues const& v) { return v("sram_local") < v("sram_small"); }},
          {"sram_small < sram_large",
           {"sram_small", "sram_large"},
           "the access energy lies on a power law through two different sizes",
           [](ConstantValues const& v) { return v("sram_small") < v("sram_large"); }}}});
}

}  // namespace

sim::EnergyPerByte SramConstants::access(sim::Data size) const {
    auto const between = [size](sim::Data from, sim::EnergyPerByte at, sim::Data to, sim::EnergyPerByte then) {
        double const exponent = std::log(then / at) / std::log(to / from);
        return at * std::pow(size / from, exponent);
    };
    if (size <= local) return local_access;
    if (size <= small) return between(local, local_access, small, small_access);
    if (size <= large) return between(small, small_access, large, large_access);
    return large_access * std::pow(size / large, growth);
}

MachineConstants MachineConstants::from(Constants const& c) {
    MachineConstants all{c};
    auto& m = all.static_power;
    m.open = rails(c, {"idd3n_vdd2h", "idd3n_vdd1", "idd3n_vddq"});
    m.powered_down = rails(c, {"idd2p_vdd2h"});
    m.refreshing = c.get<sim::Power>("idd5_vdd2h") - c.get<sim::Power>("idd2n_vdd2h");
    return all;
}

ConstantRules constant_rules() { return together({counted_constants(), power_constants()}); }

}  // namespace pimdse::models::umdam
