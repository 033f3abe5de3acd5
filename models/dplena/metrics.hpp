#pragma once

#include "models/contract/common_metrics.hpp"
#include "models/contract/fidelity.hpp"
#include "models/dplena/host.hpp"
#include "models/dplena/parameters.hpp"
#include "models/dplena/program.hpp"
#include "models/dplena/silicon.hpp"

#include <vector>

namespace pimdse::models::dplena {

/// Cost of the sampling of a block. Precondition: `program` is that of a design that breaks no rule.
[[nodiscard]] SamplingCost sampling_of(Program const& program, MachineConstants const& machine, Fidelity fidelity);

/// A request with the sampling of one of its blocks: what metrics of the sampler follow from.
struct Sampled {
    Design const& design;  ///< with the number of steps that its remasking policy needs
    MachineConstants const& machine;
    SamplingCost const& sampling;  ///< of a block of all sequences
    FifoCycles fifo;               ///< of its tokens
    AccuracyBounds accuracy;       ///< exact at cycle level
    Silicon silicon;
    Estimate all_samplings;  ///< s of the request, without the FIFO
    Estimate model;          ///< s of its passes of a model beside samplings; 0: it has none
    Estimate pass;           ///< s of one of them after the first of a block, or of a token
    RequestResult const& common;
};
[[nodiscard]] AccuracyBounds accuracy_of(Design const& design, Prepared const& prepared, Fidelity fidelity);

/// Metrics of machines with a sampler that are not common, and their values.
[[nodiscard]] MetricList sampler_metrics();
[[nodiscard]] Metrics sampler_metrics_of(Sampled const& request);
/// What is particular to the common ones.
[[nodiscard]] std::vector<MetricNote> metric_notes();

}  // namespace pimdse::models::dplena
