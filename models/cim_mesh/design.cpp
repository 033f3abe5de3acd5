#include "models/cim_mesh/design.hpp"

#include "sim/base/counting.hpp"

namespace pimdse::models::cim_mesh {

Macros const& macros_of(MachineConstants const& machine, Design const& design) {
    return design.is_leap() ? machine.leap : machine.primal;
}

Design on_its_machine(MachineConstants const& machine, Design design) {
    if (!design.is_leap()) return design;
    auto const& own = machine.leap;
    auto const& published = machine.primal;
    design.mode = Mode::leap;
    design.lora_targets = {};
    design.gating = Gating::none;
    if (design.crossbar == sim::whole_part(published.crossbar)) design.crossbar = sim::whole_part(own.crossbar);
    for (auto* fifo : {&design.fifo_bytes, &design.macro_fifo_bytes})
        *fifo *= sim::whole_part(own.fifo / published.fifo);
    if (design.kv_pool == KvPool::layer && design.machine == Machine::leap_a) design.kv_pool = KvPool::attention;
    return design;
}

}  // namespace pimdse::models::cim_mesh
