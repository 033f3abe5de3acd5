#include "models/free_of_cost.hpp"

#include <algorithm>
#include <array>

namespace pimdse::models {
namespace {

/// Programs, data layouts, settings, published products and idealisations: what is faster by them needs no more
/// hardware. Parameters of hardware do not belong here.
constexpr std::array rows{
    FreeOfCost{"umdam", "baseline",
               "layouts are software, and so is who multiplies: all baselines are programs of one machine"},
    FreeOfCost{"umdam", "dram",
               "timing sets are devices or readings of one, each with the energies that are known of it"},
    FreeOfCost{"umdam", "mapping", "which address bit selects what is wiring of the same gates"},
    FreeOfCost{"umdam", "coll_bits", "which address bit selects what is wiring of the same gates"},
    FreeOfCost{"umdam", "density", "a smaller die refreshes sooner; what is given up is capacity"},
    FreeOfCost{"umdam", "row_bytes",
               "the same cells in longer or shorter rows; what a row takes to open grows with it"},
    FreeOfCost{"umdam", "scheduler", "another choice among the same queue entries"},
    FreeOfCost{"umdam", "loop_order", "the order of commands is a program"},
    FreeOfCost{"umdam", "activation", "one row or four within a tFAW; more, which need more supply, cost area"},
    FreeOfCost{"umdam", "attention", "where a program reads the cache; both units are there"},
    FreeOfCost{"umdam", "prefill_unit", "which of two units that are there does the work"},
    FreeOfCost{"umdam", "decode_unit", "which of two units that are there does the work"},
    FreeOfCost{"umdam", "staging", "a second copy of the model takes capacity"},
    FreeOfCost{"umdam", "refresh", "none is an idealisation: no such DRAM exists"},
    FreeOfCost{"umdam", "row_pad", "a data layout"},
    FreeOfCost{"umdam", "concurrency",
               "exclusive and partition are programs of the same machine; dual_row_buffer costs memory_area"},
    FreeOfCost{"umdam", "mac_command", "all banks or one: a bit of the command, for the same units"},
    FreeOfCost{"upmem", "tasklets", "threads of a program; the registers of all of them are built"},
    FreeOfCost{"upmem", "streams", "how a program cuts its input"},
    FreeOfCost{"upmem", "dma_block", "how a program reads memory"},
    FreeOfCost{"upmem", "preset", "whose timing is believed: a reading, no machine"},
    FreeOfCost{"upmem", "transfer", "how a host program copies, and whose measurement of it is believed"},
    FreeOfCost{"upmem", "joint", "how a host program copies"},
    FreeOfCost{"upmem", "lock", "none and exclusive are rules of the same memory; double_bank costs memory_area"},
    FreeOfCost{"upmem", "offload", "time of a host program between its calls"},
    FreeOfCost{"dplena", "mode", "performance and edge are programs; their SRAM is counted"},
    FreeOfCost{"dplena", "preload", "how a program groups sequences; their SRAM is counted"},
    FreeOfCost{"dplena", "v_chunk", "how a program cuts the vocabulary; its SRAM is counted"},
    FreeOfCost{"dplena", "addressing", "how data lie in memory"},
    FreeOfCost{"dplena", "mx_block", "a number format: larger blocks cost accuracy"},
    FreeOfCost{"dplena", "step_logits", "how data lie in memory"},
    FreeOfCost{"dplena", "hbm_bus", "compat is a fault of the reference simulator, kept for its rows"},
    FreeOfCost{"dplena", "refresh", "off is an idealisation of the reference rows: no such DRAM exists"},
    FreeOfCost{"dplena", "overlap", "the order of instructions and fetches; units for it are built or counted"},
    FreeOfCost{"dplena", "passes", "one pass or two over the logits is a program"},
    FreeOfCost{"cim_mesh", "kv_pool", "which routers keep keys and values is a placement"},
    FreeOfCost{"cim_mesh", "placement", "which crossbar holds which weights is a placement"},
    FreeOfCost{"cim_mesh", "attention_order", "part of a placement"},
    FreeOfCost{"cim_mesh", "ffn_order", "part of a placement"},
    FreeOfCost{"cim_mesh", "band_height", "part of a placement"},
    FreeOfCost{"cim_mesh", "tile_order", "part of a placement"},
    FreeOfCost{"cim_mesh", "shape", "part of a placement"},
    FreeOfCost{"cim_mesh", "attention_rows", "part of a placement"},
    FreeOfCost{"cim_mesh", "up_rows", "part of a placement"},
    FreeOfCost{"cim_mesh", "down_rows", "part of a placement"},
    FreeOfCost{"cim_mesh", "context_tile", "how many queries a program keeps in the scratchpad that is there"},
    FreeOfCost{"cim_mesh", "key_reuse", "which queries meet a key that passes is a program of the same routers"},
    FreeOfCost{"cim_mesh", "crossbar",
               "fewer and larger arrays share their converters; what limits their size, the drop along wires and cells "
               "that cannot be told apart, is not modelled"},
    FreeOfCost{"cim_mesh", "mode", "two published designs, each with its own macros"},
    FreeOfCost{"cim_mesh", "machine", "presets of published machines, each with its own macros"},
    FreeOfCost{"gpu", "device", "products, each with its own data sheet"},
    FreeOfCost{"gpu", "power_limit", "a setting of the board: what it saves or costs is in its energy"},
    FreeOfCost{"dplena", "model_bandwidth", "it limits a bandwidth that the channels have"},
    FreeOfCost{"gpu", "link", "every board has both; the bridge or the switches that join boards are not counted"},
    FreeOfCost{"umdam", "attained_share", "a property of programs"},
    FreeOfCost{"umdam", "layer_overhead", "a property of programs"},
    FreeOfCost{"upmem", "attained_share", "a property of programs"},
    FreeOfCost{"upmem", "layer_overhead", "a property of programs"},
    FreeOfCost{"dplena", "attained_share", "a property of programs"},
    FreeOfCost{"dplena", "layer_overhead", "a property of programs"},
    FreeOfCost{"cim_mesh", "attained_share", "a property of programs"},
    FreeOfCost{"cim_mesh", "layer_overhead", "a property of programs"},
    FreeOfCost{"gpu", "attained_share", "a property of programs"},
    FreeOfCost{"gpu", "layer_overhead", "a property of programs"},
};

}  // namespace

std::span<FreeOfCost const> parameters_free_of_cost() { return rows; }

std::string_view free_because(std::string_view architecture, std::string_view parameter) {
    auto const all = parameters_free_of_cost();
    auto const found = std::ranges::find_if(
        all, [&](auto const& row) { return row.architecture == architecture && row.parameter == parameter; });
    return found == all.end() ? "" : found->because;
}

}  // namespace pimdse::models
