#pragma once

#include "models/chips/group.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/economy/economy.hpp"
#include "models/llm/request_passes.hpp"

#include <vector>

/// What a group does for a request from what its devices do. docs/models.md has the equations.
namespace pimdse::models::chips {

/// What some passes of one micro-batch exchange. A sum over the tensor group after every part of a layer (attention
/// or state, network), of one vector of two bytes per element for each position; with divided experts two all-to-alls
/// per layer with experts; a vector per position from stage to stage; and in the last stage the best of each part of
/// the vocabulary.
struct PassExchange {
    double stage = 0.0, head = 0.0, between = 0.0;  ///< s: in every stage; in the last one; from one stage to the next
    double stage_bytes = 0.0, head_bytes = 0.0,
           between_bytes = 0.0;  ///< over all links of one stage or boundary, of one copy of the model
};
/// `part` is the part of the model that a device of the last stage has; `sequences` those of its micro-batch.
[[nodiscard]] PassExchange exchange_of(std::vector<EqualPasses> const& passes, LanguageModel const& part,
                                       DeviceGroup const& group, double sequences);

/// What a device of a stage does for one micro-batch, as a machine that serves its part of the model alone.
struct StageResult {
    RequestResult device;
    Estimate footprint;        ///< with the keys and values of all its micro-batches
    PassExchange first, rest;  ///< of one micro-batch, until the first token and after it
};

/// Stages before the last one that are alike.
struct StagesBefore {
    StageResult each;
    double stages = 0.0;
};

/// A group at work.
struct GroupResult {
    DeviceGroup group;
    std::vector<StagesBefore> before;  ///< every stage before the last one
    StageResult last;
    double host = 0.0;         ///< W of the host that each device was evaluated with; 0 if hosts are not counted
    bool shares_hosts = true;  ///< eight devices have one host; otherwise each its own
    economy::Economy const* economy = nullptr;
};

struct Composed {
    RequestResult request;
    double exchanging = 0.0;       ///< s of the latency in which a device of the last stage exchanges data
    double waiting = 0.0;          ///< s of the latency in which it waits for other stages
    double link_energy = 0.0;      ///< J
    double idle_energy = 0.0;      ///< J of devices that exchange or wait
    double host_energy = 0.0;      ///< J of all hosts
    double host_of_devices = 0.0;  ///< J of hosts that the energies of devices contain instead
};

/// Hosts of a group; with shared ones, eight devices have one.
[[nodiscard]] std::int64_t hosts_of(DeviceGroup const& group, bool shares_hosts);

/// `own` are the metrics of a device that are not common.
[[nodiscard]] Composed compose(MetricList const& own, GroupResult const& result);

}  // namespace pimdse::models::chips
