#pragma once

#include "models/cim_mesh/placement/placement.hpp"

namespace pimdse::models::cim_mesh {

/// All that a placed layer and the collectives on it depend on, but for the flits of a vector.
struct LayerKey {
    Ground ground;
    Genes genes;
    std::int64_t n = 0, f = 0, q = 0, kv = 0;  ///< slices, see Partition
    std::int64_t crossbar = 0;
    KvPool kv_pool = KvPool::layer;
    bool keeps_keys = true;

    auto operator<=>(LayerKey const&) const = default;
};

[[nodiscard]] inline LayerKey layer_key(Design const& design, Partition const& p, Genes genes) {
    return {ground_of(design, p), std::move(genes),   p.n, p.f, p.q, p.kv, design.crossbar,
            design.kv_pool,       design.keeps_keys()};
}

}  // namespace pimdse::models::cim_mesh
