#include "models/upmem/report.hpp"

namespace pimdse::models::upmem {

MetricTable metrics() {
    return {
        {"kernel_cycles", "cycles", "DPU cycles of all launches, busiest DPU, without launch cost"},
        {"kernel_time", "s", "all launches: their cycles, and with the hardware preset the launch cost"},
        {"input_time", "s", "all transfers to the DPUs, overlapped or not"},
        {"output_time", "s", "all transfers from the DPUs"},
        {"launch_time", "s", "the launch cost contained in kernel_time"},
        {"total_time", "s", "from the first byte sent to the last byte received"},
        {"stream_speedup", "1", "time of one stream over time of all streams, input and compute only", Sense::maximize},
        {"stream_speedup_total", "1", "the same with the output counted", Sense::maximize},
        {"transfer_share", "1", "input and output over input, output and kernel time"},
        {"overlap_share", "1", "time saved by overlap over the shorter of input and kernel time", Sense::maximize},
        {"issue_utilisation", "1", "cycles in which an instruction issues over kernel cycles", Sense::maximize},
        {"dma_utilisation", "1", "cycles in which the MRAM server is busy over kernel cycles", Sense::maximize},
        {"latency", "s", "total_time"},
        {"energy", "J", "DPUs, MRAM and the host during transfers", Sense::minimize, true},
        {"power", "W", "energy over latency", Sense::minimize, true},
        {"footprint", "B", "MRAM that the data occupies in all DPUs"},
        {"mram_per_dpu", "B", "MRAM that the data occupies in the fullest DPU"},
        {"sram", "B", "WRAM, IRAM and registers of all DPUs used: the stand-in for area, which is not published"},
        {"banks", "1", "MRAM banks of all DPUs used"},
        {"instructions", "1", "cycles in which an instruction issued, all launches; cycle fidelity only", Sense::none},
        {"idle_dma", "cycles", "nobody could issue and a tasklet waited for MRAM; cycle fidelity only", Sense::none},
        {"idle_other", "cycles", "nobody could issue for another reason; cycle fidelity only", Sense::none},
        {"back_pressure", "cycles", "the pipeline refused to issue; cycle fidelity only", Sense::none},
        {"hazard_cycles", "cycles", "extra cycles of register conflicts; cycle fidelity only", Sense::none},
    };
}

}  // namespace pimdse::models::upmem
