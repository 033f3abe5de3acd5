#include "models/cim_mesh/parameters.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/macros.hpp"
#include "models/cim_mesh/layer/serial_layer.hpp"
#include "models/contract/parameter_table.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "models/llm/layer_support.hpp"
#include "models/text/parameter_reader.hpp"
#include "sim/base/counting.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/words.hpp"
#include "sim/noc/mesh.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {
namespace {

std::vector<std::string> const matrix_names{"q", "k", "v", "o", "gate", "up", "down"};

/// What is wrong with a text that `parse` refuses; "" if it does not.
template <class Parse>
std::string mistake_in(std::string const& text, Parse const& parse) {
    try {
        (void)parse(text);
        return "";
    } catch (sim::InputError const& error) {
        return error.what();
    }
}

/// "q+v" -> {"q", "v"}; throws InputError for a name that is not a matrix or occurs twice.
std::vector<std::string> parse_targets(std::string_view text) {
    if (text == "none") return {};
    if (text == "all") return matrix_names;
    std::vector<std::string> targets;
    for (auto const& name : sim::split(text, '+')) {
        if (std::ranges::find(matrix_names, name) == matrix_names.end())
            throw sim::InputError(
                fmt::format("'{}' is not a matrix of a layer.{}", name, sim::suggestion(name, matrix_names)));
        if (std::ranges::find(targets, name) != targets.end())
            throw sim::InputError(fmt::format("'{}' occurs twice", name));
        targets.emplace_back(name);
    }
    return targets;
}

Parameter lora_targets(Parameter p) {
    p.accepts = [](std::string const& text) {
        auto const mistake = mistake_in(text, parse_targets);
        return mistake.empty() ? mistake : "write none, all, or matrices joined by +: " + mistake;
    };
    return p;
}

std::vector<std::string> const attention_names{"q", "k", "v", "o"};

/// "q-k-v-o" in any order, as positions of q, k, v, o; throws InputError.
std::array<std::size_t, 4> parse_order(std::string_view text) {
    std::array<std::size_t, 4> order{};
    auto const names = sim::split(text, '-');
    for (std::size_t i = 0; i < order.size(); ++i) {
        auto const at = i < names.size() ? std::ranges::find(attention_names, names[i]) : attention_names.end();
        if (names.size() != order.size() || at == attention_names.end())
            throw sim::InputError(fmt::format("'{}' is not an order of q, k, v, o (write q-k-v-o)", text));
        if (std::ranges::count(names, names[i]) > 1) throw sim::InputError(fmt::format("{} occurs twice", *at));
        order[i] = static_cast<std::size_t>(at - attention_names.begin());
    }
    return order;
}

Parameter attention_order(Parameter p) {
    p.items = attention_names;
    p.accepts = [](std::string const& text) { return mistake_in(text, parse_order); };
    return p;
}

using Table = ParameterTable<Design, Bindings>;

/// What the keys set.
Table make_table() {
    text::KeyFile const keys(data_directory() / "models" / "cim_mesh" / "keys.toml");
    Table table;
    table.rows<&Design::machine, &Design::mode, &Design::lm_head, &Design::lora_rank, &Design::adapter_every,
               &Design::weight_load>(keys);
    table.row(lora_targets(keys["lora_targets"]), [](Design& d, Value const& v, Bindings const& bindings) {
        d.lora_targets = bindings.targets.at(v.as_choice());
    });
    table.rows<&Design::schedule, &Design::mesh_rows, &Design::mesh_cols, &Design::crossbar, &Design::link_bits,
               &Design::fifo_bytes, &Design::dmacs, &Design::scratchpad, &Design::scratchpad_banks, &Design::frequency,
               &Design::parallel_columns, &Design::adc_bits, &Design::softmax_rate, &Design::macro_port_bits,
               &Design::macro_fifo_bytes, &Design::die_link_bits, &Design::kv_pool, &Design::scores,
               &Design::activations, &Design::key_reuse, &Design::controller, &Design::gating,
               &Design::dynamic_products, &Design::placement, &Design::hubs, &Design::smac_cycles,
               &Design::context_tile, &Design::attained_share, &Design::layer_overhead>(keys);
    table.row(attention_order(keys["attention_order"]), [](Design& d, Value const& v, Bindings const& bindings) {
        d.attention_order =
            v.kind() == Kind::permutation
                ? parse_order(fmt::format("{}", fmt::join(permutation(attention_names, v.as_permutation()), "-")))
                : bindings.attention_orders.at(v.as_choice());
    });
    table.rows<&Design::ffn_order, &Design::band_height, &Design::tile_order, &Design::shape, &Design::attention_rows,
               &Design::up_rows, &Design::down_rows>(keys);
    return table;
}

Table const& table() {
    static auto const made = make_table();
    return made;
}

constexpr std::int64_t min_bank_bytes = 256;  // the smallest scratchpad

/// Models whose layers this machine does not have.
std::optional<Infeasible> check_layers(Design const& d) {
    auto const& model = *d.model;
    if (auto broken = unserved_layers(model, "cim_mesh", {})) return broken;
    if (model.kv_rank > 0)
        return infeasible("latent_attention",
                          "{} has latent attention, and its keys and values would have to be expanded from the cached "
                          "vectors for every query (routers multiply the keys that they hold)",
                          model.name);
    if (is_windowed(d) && d.diffuses())
        return infeasible("window",
                          "layers of {} attend to {} positions, and the request has {} (all positions of a denoising "
                          "step attend to each other on this machine)",
                          model.name, model.window, d.longest_context());
    return std::nullopt;
}

std::optional<Infeasible> check_speculation(Design const& d) {
    if (auto broken = broken_speculation(d.speculation, d.diffuses(), d.input, d.output)) return broken;
    if (!d.speculation.has_model()) return std::nullopt;
    return infeasible(
        "draft_llm",
        "the crossbars hold the weights of one model, so that {} would need a mesh of its own (use draft_llm = none)",
        d.speculation.draft_model->name);
}

std::optional<Infeasible> check_request(Design const& d) {
    if (auto broken = check_layers(d)) return broken;
    if (auto broken = broken_generation(d)) return broken;
    if (auto broken = check_speculation(d)) return broken;
    if (d.is_leap() && d.batch > max_on_leap)
        return infeasible("batch", "{} requests at a time, LEAP's machines take {}", d.batch, max_on_leap);
    if (!d.lora_targets.empty() && d.adapter_every > 0 && d.adapter_every < d.batch)
        return infeasible("adapter_every",
                          "{} requests are in the layers together and use the same adapters, but adapter_every = {} "
                          "replaces them sooner (use adapter_every = {}, or 0)",
                          d.batch, d.adapter_every, d.batch);
    return std::nullopt;
}

std::optional<Infeasible> check_cache(Design const& d, KvCache const& cache) {
    std::int64_t const context = max_keys(d, d.longest_context());
    auto const needed = cache.needed_by_all(context);
    auto const scores = cache.needed_for_scores(context);
    if (needed + scores <= cache.capacity()) return std::nullopt;
    if (scores > 0)
        return infeasible("kv_pool",
                          "{} slots of {} B for the scores of {} keys and {} for keys and values are more than {} "
                          "routers of {} slots have (use a larger scratchpad)",
                          scores, cache.slot_bytes(), context, needed, cache.routers(), cache.slots_per_router());
    return infeasible(
        "kv_pool", "{} x {} tokens need {} slots of {} B for keys and values, {} routers of {} slots have {}", d.batch,
        context, needed, cache.slot_bytes(), cache.routers(), cache.slots_per_router(), cache.capacity());
}

std::optional<Infeasible> check_pair(MachineConstants const& machine, Design const& d) {
    if (!machine.supply.allows(sim::Frequency{d.frequency}))
        return infeasible("clock", "{} is not between {} and {}, for which a voltage is known",
                          sim::print_quantity(d.frequency, "Hz"), sim::print_quantity(machine.supply.lowest.si, "Hz"),
                          sim::print_quantity(machine.supply.highest.si, "Hz"));
    if (d.fifo_flits() < 2)
        return infeasible("fifo", "a FIFO of {} B holds {} flits of {} bit, at least 2 are needed", d.fifo_bytes,
                          d.fifo_flits(), d.link_bits);
    if (d.macro_fifo_bytes > 0 && d.macro_fifo_bytes * 8 < macro_port_width(d))
        return infeasible("macro_fifo", "a FIFO of {} B holds no beat of a port of {} bit (use at least {} B)",
                          d.macro_fifo_bytes, macro_port_width(d), sim::divide_up(macro_port_width(d), 8));
    if (d.scratchpad_banks * min_bank_bytes > d.scratchpad)
        return infeasible("scratchpad_banks",
                          "{} banks of a scratchpad of {} B hold less than {} B each (use {} at most)",
                          d.scratchpad_banks, d.scratchpad, min_bank_bytes, d.scratchpad / min_bank_bytes);
    if (d.model->head_dimension > d.crossbar && d.model->head_dimension % d.crossbar != 0)
        return infeasible("head_dimension",
                          "a head of {} cannot be divided among crossbars of {} columns without a rest (use a crossbar "
                          "that divides the head, or a wider one)",
                          d.model->head_dimension, d.crossbar);
    auto const columns = sim::whole_part(std::floor(static_cast<double>(d.crossbar) * machine.sram_columns_share));
    if (!d.lora_targets.empty() && d.lora_rank > columns)
        return infeasible("lora_rank", "LoRA rank {} does not fit the {} columns of the {} x {} SRAM array",
                          d.lora_rank, columns, d.crossbar, columns);
    return std::nullopt;
}

/// leap-d has a region for attention; trees sum in the network what `shared` sums in one place.
std::optional<Infeasible> check_dynamic_products(Design const& d) {
    if (d.dynamic_products == DynamicProducts::routers) return std::nullopt;
    if (d.machine == Machine::leap_d)
        return Infeasible{"dynamic_products",
                          "machine = leap-d multiplies queries and keys in its decode region (use machine = leap-a)"};
    if (d.shares_aggregator() && d.has_trees())
        return Infeasible{"dynamic_products",
                          "one shared aggregator leaves nothing for trees to add (use schedule = serial)"};
    return std::nullopt;
}

/// A rule of the network for designs of which cycle level simulates any part: compute tiles are placed side by side.
std::optional<Infeasible> check_line(MachineConstants const& machine, Design const& d, Partition const& p) {
    auto const columns = p.placed_tiles * d.mesh_cols;
    bool const simulated = d.has_trees() || simulates_trees(machine, d);
    if (!simulated || columns <= sim::noc::max_in_line) return std::nullopt;
    return infeasible("mesh_line",
                      "a layer takes {} tiles of {} columns, together {} routers in a line, a message knows its way "
                      "along {} (use larger tiles: mesh_rows)",
                      p.placed_tiles, d.mesh_cols, columns, sim::noc::max_in_line);
}

}  // namespace

Parameters machine_keys() { return table().parameters(); }

Bindings bind_choices(Parameters const& keys) {
    auto const choices_of = [&](std::string_view key) -> std::vector<std::string> const& {
        return keys.at(static_cast<std::size_t>(find_parameter(keys, key))).choices;
    };
    Bindings bindings;
    for (auto const& text : choices_of("lora_targets")) bindings.targets.push_back(parse_targets(text));
    for (auto const& text : choices_of("attention_order")) bindings.attention_orders.push_back(parse_order(text));
    return bindings;
}

Design read_design(Bindings const& bindings, std::span<Value const> keys, ModelRequest const& request) {
    auto design = table().read(keys, bindings);
    if (design.mode == Mode::leap || design.lora_rank == 0) design.lora_targets = {};
    static_cast<ModelRequest&>(design) = request;
    return design;
}

std::optional<Infeasible> broken_rule(MachineConstants const& machine, Design const& d, Partition const& p) {
    if (auto broken = check_request(d)) return broken;
    if (auto broken = check_pair(machine, d)) return broken;
    if (auto broken = check_dynamic_products(d)) return broken;
    for (auto const& matrix : p.matrices) {
        if (matrix.rows > d.pairs_per_tile())
            return infeasible("mesh_column", "a column of matrix {} is {} crossbars, a mesh of {} x {} has {}",
                              matrix.name, matrix.rows, d.mesh_rows, d.mesh_cols, d.pairs_per_tile());
    }
    if (auto broken = check_line(machine, d, p)) return broken;
    return check_cache(d, KvCache(machine, d, p));
}

}  // namespace pimdse::models::cim_mesh
