#include "models/cim_mesh/events.hpp"

#include "models/cim_mesh/design.hpp"
#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/commands.hpp"
#include "models/cim_mesh/layer/dynamic_products.hpp"
#include "models/cim_mesh/layer/macros.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace pimdse::models::cim_mesh {
namespace {

constexpr double products_per_key = 2.0;  // the key with the query, and the value with the score

constexpr std::array all_events{
    &Events::products,      &Events::adapters,       &Events::multiplies,       &Events::additions, &Events::softmax,
    &Events::activations,   &Events::gated_elements, &Events::scratchpad_bytes, &Events::hops,      &Events::borders,
    &Events::command_bytes, &Events::cell_writes,    &Events::array_products};

/// Work of crossbars and chains for one position.
struct Weights {
    double products = 0.0;   ///< products of crossbars
    double additions = 0.0;  ///< additions of vectors
    double broadcast = 0.0;  ///< vectors x crossbars that they pass
    double gathered = 0.0;   ///< vectors that are sent to a hub
    void add(Tiling const& t) {
        auto const rows = static_cast<double>(t.rows), active = static_cast<double>(t.active);
        double const summed = active * static_cast<double>(t.summed);
        products += rows * summed;
        additions += (rows - 1.0) * summed;
        broadcast += rows * active * static_cast<double>(t.tiles());
        if (t.name != "k" && t.name != "v") gathered += summed;
    }
};

Weights weights_of(Partition const& p) {
    Weights w;
    for (auto const& matrix : p.matrices) w.add(matrix);
    return w;
}

/// Attention of a phase: queries, pairs of a query and a key, and keys that stream past held queries.
struct PassedKeys {
    double queries = 0.0, pairs = 0.0, streams = 0.0;
    double owners = 0.0;  ///< routers that hold keys
    double visits = 0.0;  ///< tree: number of routers with keys that a query visits, sum over all queries
};

/// Counts the events of a pass.
class Counter {
  public:
    Counter(MachineConstants const& machine, Design const& design, Partition const& partition, MeshCounts const& counts)
        : machine_(machine), design_(design), partition_(partition), counts_(counts) {}

    /// The LM head, which has tiles of its own and is counted here whether its time is counted or not.
    [[nodiscard]] Events head() const {
        Weights w;
        if (partition_.words > 0) w.add({"head", partition_.n, partition_.words, partition_.words, 1, 1});
        w.gathered = 0.0;
        return events_of(w);
    }

    /// Events of one position without attention. A gathered vector travels the mean of the routes that no chain hides,
    /// and is written and read at its destination.
    [[nodiscard]] Events position() const {
        auto const w = weights_of(partition_);
        auto e = events_of(w);
        e.adapters = partition_.lora_products;
        if (design_.counts_activations()) {
            e.activations = static_cast<double>(partition_.f * design_.crossbar);
            e.gated_elements = partition_.gated ? e.activations : 0.0;
        }
        e.hops += bytes(w.gathered * counts_.fill_links / counts_.fill_legs);
        e.borders += bytes(counts_.crossings);
        // Products of crossbars travel to the shared aggregator instead of to the next crossbar.
        if (design_.shares_aggregator()) {
            double const route = std::max(1.0, counts_.fill_links / counts_.fill_legs);
            e.hops += bytes(w.products * route - w.additions);
        }
        e.scratchpad_bytes = 2.0 * w.gathered * vector_bytes();
        return e;
    }
    /// Adds attention. Keys and values are written to the router that stores them. serial: they stream to the queries,
    /// once per slice of queries or once per group; tree: queries travel to the keys and sums return.
    void add_attention(Events& e, PassedKeys const& p) const {
        auto const routes = counts_.holder_routes(static_cast<std::int64_t>(p.owners));
        auto const q = static_cast<double>(partition_.q), kv = static_cast<double>(partition_.kv);
        auto const values = static_cast<double>(design_.crossbar);
        double const slices = products_per_key * (design_.key_reuse == KeyReuse::group ? std::min(q, kv) : q);
        auto const parts = static_cast<double>(partition_.slices_per_head);
        e.softmax += q * static_cast<double>(partition_.heads_per_slice) / parts * p.pairs;
        // Written when it is computed, and read for its product.
        if (design_.keeps_scores())
            e.scratchpad_bytes += 2.0 * q * static_cast<double>(partition_.heads_per_slice) / parts * p.pairs *
                                  machine_.vector_bytes(1.0);
        // Partial scores of a head that is wider than a crossbar, and its probabilities, each in a flit.
        double const passed = q / parts * (parts - 1.0) * p.pairs;
        e.additions += passed;
        e.hops += 2.0 * passed * static_cast<double>(design_.link_bits) / MachineConstants::bits_per_byte;
        if (design_.multiplies_in_place()) return add_in_place(e, p, routes);
        e.multiplies += products_per_key * q * values * p.pairs;
        double const kept = products_per_key * kv * p.queries;
        e.scratchpad_bytes += kept * vector_bytes();
        e.hops += bytes(kept * routes.links);
        e.borders += bytes(kept * routes.borders);
        bool const tree = design_.schedule == Schedule::tree;
        e.scratchpad_bytes += slices * vector_bytes() * (tree ? p.pairs : p.streams);
        if (tree) {
            e.hops += bytes(2.0 * q * p.visits);
            e.additions += q * values * p.visits;
            e.borders += bytes(2.0 * q * p.queries * routes.tree_borders);
        } else {
            // On a shared aggregator keys stay where they are multiplied.
            bool const shared = design_.shares_aggregator();
            e.hops += bytes(slices * (shared ? 1.0 : routes.links) * p.streams);
            e.borders += bytes(slices * (shared ? 0.0 : routes.borders) * p.streams);
        }
    }

  private:
    [[nodiscard]] double vector_bytes() const { return machine_.vector_bytes(static_cast<double>(design_.crossbar)); }
    [[nodiscard]] double bytes(double vectors) const { return vectors * vector_bytes(); }
    [[nodiscard]] Events events_of(Weights const& w) const {
        Events e;
        e.products = w.products;
        e.additions = w.additions * static_cast<double>(design_.crossbar);
        e.hops = bytes(w.additions + w.broadcast);
        return e;
    }
    /// Products where keys are: vectors of the query go to them and sums come back, to and from every array (a vector
    /// per array of keys or values) or every router that holds keys.
    void add_in_place(Events& e, PassedKeys const& p, HolderRoutes const& routes) const {
        auto const q = static_cast<double>(partition_.q), values = static_cast<double>(design_.crossbar);
        double const kept = products_per_key * static_cast<double>(partition_.kv) * p.queries;
        double const products = products_per_key * q * values * p.pairs;
        bool const digital = design_.dynamic_products == DynamicProducts::digital;
        double const visits = digital ? p.visits : p.pairs / values;
        e.hops += bytes(kept * routes.links + 2.0 * q * visits);
        e.borders += bytes(kept * routes.borders + 2.0 * q * p.queries * routes.tree_borders);
        e.additions += q * values * visits;
        // A score is written and read by softmax, a probability written and read by the product with the values.
        constexpr int accesses = 4;
        double const scores = q * static_cast<double>(partition_.heads_per_slice) /
                              static_cast<double>(partition_.slices_per_head) * p.pairs;
        e.scratchpad_bytes += accesses * machine_.vector_bytes(scores);
        switch (design_.dynamic_products) {
            case DynamicProducts::reprogram:
                e.cell_writes += kept * values;
                e.products += products_per_key * q * static_cast<double>(partition_.heads_per_slice) * visits;
                break;
            case DynamicProducts::hybrid:
                e.scratchpad_bytes += kept * vector_bytes();
                e.array_products += products;
                break;
            default:
                e.multiplies += products;
                e.scratchpad_bytes += kept * vector_bytes() + in_place_reads(p) * vector_bytes();
        }
    }
    /// Slices of keys and values that digital units read, each for all queries of its group.
    [[nodiscard]] double in_place_reads(PassedKeys const& p) const {
        return products_per_key * static_cast<double>(std::min(partition_.q, partition_.kv)) * p.pairs;
    }

    MachineConstants const& machine_;
    Design const& design_;
    Partition const& partition_;
    MeshCounts const& counts_;
};

/// Number of routers that hold keys at a context.
double holders_at(Partition const& p, MeshCounts const& counts, double context) {
    return std::min(static_cast<double>(counts.max_owners), 2.0 * static_cast<double>(p.kv) * context);
}

/// Sum of holders_at() over the contexts 1 to `last`.
double holders_up_to(Partition const& p, MeshCounts const& counts, double last) {
    double const per_token = 2.0 * static_cast<double>(p.kv);
    double const growing = std::min(last, std::floor(static_cast<double>(counts.max_owners) / per_token));
    return per_token * growing * (growing + 1.0) / 2.0 + (last - growing) * static_cast<double>(counts.max_owners);
}

/// The same over the positions 1 to `tokens` of a prompt, by their keys.
double holders_of_prompt(Design const& d, Partition const& p, MeshCounts const& counts, std::int64_t tokens) {
    auto const up_to = [&](std::int64_t last) { return holders_up_to(p, counts, static_cast<double>(last)); };
    std::int64_t const keys = max_keys(d, tokens);
    if (keys == tokens) return up_to(tokens);
    if (d.model->chunked) return static_cast<double>(tokens / keys) * up_to(keys) + up_to(tokens % keys);
    return up_to(keys) + static_cast<double>(tokens - keys) * holders_at(p, counts, static_cast<double>(keys));
}

/// Pairs of a query and a key of a prompt: those of each token but the last count twice, so that without a window they
/// are a full square.
double pairs_of_prompt(Design const& d, std::int64_t tokens) {
    auto const all = static_cast<double>(tokens);
    if (max_keys(d, tokens) == tokens) return all * all;
    return 2.0 * mean_prompt_keys(d, tokens) * all - static_cast<double>(keys_at(d, tokens));
}

/// A part of a prompt with its last token.
PassedKeys part_of_prompt(Design const& d, Partition const& p, MeshCounts const& counts, HeldQueries const& held,
                          LayerPass const& pass) {
    std::int64_t const tokens = pass.tokens(), cached = pass.cached;
    auto const earlier = tokens_of_prompt(d, tokens - 1, cached);
    auto const last = static_cast<double>(keys_at(d, cached + tokens));
    double const pairs = cached == 0 ? pairs_of_prompt(d, tokens) : added_pairs(earlier) + last;
    double const visits = holders_of_prompt(d, p, counts, cached + tokens) - holders_of_prompt(d, p, counts, cached);
    return {static_cast<double>(tokens), pairs, key_streams(held, earlier) + last,
            static_cast<double>(counts.max_owners), visits};
}

/// Positions that share the keys that stream past them, as in a prompt: those that are denoised attend to all
/// positions.
PassedKeys following_positions(Design const& d, Partition const& p, MeshCounts const& counts, HeldQueries const& held,
                               LayerPass const& pass) {
    double const keys = pass.mean_keys, queries = pass.positions;
    double const owners = d.diffuses() ? static_cast<double>(counts.max_owners) : holders_at(p, counts, keys);
    return {queries, queries * keys, keys + key_streams(held, queries - 1.0, pass.keys), owners, queries * owners};
}

}  // namespace

Events operator+(Events a, Events const& b) {
    for (auto const events : all_events) a.*events += b.*events;
    return a;
}

Events operator*(double times, Events e) {
    for (auto const events : all_events) e.*events *= times;
    return e;
}

EventEnergy event_energy(MachineConstants const& m, Design const& d, Partition const& p) {
    auto const& base = m.events;
    double const volts = m.supply.energy_factor(sim::Frequency{d.frequency});
    auto const rows = static_cast<double>(d.crossbar), conversions = rows * m.value_bits;
    // A conversion for twice as many rows needs one more bit and takes twice the energy.
    double const read = conversions * base.adc_conversion.si * rows / base.adc_rows * converters_of(m, d).growth;
    auto const area = tile_area(m, d, p);
    // Area with all converters: the time of products does not change the distance of routers.
    double const whole = area.tile() - area.die_links - area.rram + area.rram_at_full_speed;
    double const pitch = std::sqrt(whole / static_cast<double>(d.pairs_per_tile()));
    EventEnergy e;
    e.converters = volts * (read + conversions * base.dac_conversion.si);
    e.cells = volts * rows * conversions * base.cell_read.si;
    e.adapter = e.multiply = volts * base.multiply_add.si;
    e.addition = volts * base.addition.si;
    e.softmax = volts * base.softmax.si;
    // The supply of the scratchpad does not depend on the clock.
    e.scratchpad = scratchpad_energy(m, d);
    if (d.shares_aggregator())
        e.scratchpad *= std::pow(static_cast<double>(kv_pool_tiles(d.kv_pool, p.matrices)), base.scratchpad_exponent);
    // The instruction memory is a scratchpad of the published size, on the same supply.
    e.command = base.scratchpad_access.si;
    if (d.dynamic_products == DynamicProducts::reprogram) e.cell_write = m.dynamic.cell_write.si;
    e.router = volts * base.router_bit.si;
    e.wire = volts * base.wire.si * pitch;
    // A port is a FIFO and a switch, as a hop without its wire.
    if (d.macro_port_bits > 0 || d.macro_fifo_bytes > 0)
        e.port = vectors_of_a_product * m.vector_bytes(rows) * e.router * macro_port(m, d).overhead();
    // A value of the input or output of an adapter takes part in `rank` multiply-adds.
    if (d.macro_fifo_bytes > 0 && p.adapted > 0)
        e.adapter_port =
            m.vector_bytes(1.0) * e.router * macro_port(m, d).overhead() / static_cast<double>(d.lora_rank);
    e.die_link = d.die_link_bits > 0 ? m.die_link_energy.si : 0.0;
    return e;
}

Events events_of(MachineConstants const& m, Design const& d, Partition const& p, MeshCounts const& counts,
                 HeldQueries const& held, LayerPass const& pass) {
    Counter const counter(m, d, p, counts);
    auto layer = pass.positions * counter.position();
    auto const add = [&](PassedKeys const& keys) { counter.add_attention(layer, keys); };
    if (pass.is_prompt) {
        add(part_of_prompt(d, p, counts, held, pass));
    } else if (!pass.is_alone()) {
        add(following_positions(d, p, counts, held, pass));
    } else {
        // Tokens that find keys on equally many routers differ in nothing but their pairs.
        PassedKeys alike;
        for (auto const& [keys, weight] : pass.last) {
            double const owners = holders_at(p, counts, static_cast<double>(keys)),
                         pairs = weight * static_cast<double>(keys);
            if (owners != alike.owners && alike.queries > 0.0) add(std::exchange(alike, {}));
            alike = {alike.queries + weight, alike.pairs + pairs, alike.streams + pairs, owners,
                     alike.visits + weight * owners};
        }
        add(alike);
    }
    // Commands that repeat are read once, as part of the published control; others for every execution.
    if (d.controller == MainController::unrolled)
        layer.command_bytes += pass.positions * commands_of(d, p, pass.mean_keys).executed * m.command_size.si;
    return static_cast<double>(d.model->layers) * layer;
}

Events head_events(MachineConstants const& m, Design const& d, Partition const& p, MeshCounts const& counts) {
    return Counter(m, d, p, counts).head();
}

StaticPower static_power(MachineConstants const& m, Design const& d, Partition const& p, Powered const& powered) {
    auto const area = tile_area(m, d, p);
    auto const tile_pairs = static_cast<double>(d.pairs_per_tile());
    double const pairs = powered.layers * powered.layer + powered.tables;
    double const clock = d.frequency / m.base_frequency.si;
    // Half of the static power of logic is proportional to the clock.
    double const on = m.logic_static.si * m.supply.energy_factor(sim::Frequency{d.frequency}) * (1.0 + clock) / 2.0;
    double const routers = area.routers() / area.routers_of_a_pair;
    double const logic = on * (area.rram_at_full_speed + routers) / tile_pairs, dcim = on * area.sram / tile_pairs;
    double const pad = m.scratchpad_leakage.si * macros_of(m, d).scratchpad.si * scratchpad_growth(m, d);
    double const rows = static_cast<double>(d.crossbar), columns = std::floor(rows * m.sram_columns_share);
    double const array = d.mode == Mode::primal ? m.scratchpad_leakage.si * m.vector_bytes(rows) * columns : 0.0;
    double const keeping = powered.layers * static_cast<double>(p.adapted_tiles);
    // What keys and values need besides the tiles is on like the pairs.
    double const layers = static_cast<double>(d.model->layers), dynamic = on * dynamic_area(m, d, p);
    bool const gated = d.gating == Gating::srpg;
    StaticPower s;
    s.crossbar_on = on * area.rram_at_full_speed / tile_pairs;
    s.router_on = on * routers / tile_pairs;
    s.adapter_on = p.adapted_tiles > 0 ? array + dcim : 0.0;
    s.scratchpad_on = pad;
    s.rest.add("sram_static/scratchpads", pairs * pad);
    s.rest.add("sram_static/adapters", array * (gated ? keeping : pairs));
    s.rest.add("idle_units/control", powered.control);
    if (!gated) s.rest.add("idle_units/crossbars and routers that wait", pairs * (logic + dcim) + dynamic);
    if (powered.decode_macros > 0.0) {
        s.rest.add("sram_static/decode region", powered.decode_macros * m.leap_decode_scratchpads * pad);
        s.rest.add("idle_units/routers of the decode region", powered.decode_macros * on * routers / tile_pairs);
    }
    if (d.dynamic_products == DynamicProducts::hybrid)
        s.rest.add("sram_static/keys and values",
                   layers * dynamic_arrays(d, p) * m.scratchpad_leakage.si * m.vector_bytes(rows) * rows);
    // They listen whether their tiles are gated or not.
    s.rest.add("idle_units/links between tiles", static_cast<double>(p.total_tiles) * on * area.die_links);
    if (gated) {
        s.layer = dynamic / layers;
        s.layer += powered.crossbars * logic + static_cast<double>(p.adapted_tiles) * dcim;
        s.head = static_cast<double>(p.head.tiles()) * logic;
    }
    return s;
}

}  // namespace pimdse::models::cim_mesh
