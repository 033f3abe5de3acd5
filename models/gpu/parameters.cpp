#include "models/gpu/parameters.hpp"

#include "models/contract/common_parameters.hpp"
#include "models/contract/generation.hpp"
#include "models/contract/language_models.hpp"
#include "models/contract/parameter_table.hpp"

namespace pimdse::models::gpu {
namespace {

using Table = ParameterTable<Design, std::vector<sim::LanguageModel>>;

std::vector<std::string> texts(auto const& names) { return {names.begin(), names.end()}; }

void add_workload(Table& table) {
    table.row(or_own_model(choice("llm", language_model_names(), "llama-2-7b", "language model, a file of models/llm")),
              [](Design& d, Value const& v, auto const& models) { d.model = &models.at(v.as_choice()); });
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
    table.row<&Design::devices>(resource(count("devices", "1", 1, {1, 8}, "boards, by tensor parallelism")));
    table.row<&Design::link>(choice("link", {"nvlink", "pcie"}, "what joins several boards"));
    table.row<&Design::precision>(
        choice("weights", texts(precision_names), "format of weights and activations; fp8 where the device has it"));
    table.row<&Design::kv_cache>(choice("kv_cache", {"fp16", "8bit"}, "of keys and values"));
    table.row<&Design::power_limit>(quantity(
        "power_limit", "W", 0.0, {0.0, 2000.0},
        "most a board may draw: clock and voltage of the processor fall until it does; 0: what its data sheet says"));
    table.row<&Design::attained_share>(
        attained_share(as_measured, "0: what was measured of the device in this format (constants.toml, _share)"));
    table.row<&Design::layer_overhead>(layer_overhead(
        55 * 1e-6, "chosen on gpt-fast, Llama-2-7B on one A100 (2023): 9.53 ms a token, 7.77 ms of them weights"));
}

Table make_table() {
    Table table;
    add_workload(table);
    add_machine(table);
    return table;
}

}  // namespace

Parameters parameters() { return make_table().parameters(); }

Design read_design(Point point, std::vector<sim::LanguageModel> const& models) {
    static auto const table = make_table();
    return table.read(point, models);
}

}  // namespace pimdse::models::gpu
