#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/task/id_set.hpp"

namespace pimdse::dse::answers {

/// The ids that have an answer at this fidelity: rows, blocks of which the front is kept, and parts of blocks.
[[nodiscard]] task::IdSet answered_ids(ResultStore const& store, models::Fidelity fidelity);

}  // namespace pimdse::dse::answers
