#pragma once

#include "models/contract/standby.hpp"
#include "sim/serving/step.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace pimdse::models {

struct ServiceEngine;

/// Layers that keep only the last positions of a sequence.
struct KeyWindow {
    std::int64_t positions = 0;
    double position_bytes = 0.0;  ///< keys and values of a position in all of these layers
};

/// Second level of the cache: a memory behind a link of its own that receives evicted blocks; 0 bytes: there is none.
struct KeyTier {
    double bytes = 0.0;
    double read_bandwidth = 0.0, write_bandwidth = 0.0;  ///< B/s, at the same time
    double latency = 0.0;                                ///< s of a read
    double read_energy = 0.0, write_energy = 0.0;        ///< J/B
};

/// Where sequences go when their prompt is complete: engines of another machine, which decode them, and a link that
/// moves their keys and values. Every engine has one link, over which sequences move one after the other.
struct Handover {
    std::shared_ptr<ServiceEngine const> to;  ///< has no handover itself, and decodes token by token
    std::function<double(std::int64_t positions)> seconds, joules;
    /// Whether they keep beginnings of prompts as the first engines do. Then the links are theirs, and each moves what
    /// a sequence has and its engine has not, when it is admitted.
    bool to_keeps_prefixes = false;
};

/// A machine as an engine that serves requests which come and go: what a step costs, and what the cache of keys and
/// values holds. It depends on the machine and the model of a point, and not on `batch`, `input` or `output`, of which
/// every step has its own.
///
/// Consistency law (tests/laws): requests that arrive together, with equal lengths, prompts that are not cut and enough
/// cache, have the ttft, latency and energy that Architecture::evaluate gives for that batch at the same fidelity.
struct ServiceEngine {
    /// Seconds, and joules with the idle power of the machine during the step. Thread-safe.
    sim::serving::StepLaw law;
    /// A lower bound of the seconds of a step at cycle level, which is proved. Empty if none is known.
    std::function<double(sim::serving::StepWork const&)> min_seconds;
    /// Whether min_seconds of a sequence alone bounds every way to serve it, its prompt in parts and beside others, so
    /// that times of requests follow from it (tests/laws).
    bool bounds_requests = false;
    /// Measured times of requests lie within this factor of those that follow from the steps
    /// (docs/generated/accuracy.md). 0: the machine states no such factor.
    double spread = 0.0;
    double idle_power = 0.0;     ///< W between steps, hosts included
    double waiting_power = 0.0;  ///< W in a step in which nothing works, hosts included
    double cache_bytes = 0.0;    ///< of memory that the weights leave to keys and values; 0 if there is none
    /// All of the memory in which the cache is, over what the weights leave of it.
    double memory_over_cache = 1.0;
    /// B of a device, by which programs choose the length of steps; 0: short ones (scheduler_parameters.hpp).
    double device_memory = 0.0;
    double position_bytes = 0.0;       ///< keys and values of a position in all layers; 0: no layer has any
    std::vector<KeyWindow> windows{};  ///< parts of position_bytes that end to grow
    double state_bytes = 0.0;          ///< of the cache that a sequence takes beside its positions, however long it is
    /// What a handover moves: every key and state once, of which several devices may have copies.
    struct Moved {
        double position_bytes = 0.0;  ///< of each position that all layers keep (kept_positions)
        double state_bytes = 0.0;     ///< of a sequence
    } moved{};
    KeyTier tier{};
    /// Positions after which layers that attend in chunks begin anew, so that a later token may cost less; 0: no layer
    /// does (models::chunk_of).
    std::int64_t chunk = 0;
    std::int64_t max_context = 0;    ///< positions of a sequence that the model or the machine allows; 0: any number
    std::int64_t max_sequences = 0;  ///< in a step; 0: any number
    /// Tokens that a sequence yields in a step in which it is decoded: 1, or the block that diffusion denoises.
    std::int64_t tokens_per_step = 1;
    /// Whether keys and values of a whole output have a place from the first step of its request on: passes of
    /// diffusion compute the positions up to its end, and cache them (SchedulerSettings::reserves_output).
    bool reserves_output = false;
    /// Equal engines of the machine, which take the requests in turn. Power, cache and law are those of one of them.
    std::int64_t copies = 1;
    std::optional<Handover> handover{};  ///< empty: the engines decode what they have computed

    /// A machine that stands by like this, with a host of so many W.
    void stand_by(Standby const& rest, double host) {
        idle_power = rest.idle() + host;
        waiting_power = rest.waiting() + host;
    }
};

/// Positions in all layers whose keys and values take as many bytes as what layers keep of so many positions.
[[nodiscard]] inline double kept_positions(ServiceEngine const& engine, std::int64_t positions) {
    auto kept = static_cast<double>(positions);
    for (auto const& window : engine.windows)
        if (positions > window.positions)
            kept -= window.position_bytes / engine.position_bytes * static_cast<double>(positions - window.positions);
    return kept;
}

}  // namespace pimdse::models
