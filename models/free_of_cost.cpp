#include "models/free_of_cost.hpp"

#include "sim/base/words.hpp"

#include <algorithm>
#include <array>

namespace pimdse::models {
namespace {

/// Programs, data layouts, settings, published products and idealisations: values that make a request faster without
/// more hardware. Parameters of hardware do not belong here.
constexpr std::array rows{
    FreeOfCost{
        "umdam", "baseline",
        "layouts and the choice of the unit that multiplies are software: all baselines are programs of one machine"},
    FreeOfCost{"umdam", "dram",
               "timing sets are devices, or interpretations of one device, each with its known energies"},
    FreeOfCost{"umdam", "mapping coll_bits", "the assignment of address bits is wiring of the same gates"},
    FreeOfCost{"umdam", "density", "a smaller die refreshes faster, but has less capacity"},
    FreeOfCost{"umdam", "row_bytes",
               "the same cells in longer or shorter rows; the energy of a row activation grows with the row"},
    FreeOfCost{"umdam", "scheduler", "another selection among the same queue entries"},
    FreeOfCost{"umdam", "loop_order", "the order of commands is part of a program"},
    FreeOfCost{"umdam", "double_buffer",
               "off: all of the same buffer holds one piece, so that fewer are loaded, but none while banks multiply"},
    FreeOfCost{"umdam", "activation",
               "one row or four within tFAW; more rows need a stronger supply, which costs area"},
    FreeOfCost{"umdam", "attention", "the unit with which a program reads the cache; both units exist"},
    FreeOfCost{"umdam", "prefill_unit decode_unit", "which of two existing units does the work"},
    FreeOfCost{"umdam", "staging", "a second copy of the model needs capacity, not hardware"},
    FreeOfCost{"umdam", "refresh", "'none' is an idealisation: no DRAM works without refresh"},
    FreeOfCost{"umdam", "row_pad tile_width tile_order", "a data layout"},
    FreeOfCost{"umdam", "weight_load", "whether the time to load a model belongs to the request"},
    FreeOfCost{
        "umdam", "concurrency",
        "exclusive, scheduled and partition are programs of the same machine; dual_row_buffer costs memory_area"},
    FreeOfCost{"umdam", "mac_command", "all banks or one bank: one bit of the command, for the same units"},
    FreeOfCost{"upmem", "tasklets", "threads of a program; the registers for the maximum exist"},
    FreeOfCost{"upmem", "streams", "how a program partitions its input"},
    FreeOfCost{"upmem", "dma_block", "how a program reads memory"},
    FreeOfCost{"upmem", "preset", "the source of the timing: an interpretation, not a machine"},
    FreeOfCost{"upmem", "transfer", "how a host program copies, and the measurement that is used for it"},
    FreeOfCost{"upmem", "joint", "how a host program copies"},
    FreeOfCost{"upmem", "loading", "what a host program sends again before a launch"},
    FreeOfCost{"upmem", "launch_path", "the driver of real systems, or the queue of a simulator"},
    FreeOfCost{"upmem", "reduction", "which existing processor a program adds with"},
    FreeOfCost{"upmem", "offload", "time that a host program spends between its calls"},
    FreeOfCost{"dplena", "mode", "performance and edge are programs; their SRAM is counted"},
    FreeOfCost{"dplena", "preload", "how a program groups sequences; their SRAM is counted"},
    FreeOfCost{"dplena", "mx_block", "a number format: larger blocks cost accuracy"},
    FreeOfCost{"dplena", "hbm_bus", "compat is a fault of the reference simulator, kept for its rows"},
    FreeOfCost{"dplena", "refresh", "'off' is an idealisation of the reference rows: no DRAM works without refresh"},
    FreeOfCost{"dplena", "overlap", "the order of instructions and fetches; the units for it exist or are counted"},
    FreeOfCost{"dplena", "instruction_latency", "two published sets of times of the same instructions"},
    FreeOfCost{"dplena", "passes", "one or two passes over the logits: a program"},
    FreeOfCost{"dplena", "softmax", "plain softmax and Stable-Max are programs of the same instructions"},
    FreeOfCost{"dplena", "sampler", "the host is another machine, whose area is not counted"},
    FreeOfCost{"cim_mesh", "kv_pool", "the placement of keys and values on routers"},
    FreeOfCost{"cim_mesh", "placement", "the placement of weights on crossbars"},
    FreeOfCost{"cim_mesh", "hubs", "at which router the vectors of a group meet: a program of the same routers"},
    FreeOfCost{"cim_mesh", "attention_order ffn_order band_height tile_order shape attention_rows up_rows down_rows",
               "part of a placement"},
    FreeOfCost{"cim_mesh", "context_tile", "how many queries a program keeps in the existing scratchpad"},
    FreeOfCost{"cim_mesh", "scores", "how long a program keeps scores in the existing scratchpad"},
    FreeOfCost{"cim_mesh", "key_reuse", "which queries use a passing key: a program of the same routers"},
    FreeOfCost{
        "cim_mesh", "crossbar",
        "fewer and larger arrays share their converters; the voltage drop along wires and the resolution of cells, "
        "which limit their size, are not modelled"},
    FreeOfCost{"cim_mesh", "adc_bits", "a number format: fewer bits round every sum, which costs accuracy"},
    FreeOfCost{"cim_mesh", "weight_load", "whether the time to program the cells belongs to the request"},
    FreeOfCost{"cim_mesh", "activations", "whether activations are counted besides the fitted times that contain them"},
    FreeOfCost{"cim_mesh", "mode", "two published designs, each with its own macros"},
    FreeOfCost{"cim_mesh", "machine", "presets of published machines, each with its own macros"},
    FreeOfCost{"gpu", "power_limit", "a setting of the board: its savings or costs are part of the energy"},
    FreeOfCost{"dplena", "model_bandwidth", "it only limits the bandwidth of existing channels"},
    FreeOfCost{"umdam upmem dplena cim_mesh gpu", "attained_share layer_overhead", "a property of programs"},
    FreeOfCost{"cim_mesh", "devices",
               "a mesh is as large as its part of the model: several have the silicon of one, and shorter routes"},
    FreeOfCost{"", "tensor_parallel pipeline_parallel expert_parallel",
               "how programs divide a model among the devices"},
    FreeOfCost{"", "data_parallel micro_batches", "how programs divide requests among the devices"},
    FreeOfCost{"", "link stage_link link_bandwidth link_latency link_topology",
               "wires, bridges and switches between devices have energy, but no area in the model"},
};

bool is_among(std::string_view name, std::string_view names) {
    auto const all = sim::split(names, ' ');
    return std::ranges::find(all, name) != all.end();
}

}  // namespace

std::span<FreeOfCost const> parameters_free_of_cost() { return rows; }

std::string_view free_because(std::string_view architecture, std::string_view parameter) {
    auto const all = parameters_free_of_cost();
    auto const found = std::ranges::find_if(all, [&](FreeOfCost const& row) {
        return is_among(parameter, row.parameters) &&
               (row.architectures.empty() || is_among(architecture, row.architectures));
    });
    return found == all.end() ? "" : found->because;
}

}  // namespace pimdse::models
