#pragma once

#include "sim/serving/load.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace pimdse::sim::serving {

/// Sessions whose turns repeat what was said: the prompt of a later turn is that of the turn before, its output, and
/// new tokens.
struct SessionSettings {
    double turns = 1.0;        ///< of a session; their mean if they are drawn
    bool geometric = false;    ///< turns are drawn: after each, the session goes on with the same probability
    double think = 0.0;        ///< s from the last token of a turn to the arrival of the next
    bool exponential = false;  ///< think times are drawn, with that mean
    std::optional<std::int64_t> input, output;  ///< new tokens of later turns; else drawn as those of first ones
    std::int64_t shared_prefix = 0;             ///< tokens with which every session begins, beside its input
    double share = 1.0;  ///< of the sessions that begin with the same tokens; the others have own ones
    std::uint64_t seed = 1;
};

/// Turns of sessions that have `requests` turns together, of which the last session may have fewer than it would.
[[nodiscard]] std::vector<std::int64_t> turns_of_sessions(SessionSettings const& settings, std::size_t requests);

/// The load of sessions that arrive at these times. `input` and `output` have the new tokens of each turn, session
/// after session.
[[nodiscard]] ServiceLoad load_of_sessions(SessionSettings const& settings, std::vector<std::int64_t> const& turns,
                                           std::vector<double> const& times, std::vector<std::int64_t> const& input,
                                           std::vector<std::int64_t> const& output);

}  // namespace pimdse::sim::serving
