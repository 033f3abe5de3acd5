#include "models/umdam/pim_timing.hpp"

#include <algorithm>

namespace pimdse::models::umdam {

sim::pim::PimTiming pim_timing(Design const& design, sim::dram::Standard const& dram, PimConstants const& constants) {
    sim::pim::PimTiming timing;
    timing.clock = dram.clock.si;
    timing.mac_interval = design.mac_interval / dram.clock.si;
    // the command bus of a channel carries one command a cycle
    if (design.mac_command == MacCommand::single)
        timing.mac_interval = std::max<double>(timing.mac_interval, dram.organisation.banks_per_channel());
    timing.activate_to_mac = dram.timing.nRCDRD + constants.extra_activate_to_mac.si / dram.clock.si;
    timing.nRAS = dram.timing.nRAS;
    timing.nRP = dram.timing.nRP;
    timing.nRTP = constants.read_to_precharge;
    timing.buffer_write = constants.buffer_write_cycles;
    timing.double_buffer = design.double_buffer;
    double const banks = dram.organisation.banks_per_rank();
    if (design.activation == Activation::four)
        timing.stagger = std::max(0.0, banks / sim::dram::activations_per_window - 1) * dram.timing.nFAW;
    if (design.activation == Activation::single)
        timing.stagger = (banks - 1) * std::max<double>(dram.timing.nRRDS,
                                                        1.0 * dram.timing.nFAW / sim::dram::activations_per_window);
    if (design.refresh == DramRefresh::all_bank) timing.refresh_share = refresh_share(dram);
    return timing;
}

}  // namespace pimdse::models::umdam
