#pragma once

#include "dse/run/dispatcher.hpp"
#include "dse/space/space.hpp"
#include "simulated_cost.hpp"

#include <cstdint>

namespace pimdse::scale {

/// What the machine of a simulated job is like. The defaults were measured (README.md).
struct Machine {
    int ranks = 2;                    ///< rank 0 coordinates and computes, as it does in a real job
    int threads = 1;                  ///< per rank
    double latency = 20e-6;           ///< s, of a message between nodes
    double receive_seconds = 4e-6;    ///< of the coordinator, per message with results
    double send_seconds = 6e-6;       ///< of the coordinator, per chunk handed out, its mark in the journal included
    double result_seconds = 0.6e-6;   ///< of the coordinator, per result: decode, journal, store, front
    double listed_seconds = 0.02e-6;  ///< of the coordinator, per point that is handed out by a list and not by a run:
                                      ///< its id, marked and sent
    double shortest_nap = 100e-6;     ///< between two looks for messages, at first: 50 us and what the system adds
    double longest_nap = 550e-6;      ///< the same, when nothing has happened for a while
    double slowest_speed = 1.0;       ///< ranks are this fast to 1, evenly spread
};

struct Work {
    Cost cost;
    std::uint64_t points = 0;
    dse::space::Keep keep = dse::space::Keep::all;
    std::uint64_t kept_per_chunk = 64;  ///< results that a chunk sends where only fronts are kept
    bool listed = false;                ///< strategy random: points are handed out by lists
};

struct Outcome {
    double seconds = 0.0;              ///< from the first chunk to the last result
    double busy_seconds = 0.0;         ///< of all threads of all ranks, in points
    double coordinator_seconds = 0.0;  ///< in messages and results
    std::uint64_t chunks = 0;
    double efficiency = 0.0;  ///< busy_seconds / (threads of the job x seconds)
};

/// Runs the work in virtual time: the program's own Dispatcher decides who gets what; coordinator, messages, naps and
/// threads are simulated. Deterministic.
[[nodiscard]] Outcome simulate(Machine const& machine, Work const& work, dse::run::Dispatcher::Settings settings = {});

}  // namespace pimdse::scale
