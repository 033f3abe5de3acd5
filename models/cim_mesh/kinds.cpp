#include "models/cim_mesh/kinds.hpp"

#include <algorithm>

namespace pimdse::models::cim_mesh {
namespace {

/// Whether the layers of the design differ in what this request uses.
bool differ(Design const& d) {
    auto const& first = *d.model;
    return std::ranges::any_of(first.alike, [&](LanguageModel const& m) {
        return !same_network(m, first) || exceeded_window(m, d.longest_context()) > 0;
    });
}

/// The partition without what is counted with the first kind.
Partition without_tables(Partition p) {
    p.has_tables = false;
    p.total_tiles = p.all_layer_tiles;
    p.table_tiles = p.words = 0;
    p.head = {};
    return p;
}

}  // namespace

std::vector<KindOnMesh> kinds_of(Design const& design, double value_bits) {
    std::vector<KindOnMesh> kinds;
    if (!differ(design)) {
        kinds.push_back({design, partition(design, value_bits)});
        return kinds;
    }
    for (auto const& alike : alike_layers(*design.model)) {
        auto one = design;
        one.model = &alike;
        auto parts = partition(one, value_bits);
        kinds.push_back({one, kinds.empty() ? std::move(parts) : without_tables(std::move(parts))});
    }
    Partition all;
    for (auto const& [of_kind, p] : kinds) {
        all.all_layers += of_kind.model->layers;
        all.all_layer_tiles += of_kind.model->layers * p.placed_tiles;
        all.all_tiles += p.total_tiles;
        all.all_crossbars += of_kind.model->layers * p.tiles + p.table_tiles;
    }
    for (auto& kind : kinds) {
        for (auto const total :
             {&Partition::all_layers, &Partition::all_layer_tiles, &Partition::all_tiles, &Partition::all_crossbars})
            kind.partition.*total = all.*total;
    }
    return kinds;
}

}  // namespace pimdse::models::cim_mesh
