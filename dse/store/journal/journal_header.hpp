#pragma once

#include "dse/store/differing_input.hpp"
#include "dse/task/columns.hpp"

#include <string>
#include <vector>

namespace pimdse::dse::store::journal {

/// What the head of a journal says of the run that writes it.
struct JournalHeader {
    std::string architecture;
    std::vector<std::string> metrics;
    std::string space_text;
    std::string canonical_text;
    std::string run;          ///< JSON of the writer's choice, for people and `watch`
    InputHashes inputs = {};  ///< what the answers are computed from; empty: nobody knows

    static JournalHeader of(task::Columns const& columns, std::string run = "{}");
};

}  // namespace pimdse::dse::store::journal
