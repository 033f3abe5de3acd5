#include "models/cim_mesh/parameters.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/macros.hpp"
#include "models/cim_mesh/layer/serial_layer.hpp"
#include "models/contract/common_parameters.hpp"
#include "models/contract/parameter_table.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/llm/layer_support.hpp"
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

Parameter lora_targets() {
    auto p = choice("lora_targets", {"none", "q", "q+v", "q+k+v", "q+k+v+o", "all"}, "none",
                    "matrices of a layer with a LoRA adapter: none, all, or any joined by + (primal only)");
    p.accepts = [](std::string const& text) {
        auto const mistake = mistake_in(text, parse_targets);
        return mistake.empty() ? mistake : "write none, all, or matrices joined by +: " + mistake;
    };
    return p;
}

std::string rectangle_rows(std::string const& matrices) {
    return fmt::format(
        "shape = rectangles: mesh rows of the rectangles of {}, a divisor or a multiple of the rows of the matrix; 0: "
        "the rows of the matrix, or the largest number that fits",
        matrices);
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

Parameter attention_order() {
    auto p = choice("attention_order", {"q-k-v-o"},
                    "placement = genes: the order in which q, k, v, o are placed, such as v-q-k-o");
    p.items = attention_names;
    p.accepts = [](std::string const& text) { return mistake_in(text, parse_order); };
    return p;
}

using Table = ParameterTable<Design, Bindings>;

void add_published(Table& table) {
    table.row<&Design::machine>(
        choice("machine", {"primal", "leap-a", "leap-d"},
               "primal: PRIMAL's machine with the values of the other parameters; leap-a, leap-d: LEAP's: mode leap, "
               "no gating, its own macros, crossbars of 128 instead of PRIMAL's 256, FIFOs twice as large, keys in the "
               "rectangle of the attention (leap-a) or in a separate decode region (leap-d)"));
    table.row<&Design::mode>(choice("mode", {"primal", "leap"},
                                    "primal: RRAM crossbars and SRAM-DCIM with LoRA; leap: RRAM crossbars only"));
    table.row<&Design::lm_head>(choice("lm_head", {"skip", "counted"},
                                       "skip: the head takes no time, as in the papers' figures; counted: its columns "
                                       "are summed like those of a layer, on tiles of its own"));
    table.row<&Design::lora_rank>(
        count("lora_rank", "1", 8, {0, 4096}, "rank of the LoRA adapters; must fit the SRAM-DCIM columns"));
    table.row<&Design::adapter_every>(assumed(count(
        "adapter_every", "1", 0, {0, 1e6},
        "requests that use the same adapters before they are replaced, at least those of a batch, which are in the "
        "layers together; times and energies are means over these requests, 0: those of a batch, the worst")));
    table.row<&Design::weight_load>(
        assumed(choice("weight_load", {"none", "once"},
                       "once: the request is the first after a start; ttft contains the time in which the cells of all "
                       "crossbars are programmed, as fast as one port of the machine brings the weights")));
    table.row(lora_targets(), [](Design& d, Value const& v, Bindings const& bindings) {
        d.lora_targets = bindings.targets.at(v.as_choice());
    });
    table.row<&Design::schedule>(
        choice("schedule", {"serial", "tree", "searched"},
               "serial: partial sums column after column, store and forward, as the published figures imply; tree: "
               "ideal pipelined collectives; searched: the faster of both for each phase and, of a decoded token, for "
               "weights and for attention, on the routers of tree"));
}

void add_machine(Table& table) {
    table.row<&Design::mesh_rows>(
        resource(count("mesh_rows", "1", 32, {1, 256}, "rows of router-PE pairs in a compute tile")));
    table.row<&Design::mesh_cols>(
        resource(count("mesh_cols", "1", 32, {1, 256}, "columns of router-PE pairs in a compute tile")));
    table.row<&Design::crossbar>(
        count("crossbar", "1", 256, {16, 1024},
              "rows and columns of an RRAM crossbar (leap: 128 according to a second source, not recovered)"));
    table.row<&Design::link_bits>(
        resource(count("link_bits", "bit", 64, {16, 1024}, "width of a mesh link, one flit")));
    table.row<&Design::fifo_bytes>(
        resource(count("fifo_bytes", "B", 128, {1, 4096},
                       "input FIFO of a router port, at least two flits (leap-a, leap-d: twice as large)")));
    table.row<&Design::dmacs>(
        resource(count("dmacs", "1", 16, {1, 1024},
                       "multiply-accumulate units in a router (leap: width of its in-router unit, not recovered)")));
    table.row<&Design::scratchpad>(
        resource(count("scratchpad", "B", 32768, {256, 16777216}, "scratchpad of a pair: live vectors and KV cache")));
    table.row<&Design::scratchpad_banks>(assumed(
        count("scratchpad_banks", "1", 0, {0, 64},
              "equal banks of a scratchpad, each with its own decoders and amplifiers; 0: the published macro, whose "
              "area and leakage grow with its bytes. More banks need less energy per access, and more area")));
    table.row<&Design::frequency>(
        quantity("frequency", "GHz", 1e9, {0.05e9, 10e9},
                 "clock of the mesh, 0.25 to 2 GHz; energy per operation grows with the square of its voltage"));
    table.row<&Design::parallel_columns>(
        count("parallel_columns", "1", 1, {1, 1e6},
              "output columns of a matrix that are reduced at the same time; the published figures imply 1"));
}

/// Parts of a pair and of a tile, and what they do.
void add_parts(Table& table) {
    table.row<&Design::adc_bits>(
        assumed(count("adc_bits", "bit", 0, {0, 14},
                      "resolution of the converters of a crossbar; 0: as many bits as resolve a full sum, 9 for 256 "
                      "rows. Fewer bits save energy and area, more bits take longer; accuracy is not modelled")));
    table.row<&Design::softmax_rate>(resource(assumed(count(
        "softmax_rate", "1", 0, {0, 256},
        "scores per cycle of the softmax unit of a router; 0: the service time fitted to the published figures"))));
    table.row<&Design::macro_port_bits>(
        assumed(count("macro_port_bits", "bit", 0, {0, 1024},
                      "width of the ports between the buffers of a router and its macros; 0: as wide as a mesh link, "
                      "and their energy is not counted")));
    table.row<&Design::macro_fifo_bytes>(assumed(
        count("macro_fifo_bytes", "B", 0, {0, 4096},
              "FIFO of each port between a router and its macros, which limits the bursts of the bus (leap-a, leap-d: "
              "twice as large); every burst takes a handshake. 0: as large as fifo_bytes, and no handshakes")));
    table.row<&Design::die_link_bits>(
        resource(assumed(count("die_link_bits", "bit", 0, {0, 1024},
                               "width of the link between a router and its neighbour on the next compute tile; 0: a "
                               "mesh link, whose border costs two hops and no energy of its own"))));
    table.row<&Design::kv_pool>(choice("kv_pool", {"layer", "colocated", "attention"},
                                       "routers that hold the KV cache of a layer: layer: all; colocated: those of k "
                                       "and v; attention: those of q, k, v, o"));
    table.row<&Design::scores>(assumed(choice(
        "scores", {"used", "kept"},
        "scores of a position: used: each enters softmax and its product at once; kept: stored in the scratchpad of "
        "the router that computes them until all are known, beside keys and values; not stated in the papers")));
    table.row<&Design::activations>(
        assumed(choice("activations", {"fitted", "counted"},
                       "activation of the feed-forward part, and product of gate and up: fitted: inside the service "
                       "times fitted to the published figures, without energy; counted: in the routers in which the "
                       "sums end, an element as long as a score, with energy")));
    table.row<&Design::key_reuse>(choice(
        "key_reuse", {"head", "group"},
        "grouped-query attention: head: keys are streamed once per slice of queries, as the published figures imply; "
        "group: a slice of keys is streamed once for all queries of its group, whose slices share the context"));
    table.row<&Design::controller>(
        assumed(choice("controller", {"repeating", "unrolled"},
                       "commands of the main controller of a tile: repeating: stored once, with a number of repeats; "
                       "unrolled: stored for every execution in a token, which takes memory")));
    table.row<&Design::gating>(
        choice("gating", {"srpg", "none"}, "power gating of waiting compute tiles: srpg or none"));
}

/// Baselines for the products of attention.
void add_dynamic_products(Table& table) {
    table.row<&Design::dynamic_products>(choice(
        "dynamic_products", {"routers", "reprogram", "hybrid", "digital", "shared"},
        "what multiplies queries, keys and values: routers: as in the papers; baselines: reprogram: RRAM crossbars, "
        "hybrid: transposable SRAM arrays, both written with every key and value; digital: a unit next to every "
        "crossbar; shared: one buffer and one aggregator per layer, which also adds all partial sums"));
}

void add_placement(Table& table) {
    table.row<&Design::placement>(
        choice("placement", {"packed", "searched", "genes", "judged"},
               "placement of the crossbars of a layer: packed: in the order of execution; searched: by a search (at "
               "cycle level only; analytic bounds hold for every placement); judged: the same, but packed where that "
               "has the lower latency at cycle level; genes: by the parameters below"));
    table.row<&Design::hubs>(
        choice("hubs", {"centroid", "median", "center", "searched"},
               "the router of a group of matrices at which its vectors meet: centroid: nearest to the centroid of the "
               "group; median: least sum of hops to the routers that it serves; center: shortest longest routes; "
               "searched: the rule with the lowest latency, for attention and feed-forward part each (at cycle level "
               "only; analytic bounds hold for every placement)"));
    table.row<&Design::smac_cycles>(
        assumed(count("smac_cycles", "cycles", 0, {0, 1e6},
                      "part of the time of a crossbar product that is not hidden; not published")));
    table.row<&Design::context_tile>(
        assumed(count("context_tile", "1", 8, {1, 1e6},
                      "query rows held in prefill while keys stream past, if the scratchpad has space besides the "
                      "cache; not recovered from the paper")));
    table.row<&Design::attained_share>(
        attained_share(1.0, "of every unit in the pipeline of a prompt; decoded tokens do not depend on it"));
    table.row<&Design::layer_overhead>(
        layer_overhead(0.0, LaunchedBy::dataflow, "the mesh runs without the host, layers follow each other"));
    table.row(attention_order(), [](Design& d, Value const& v, Bindings const& bindings) {
        d.attention_order =
            v.kind() == Kind::permutation
                ? parse_order(fmt::format("{}", fmt::join(permutation(attention_names, v.as_permutation()), "-")))
                : bindings.attention_orders.at(v.as_choice());
    });
    table.row<&Design::ffn_order>(choice("ffn_order", {"gate-up-down", "up-gate-down", "down-up-gate", "interleaved"},
                                         "placement = genes: the order in which gate, up, down are placed; "
                                         "interleaved: columns of gate and up alternate"));
    table.row<&Design::band_height>(
        count("band_height", "1", 0, {0, 256},
              "placement = genes: rows of the bands on which matrices are placed; 0: all rows of the mesh"));
    table.row<&Design::tile_order>(choice("tile_order", {"normal", "reversed", "snake"},
                                          "placement = genes: direction of the rows of an output column"));
    table.row<&Design::shape>(choice(
        "shape", {"bands", "rectangles"},
        "placement = genes: bands: all matrices on bands of one height; rectangles: each on its own rectangles"));
    table.row<&Design::attention_rows>(count("attention_rows", "1", 0, {0, 256}, rectangle_rows("q, k, v, o")));
    table.row<&Design::up_rows>(count("up_rows", "1", 0, {0, 256}, rectangle_rows("gate and up")));
    table.row<&Design::down_rows>(count("down_rows", "1", 0, {0, 256}, rectangle_rows("down")));
}

Table const& table() {
    static auto const made =
        table_of<Table, add_published, add_machine, add_parts, add_placement, add_dynamic_products>();
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
