#include "sim/pim/bank_work.hpp"

#pragma once

namespace pimdse::sim::pim::test {

/// The paper's PIM: a burst per bank every 4 ns, nothing staggered, no refresh.
inline PimTiming paper_pim_timing() {
    PimTiming t;
    t.mac_interval = 3.2;
    t.activate_to_mac = 15;
    t.nRAS = 34;
    t.nRP = 15;
    t.nRTP = 4;
    t.buffer_write = 4;
    t.clock = 1.25e-9;
    return t;
}

}  // namespace pimdse::sim::pim::test
