#pragma once

#include "models/cim_mesh/placed_design.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/text/result.hpp"

#include <memory>
#include <span>
#include <vector>

namespace pimdse::models::cim_mesh {

/// The metrics of machines with a mesh, and what is particular to their common ones.
[[nodiscard]] MetricList own_metrics();
[[nodiscard]] std::vector<MetricNote> metric_notes();

/// A mesh that has served a request. What is said of one layer is said of the first kind of layers, if there are
/// several.
struct ServedMesh {
    Prepared const& prepared;
    PlacedDesign const& on_mesh;
    std::span<std::unique_ptr<PlacedKind> const> kinds;
    BatchPasses const& prompts;                      ///< the first passes of all requests
    std::span<PlacedKind::Pass const> first, later;  ///< a first pass and the mean later one, by kind
    text::Result const& result;
    RequestResult const& common;
};
/// Values of those that are not common, which a mesh has in any machine.
[[nodiscard]] Metrics own_metrics_of(ServedMesh const& mesh);

}  // namespace pimdse::models::cim_mesh
