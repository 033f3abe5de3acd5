#pragma once

#include "models/umdam/written_mapping.hpp"
#include "sim/dram/standard.hpp"
#include "tests/unit/sim/pim/paper_timing.hpp"

namespace pimdse::models::umdam::testing {

/// The machine of the paper: 4 channels of 16 banks with 2 KiB rows.
inline Organisation paper_organisation() {
    Organisation o;
    o.channels = 4;
    o.ranks = 1;
    o.bank_groups = 4;
    o.banks = 4;
    o.rows = 32768;
    o.row_bytes = 2048;
    o.burst_bytes = 32;
    return o;
}

/// The timing the PIM equations are checked with: 800 MHz command clock.
inline sim::dram::Standard paper_standard() {
    sim::dram::Standard s;
    s.name = "paper";
    s.organisation = paper_organisation();
    s.clock = sim::Time{1.25e-9};
    auto& t = s.timing;
    t.nBL = t.nBLmax = t.nCCDS = t.nCCDL = 2;
    t.nCL = 20;
    t.nCWL = 11;
    t.nRCDRD = t.nRCDWR = t.nRP = 15;
    t.nRAS = 34;
    t.nRC = 49;
    t.nRTP = 4;
    t.nWR = 28;
    t.nRRDS = t.nRRDL = 4;
    t.nFAW = 16;
    t.nRFC = 224;
    t.nREFI = 3125;
    return s;
}

using sim::pim::test::paper_pim_timing;

}  // namespace pimdse::models::umdam::testing
