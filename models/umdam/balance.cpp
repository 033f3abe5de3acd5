#include "models/umdam/balance.hpp"

#include "models/umdam/costs.hpp"
#include "models/umdam/layout.hpp"

#include <limits>
#include <utility>

namespace pimdse::models::umdam {

std::vector<TilePlacement> placements(System const& d) {
    std::vector<TilePlacement> list;
    auto const& o = d.standard.organisation;
    for (auto const order : {TileCurve::column_major, TileCurve::row_major, TileCurve::morton}) {
        for (std::int64_t const width : {lanes(o), 2 * lanes(o)}) {
            bool const in_turn = order != TileCurve::column_major || width > lanes(o);
            if (in_turn && d.design.loop_order != LoopOrder::kseg) continue;  // a unit has one sum
            for (std::int64_t parts = 1; parts <= o.channels; parts *= 2) list.push_back({parts, width, order});
        }
    }
    return list;
}

Matrix placed_at(TilePlacement const& placement, Matrix m, System const& d) {
    auto const& o = d.standard.organisation;
    auto options = layout_options(d.design, d.interleave);
    options.split = placement.parts;
    options.tile_width = placement.width;
    options.order = placement.order;
    Layout const layout(m.inputs, m.outputs, o, options);
    store_as(m, layout);
    m.placement = placement;
    m.locality = {};
    m.locality.split = placement.parts;
    m.locality.busiest = m.bytes / lanes(o);
    m.column_bytes = m.tile_rows * d.interleave;
    m.piece_bytes = 0;
    m.columns_of_tile = 1;
    take_turns(m, {m.tile_rows, m.tile_columns, d.interleave, placement.width, placement.order}, lanes(o));
    return m;
}

void balance(System& d, Prepared const& prepared) {
    OperationCosts costs(prepared, d, Fidelity::analytic);
    auto const list = placements(d);
    std::vector<Matrix> balanced;
    for (auto const& m : d.matrices) {
        Matrix best;
        double least = std::numeric_limits<double>::infinity();
        for (auto const& placement : list) {
            auto stored = placed_at(placement, m, d);
            double const seconds = costs.gemv(stored, static_cast<double>(d.design.batch), 1.0).seconds.value;
            if (seconds < least) least = seconds, best = std::move(stored);
        }
        balanced.push_back(std::move(best));
    }
    d.matrices = std::move(balanced);
}

}  // namespace pimdse::models::umdam
