#include "dse/space/assumed.hpp"
#include "models/contract/assumption_texts.hpp"

#include "sim/base/check.hpp"

#include <nlohmann/json.hpp>

namespace pimdse::dse::space {

std::optional<models::Assumptions> assumptions_of(task::Columns const& columns) {
    auto const text = nlohmann::json::parse(columns.canonical_text, nullptr, false);
    if (!text.is_object()) return std::nullopt;
    auto const several = text.find("machines");
    bool const joint = several != text.end() && several->is_array() && !several->empty();
    auto const& machine = joint ? several->front() : text;
    if (!machine.is_object() || (!joint && !machine.contains("assumptions"))) return std::nullopt;
    models::Assumptions found;
    if (!machine.contains("assumptions") || !machine["assumptions"].is_object()) return found;
    try {
        for (auto const& [key, value] : machine["assumptions"].items())
            models::set_assumption(found, key, value.is_string() ? value.get<std::string>() : value.dump());
    } catch (sim::InputError const&) {
        return std::nullopt;  // of another version
    }
    return found;
}

std::string assumed_text(task::Columns const& columns) {
    auto const found = assumptions_of(columns);
    return found ? "assuming " + models::sentence_of(*found) : "";
}

}  // namespace pimdse::dse::space
