#pragma once

#include <string>
#include <string_view>

namespace pimdse::dse::flips {

/// Of the machines of a space, with axes, scenarios, conditions and assumptions, whatever its objectives are. Equal
/// digests: what flips says of one space holds for answers of the other. `canonical_text`: that of a space or a result
/// file; empty for a text that is none.
[[nodiscard]] std::string space_digest(std::string_view canonical_text);

}  // namespace pimdse::dse::flips
