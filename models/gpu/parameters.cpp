#include "models/gpu/parameters.hpp"

#include "models/contract/common_parameters.hpp"
#include "models/contract/parameter_table.hpp"
#include "models/gpu/pass.hpp"
#include "models/llm/generation.hpp"
#include "models/llm/language_models.hpp"
#include "models/llm/speculation.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace pimdse::models::gpu {
namespace {

using Table = ParameterTable<Design, Prepared>;

std::vector<std::string> texts(auto const& names) { return {names.begin(), names.end()}; }

void add_workload(Table& table) {
    table.row(or_own_model(choice("llm", language_model_names(), "llama-2-7b", "language model, a file of models/llm")),
              [](Design& d, Value const& v, Prepared const& p) { d.model = &p.models.at(v.as_choice()); });
    table.row<&Design::input>(also_called(count("input", "tokens", 512, {1, 1 << 20}, "prompt length"), "prefill"));
    table.row<&Design::output>(also_called(count("output", "tokens", 128, {1, 1 << 20}, "generated tokens"), "decode"));
    table.row<&Design::batch>(count("batch", "1", 1, {1, 4096}, "independent requests served together"));
    table.row<&Design::generation>(generation_row("a pass per token"));
    table.row<&Design::steps>(steps_row());
    table.row<&Design::block_length>(block_length_row());
    table.row<&Design::cache>(model_cache_row());
}

void add_machine(Table& table) {
    table.row<&Design::device>(
        choice("device", texts(device_names), "a100: SXM, 80 GB; h100: SXM5, 80 GB; rtx_a6000: 48 GB"));
    table.row<&Design::devices>(
        resource(count("devices", "1", 1, {1, 8}, "number of boards, with tensor parallelism")));
    table.row<&Design::link>(choice("link", {"nvlink", "pcie"}, "link between several boards"));
    table.row<&Design::precision>(choice("weights", texts(precision_names),
                                         "format of weights and activations; fp8 only on devices that have it"));
    table.row<&Design::kv_cache>(choice("kv_cache", {"fp16", "8bit"}, "format of keys and values"));
    table.row<&Design::power_limit>(quantity(
        "power_limit", "W", 0.0, {0.0, 2000.0},
        "power limit of a board: clock and voltage of the processor fall to meet it; 0: limit of its data sheet"));
    table.row<&Design::attained_share>(
        attained_share(as_measured, "0: measured share of the device in this format (constants.toml, _share)"));
    table.row<&Design::layer_overhead>(layer_overhead(
        55 * 1e-6,
        "fitted to gpt-fast, Llama-2-7B on one A100 (2023): 9.53 ms per token, of which 7.77 ms are weights"));
}

void add_speculation(Table& table) {
    table.row(draft_row(),
              [](Design& d, Value const& v, Prepared const&) { d.speculation = {.draft = v.as_integer()}; });
    table.row(acceptance_row(),
              [](Design& d, Value const& v, Prepared const&) { assign(d.speculation.acceptance, v); });
    table.row(draft_llm_row(), [](Design& d, Value const& v, Prepared const& p) {
        d.speculation.draft_model = v.as_choice() == 0 ? nullptr : &p.drafts.at(v.as_choice());
    });
}

Table make_table() {
    Table table;
    add_workload(table);
    add_machine(table);
    add_speculation(table);
    return table;
}

}  // namespace

Parameters parameters() { return make_table().parameters(); }

Design read_design(Point point, Prepared const& prepared) {
    static auto const table = make_table();
    return table.read(point, prepared);
}

namespace {

using Rule = std::optional<Infeasible>;

Rule board_rules(Design const& d, BoardConstants const& board) {
    auto const name = device_names[d.device];
    auto const format = static_cast<std::size_t>(d.precision);
    if (board.peak[format].si == 0.0)
        return Infeasible{"weights", fmt::format("{} does not compute in {}", name, precision_names[format])};
    if (d.power_limit != 0.0 && (d.power_limit < board.min_power.si || d.power_limit > board.max_power.si)) {
        return Infeasible{"power_limit", fmt::format("a limit of {} W is not between the {} W and the {} W of {}",
                                                     d.power_limit, board.min_power.si, board.max_power.si, name)};
    }
    return std::nullopt;
}

/// Limits the power of a memory package at the attained bandwidth.
Rule package_rule(Design const& d, BoardConstants const& board) {
    double const watts =
        (board.memory_array + board.memory_pins).si * board.bandwidth.si * board.bandwidth_share / board.packages;
    if (watts <= board.package_limit.si) return std::nullopt;
    return Infeasible{"package_power", fmt::format("a memory package of {} draws {:.3g} W at full rate, more than the "
                                                   "{:.3g} W that it may",
                                                   device_names[d.device], watts, board.package_limit.si)};
}

Rule link_rules(Design const& d, BoardConstants const& board) {
    if (d.model->heads % d.devices != 0) {
        return Infeasible{"tensor_parallel", fmt::format("{} boards do not divide the {} heads of {}", d.devices,
                                                         d.model->heads, d.model->name)};
    }
    if (d.link == Link::nvlink && d.devices > board.nvlink_devices) {
        return Infeasible{"nvlink", fmt::format("NVLink joins {} boards of {} at most, not {} (link = pcie joins them)",
                                                board.nvlink_devices, device_names[d.device], d.devices)};
    }
    return std::nullopt;
}

Rule capacity_rule(Design const& d, MachineConstants const& machine) {
    auto const needed = board_footprint(d, machine);
    auto const has = machine.boards[d.device].memory * machine.memory_share;
    if (needed <= has) return std::nullopt;
    return Infeasible{"memory", fmt::format("weights, keys and values take {} of {}, a board of {} has {} for them",
                                            sim::print_quantity(needed.si, "B"),
                                            d.devices == 1 ? "the board" : fmt::format("each of {} boards", d.devices),
                                            device_names[d.device], sim::print_quantity(has.si, "B"))};
}

}  // namespace

Rule broken_rule(Design const& d, MachineConstants const& machine) {
    auto const& board = machine.boards[d.device];
    bool const by_diffusion = d.generation == Generation::diffusion;
    if (auto rule = broken_generation({*d.model, by_diffusion, d.input, d.output, d.block_length})) return rule;
    if (auto rule = board_rules(d, board)) return rule;
    if (auto rule = package_rule(d, board)) return rule;
    if (auto rule = link_rules(d, board)) return rule;
    if (auto rule = broken_speculation(d.speculation, by_diffusion, d.input, d.output)) return rule;
    if (d.speculation.has_model())
        if (auto rule = link_rules(of_draft(d), board)) return rule;
    return capacity_rule(d, machine);
}

}  // namespace pimdse::models::gpu
