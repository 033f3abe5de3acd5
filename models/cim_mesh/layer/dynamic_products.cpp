#include "models/cim_mesh/layer/dynamic_products.hpp"

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/cim_mesh/layer/macros.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"
#include "sim/noc/closed_form.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {
namespace {

constexpr double key_and_value = 2.0;

/// Slices of queries that one slice of keys serves.
double queries_of_a_key(Partition const& p) { return static_cast<double>(sim::divide_up(p.q, p.kv)); }

/// Output columns that are summed one after another with the serial schedule.
double sums_in_turn(Design const& d, Partition const& p) {
    return static_cast<double>(sim::divide_up(p.q, d.parallel_columns));
}

/// Cycles of a product of an SRAM array that stores the keys or values of a slice, for this number of its columns: that
/// of the published SRAM-DCIM, whose columns are those of an adapter. It is digital, so that neither the converters nor
/// the ports of the crossbars matter.
double array_cycles(MachineConstants const& m, double columns) { return m.lora_fixed + m.lora_per_rank * columns; }

/// Keys and values in arrays: a key is a column of cells, a value a row. Every head of a slice is a product of its own.
/// The sums over the arrays of a slice of values are a chain of `context / crossbar` additions; with trees only the
/// vectors themselves count.
DynamicTime in_arrays(MachineConstants const& m, Design const& d, Partition const& p, double transfer, double hop,
                      double keys) {
    auto const width = static_cast<double>(d.crossbar), q = static_cast<double>(p.q);
    DynamicTime t;
    if (d.dynamic_products == DynamicProducts::reprogram)
        t.write = (width + 1.0) * m.dynamic.cell_row_write.si * d.frequency;
    else
        t.write = key_and_value * m.dynamic.array_row_write;
    double const inputs = queries_of_a_key(p) * static_cast<double>(p.heads_per_slice);
    if (d.dynamic_products == DynamicProducts::reprogram)
        t.products = key_and_value * inputs * (transfer + product_cycles(m, d));
    else  // a column for every key, and for every value of a slice
        t.products = inputs * (2.0 * transfer + array_cycles(m, std::min(width, keys)) + array_cycles(m, width));
    if (d.schedule == Schedule::serial)
        t.per_key = sums_in_turn(d, p) * hop / width;
    else
        t.products += q * (transfer + 1.0);
    t.least = t.write + t.products;
    t.pairs = t.per_key * keys;
    return t;
}

/// Digital units at the scratchpads that hold keys: vectors of the query are broadcast one after another, each unit
/// multiplies its own keys one after another, and sums are added over the routers that hold values of a slice. As long
/// as the cache grows, every key has a router of its own; then keys of a slice are divided among its routers.
DynamicTime in_digital_units(MachineConstants const& m, Design const& d, Partition const& p, MeshCounts const& counts,
                             double transfer, double hop, double keys) {
    auto const q = static_cast<double>(p.q), owners = static_cast<double>(std::max<std::int64_t>(1, counts.max_owners));
    double const slices = key_and_value * static_cast<double>(p.kv);
    double const product = std::ceil(static_cast<double>(d.crossbar) / m.dynamic.digital_macs);
    double const holders = std::max(1.0, std::min(owners / slices, keys));
    DynamicTime t;
    t.least = queries_of_a_key(p) * product;
    t.routes = q * (transfer + 1.0);
    t.routes += d.schedule == Schedule::serial ? sums_in_turn(d, p) * (holders - 1.0) * hop : q * (transfer + 1.0);
    t.pairs = t.least * std::ceil(slices * keys / owners);
    t.per_key = key_and_value * q * product / owners;
    return t;
}

}  // namespace

DynamicTime dynamic_time(MachineConstants const& m, Design const& d, Partition const& p, MeshCounts const& counts,
                         double transfer, double hop, double keys) {
    sim::expects(d.multiplies_in_place(), "keys stay where they are");
    auto t = d.writes_cells() ? in_arrays(m, d, p, transfer, hop, keys)
                              : in_digital_units(m, d, p, counts, transfer, hop, keys);
    auto const timing = router_timing(m, d);
    double const route = counts.holder_routes(counts.max_owners).mean;
    t.routes += 2.0 * (static_cast<double>(sim::noc::closed_form::per_hop(timing)) * route +
                       static_cast<double>(sim::noc::closed_form::fixed(timing)));
    return t;
}

double dynamic_arrays(Design const& d, Partition const& p) {
    if (!d.writes_cells()) return 0.0;
    return static_cast<double>(d.batch * 2 * p.kv * sim::divide_up(max_keys(d, d.longest_context()), d.crossbar));
}

double shared_vectors(Design const& d, Partition const& p) {
    if (!d.shares_aggregator()) return 0.0;
    std::int64_t vectors = 0;
    for (auto const& t : p.matrices) vectors += t.rows * t.summed * t.active;
    return static_cast<double>(vectors);
}

double shared_on_a_link(Design const& d, Partition const& p) {
    std::int64_t const links = d.mesh_rows > 1 ? 4 : 2;
    return std::ceil(std::max(0.0, shared_vectors(d, p) - static_cast<double>(p.n)) / static_cast<double>(links));
}

double cell_life(MachineConstants const& m, Design const& d, double latency) {
    auto const tokens = static_cast<double>(prompt_tokens(d));
    // The ring of a window is written again and again.
    auto const context = static_cast<double>(d.longest_context()),
               places = static_cast<double>(max_keys(d, d.longest_context()));
    double const written = d.verifies() ? tokens + d.later_passes() * d.pass_positions() : context;
    double const writes =
        d.diffuses() ? 1.0 + d.later_passes() * later_queries(d) / tokens : std::max(context, written) / places;
    return m.dynamic.cell_endurance * latency / writes;
}

}  // namespace pimdse::models::cim_mesh
