#include "dse/flips/space_digest.hpp"

#include "dse/store/digest.hpp"

#include <nlohmann/json.hpp>

namespace pimdse::dse::flips {

std::string space_digest(std::string_view canonical_text) {
    auto text = nlohmann::ordered_json::parse(canonical_text, nullptr, false);
    if (!text.is_object()) return "";
    text.erase("formulas");
    text.erase("kept_front_of");
    return store::sha256(text.dump());
}

}  // namespace pimdse::dse::flips
