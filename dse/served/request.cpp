#include "dse/served/request.hpp"

#include "dse/served/point_reader.hpp"
#include "dse/space/search_names.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>

namespace pimdse::dse::served {
namespace {

using nlohmann::json;
using sim::InputError;

constexpr std::array<std::string_view, 4> verbs{"describe", "evaluate", "front", "stop"};
constexpr std::size_t most_points = 1'000'000;

Request::Verb verb_of(json const& said) {
    std::vector<std::string> const names(verbs.begin(), verbs.end());
    if (!said.contains("verb") || !said.at("verb").is_string())
        throw InputError(fmt::format("a request has a verb: {}", fmt::join(names, ", ")));
    auto const name = said.at("verb").get<std::string>();
    auto const found = std::ranges::find(names, name);
    if (found == names.end()) throw InputError(fmt::format("unknown verb '{}'.{}", name, sim::suggestion(name, names)));
    return static_cast<Request::Verb>(found - names.begin());
}

void refuse_unknown_keys(json const& said, Request::Verb verb) {
    std::vector<std::string> keys{"verb", "tag"};
    if (verb == Request::Verb::evaluate) keys.insert(keys.end(), {"fidelity", "ids", "points"});
    for (auto const& [key, _] : said.items()) {
        if (std::ranges::find(keys, key) == keys.end())
            throw InputError(fmt::format("unknown key '{}'.{}", key, sim::suggestion(key, keys)));
    }
}

std::vector<task::PointId> points_of(space::Space const& space, json const& said) {
    bool const by_id = said.contains("ids");
    if (by_id == said.contains("points")) throw InputError("evaluate takes either ids or points");
    auto const& list = said.at(by_id ? "ids" : "points");
    if (!list.is_array() || list.empty() || list.size() > most_points)
        throw InputError(fmt::format("{} is no list of 1 to {} points", by_id ? "ids" : "points", most_points));
    std::vector<task::PointId> points;
    points.reserve(list.size());
    for (auto const& entry : list) {
        try {
            points.push_back(by_id ? read_id(space, entry) : read_point(space, entry));
        } catch (InputError const& error) {
            throw InputError(fmt::format("point {} of {}: {}", points.size(), list.size(), error.what()));
        }
    }
    return points;
}

models::Fidelity fidelity_of(space::Space const& space, json const& said) {
    if (!said.contains("fidelity")) return space.search().fidelity;
    if (!said.at("fidelity").is_string()) throw InputError("fidelity is analytic, hybrid or cycle");
    return space::parse_fidelity(space.architectures(), said.at("fidelity").get<std::string>());
}

}  // namespace

Request read_request(space::Space const& space, std::string const& line) {
    Request request;
    try {
        auto const said = json::parse(line, nullptr, false);
        if (said.is_discarded() || !said.is_object()) throw InputError("the line is no JSON object");
        if (said.contains("tag")) request.tag = said.at("tag");
        request.verb = verb_of(said);
        refuse_unknown_keys(said, request.verb);
        if (request.verb != Request::Verb::evaluate) return request;
        request.fidelity = fidelity_of(space, said);
        request.points = points_of(space, said);
        return request;
    } catch (InputError const& error) {
        throw Refusal{request.tag, error.what()};
    }
}

}  // namespace pimdse::dse::served
