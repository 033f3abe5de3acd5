#include "models/gpu/parameters.hpp"

#include "models/contract/common_parameters.hpp"
#include "models/contract/parameter_table.hpp"
#include "models/gpu/pass.hpp"
#include "models/llm/generation.hpp"
#include "models/llm/language_models.hpp"
#include "models/llm/speculation.hpp"
#include "models/llm/weight_format.hpp"
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
    table.row<&Design::device>(choice("device", texts(device_names),
                                      "a100: SXM, 80 GB; h100: SXM5, 80 GB; rtx_a6000: 48 GB; rtx_4090: 24 GB; "
                                      "rtx_pro_6000: Blackwell Server Edition, 96 GB"));
    table.row(choice("weights", {std::string(as_model_says), "fp16", "int8", "fp8"},
                     "format of weights and activations; model: that of the model's file, fp16 if it names none, "
                     "with products in fp8 or fp16; fp8 only on devices that have it"),
              [](Design& d, Value const& v, auto const&) {
                  d.follows_file = v.as_choice() == 0;
                  d.precision = d.follows_file ? Precision::fp16 : static_cast<Precision>(v.as_choice() - 1);
              });
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

namespace {

/// The format in which boards that have fp8 multiply.
bool is_fp8(WeightFormat const& format) { return format.bits == 8 && format.floating; }

}  // namespace

Design read_design(Point point, Prepared const& prepared) {
    static auto const table = make_table();
    auto d = table.read(point, prepared);
    if (!d.follows_file) return d;
    auto const& format = d.model->weight_format;
    auto const& peaks = prepared.machine.boards[d.device].peak;
    if (is_fp8(format) && peaks[static_cast<std::size_t>(Precision::fp8)].si > 0.0) d.precision = Precision::fp8;
    return d;
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

Rule capacity_rule(Design const& d, MachineConstants const& machine) {
    auto const needed = footprint(d, machine);
    auto const has = machine.boards[d.device].memory * machine.memory_share;
    if (needed <= has) return std::nullopt;
    return Infeasible{
        "memory",
        fmt::format("weights, keys and values take {} of the board, a board of {} has {} for them",
                    sim::print_quantity(needed.si, "B"), device_names[d.device], sim::print_quantity(has.si, "B"))};
}

}  // namespace

Rule broken_rule(Design const& d, MachineConstants const& machine) {
    auto const& board = machine.boards[d.device];
    bool const by_diffusion = d.generation == Generation::diffusion;
    if (auto rule = broken_generation({*d.model, by_diffusion, d.input, d.output, d.block_length})) return rule;
    if (auto rule = board_rules(d, board)) return rule;
    if (auto rule = package_rule(d, board)) return rule;
    if (auto rule = broken_speculation(d.speculation, by_diffusion, d.input, d.output)) return rule;
    return capacity_rule(d, machine);
}

}  // namespace pimdse::models::gpu
