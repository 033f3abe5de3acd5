#pragma once

#include "dse/search/result_store.hpp"

#include <string>
#include <string_view>

namespace pimdse::dse::search {

/// The digest of a result file: of its space (identity_text() of its canonical text) and every kept result by point and
/// fidelity, bit for bit. Seconds, ranks and the wording of failures that are bugs are not included.
[[nodiscard]] std::string digest(std::string_view identity, ResultStore const& store);

}  // namespace pimdse::dse::search
