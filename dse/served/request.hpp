#pragma once

#include "dse/space/space.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace pimdse::dse::served {

/// What a line asks for.
struct Request {
    enum class Verb : std::uint8_t { describe, evaluate, front, stop };
    Verb verb = Verb::describe;
    nlohmann::ordered_json tag;  ///< goes with the reply, whatever it is
    models::Fidelity fidelity = models::Fidelity::analytic;
    std::vector<task::PointId> points;
};

/// A line that asks for nothing: one sentence, and the tag as far as there is one.
struct Refusal {
    nlohmann::ordered_json tag;
    std::string sentence;
};

/// Reads {"verb": "evaluate", "tag": ..., "fidelity": ..., "ids": [...]} or "points": [{...}], {"verb": "front"},
/// {"verb": "describe"}, {"verb": "stop"}. Without a fidelity it is that of the space's search. Throws Refusal.
[[nodiscard]] Request read_request(space::Space const& space, std::string const& line);

/// What a line asks of one machine whose points need not be in a space.
struct FreeRequest {
    nlohmann::ordered_json tag;
    std::optional<models::Fidelity> fidelity;
    std::vector<std::vector<models::Value>> points;
};

/// Reads {"tag": ..., "fidelity": ..., "points": [{...}]}; what a point does not say is as in `base`. Throws Refusal.
[[nodiscard]] FreeRequest read_free_request(models::Parameters& parameters, models::Point base,
                                            std::string const& line);

}  // namespace pimdse::dse::served
