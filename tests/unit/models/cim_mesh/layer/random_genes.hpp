#pragma once

#include "sim/noc/open_loop.hpp"
#include "tests/unit/models/cim_mesh/designs.hpp"

namespace pimdse::models::cim_mesh::test {

/// Bands or rectangles, in any order, turned anyhow.
inline Genes random_genes(Given const& given, std::uint64_t seed) {
    auto const random = [&](std::uint64_t what, std::size_t below) {
        return static_cast<std::size_t>(sim::noc::hashed(seed + 1, what) % below);
    };
    auto genes = packed_genes(given.parts);
    for (std::size_t i = 0; i < genes.order.size(); ++i) {
        std::swap(genes.order[i], genes.order[random(i, genes.order.size())]);
        genes.directions[i] = static_cast<CrossbarOrder>(random(10 + i, 3));
    }
    if (random(20, 2) == 1) genes.interleave = Interleave::gate_up;
    genes.band_height = static_cast<std::int64_t>(random(21, 40));
    if (random(22, 3) == 0) return genes;
    auto const ground = given.ground();
    for (std::size_t i = 0; i < ground.matrices.size(); ++i) {
        auto const heights = rectangle_heights(ground, ground.matrices[i]);
        genes.heights.push_back(heights.empty() ? 1 : heights[random(30 + i, heights.size())]);
    }
    return genes;
}

}  // namespace pimdse::models::cim_mesh::test
