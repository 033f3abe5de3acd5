#pragma once

#include "dse/answers/result_store.hpp"

#include <string>
#include <string_view>

namespace pimdse::dse::store {

/// SHA-256 of the text alone, as `sha256sum` prints it.
[[nodiscard]] std::string sha256(std::string_view text);

/// What a result file says: the space (identity_text() of its canonical text) and every kept answer by point and
/// fidelity, bit for bit. Seconds, ranks and the wording of failures that are bugs are not in it.
[[nodiscard]] std::string digest(std::string_view identity, answers::ResultStore const& store);

}  // namespace pimdse::dse::store
