#include "models/dplena/cycle.hpp"

#include "models/dplena/overlapped_machine.hpp"
#include "models/dplena/serial_machine.hpp"

namespace pimdse::models::dplena {

SamplingCost cycle_sampling(Program const& program, Hbm const& hbm) {
    return program.design().overlap == Overlap::none ? serial_timeline(program, hbm)
                                                     : overlapped_timeline(program, hbm);
}

Trace timeline_trace(Program const& program, MachineConstants const& machine, std::size_t most) {
    auto const tick = 1.0 / machine.silicon.frequency;
    return program.design().overlap == Overlap::none ? serial_trace(program, machine.hbm, tick, most)
                                                     : overlapped_trace(program, machine.hbm, tick, most);
}

}  // namespace pimdse::models::dplena
