#pragma once

#include "dse/task/columns.hpp"
#include "models/contract/assumptions.hpp"

#include <optional>
#include <string>

namespace pimdse::dse::space {

/// What all machines of the space of a result file stand on, read from columns.canonical_text; nothing of a space of
/// one machine that assumes nothing, or where the text cannot be read.
[[nodiscard]] std::optional<models::Assumptions> assumptions_of(task::Columns const& columns);

/// "assuming view hardware, constants technology (7nm), ...", for the reader of a table; "" where there is nothing to
/// say.
[[nodiscard]] std::string assumed_text(task::Columns const& columns);

}  // namespace pimdse::dse::space
