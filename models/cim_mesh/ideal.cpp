#include "models/cim_mesh/latency.hpp"

#include <algorithm>
#include <cmath>

namespace pimdse::models::cim_mesh {

IdealForm::IdealForm(Machine const& machine, Design const& design, Partition const& partition)
    : machine_(machine), design_(design), partition_(partition), serial_(machine, design, partition) {}

double IdealForm::flits() const { return serial_.vector_transfer(); }

double IdealForm::broadcast(std::int64_t tiles) const {
    auto const height = std::min(tiles, design_.mesh_rows);
    auto const width = ceil_div(tiles, design_.mesh_rows);
    return machine_.zero_load_fixed + machine_.zero_load_hop * static_cast<double>(ceil_div(height - 1 + width - 1, 2)) + flits() - 1.0;
}

double IdealForm::reduction(std::int64_t members) const {
    return machine_.zero_load_fixed + (machine_.zero_load_hop + machine_.adder_service) * static_cast<double>(members / 2) + flits() - 1.0;
}

double IdealForm::weights() const {
    std::int64_t qkv = 0, up = 0, down = 0, o = 0, qkv_rows = 0, up_rows = 0, down_rows = 0, o_rows = 0;
    for (auto const& m : partition_.matrices) {
        auto const add = [&](std::int64_t& tiles, std::int64_t& rows) {
            tiles += m.tiles() * m.active;
            rows = std::max(rows, m.rows);
        };
        if (m.name == "o") add(o, o_rows);
        else if (m.name == "down") add(down, down_rows);
        else if (m.name == "gate" || m.name == "up") add(up, up_rows);
        else add(qkv, qkv_rows);
    }
    return broadcast(qkv) + reduction(qkv_rows) + broadcast(o) + reduction(o_rows) + broadcast(up) + reduction(up_rows) + broadcast(down) +
           reduction(down_rows);
}

double IdealForm::decode(double context) const {
    auto const serial = serial_.decode(context);
    auto const pool = kv_pool_tiles(design_, partition_);
    double const keys = std::ceil(static_cast<double>(2 * partition_.kv) * context / static_cast<double>(pool));
    double const products = keys * static_cast<double>(ceil_div(design_.crossbar, design_.dmacs));
    double const attention = 2.0 * (broadcast(pool) + reduction(partition_.n));
    return weights() + attention + products + serial.softmax + serial.adapters + serial.crossbars;
}

double IdealForm::prefill(double tokens) const {
    auto const serial = serial_.prefill(tokens);
    return weights() + (tokens - 1.0) * (flits() + 1.0) + serial.adapters + serial.attention;
}

}  // namespace pimdse::models::cim_mesh
