#include "dse/store/journal/journal_header.hpp"

#include <utility>

namespace pimdse::dse::store::journal {

JournalHeader JournalHeader::of(task::Columns const& columns, std::string run) {
    JournalHeader header{columns.architecture, {}, columns.space_text, columns.canonical_text, std::move(run),
                         columns.input_hashes};
    for (auto const& metric : columns.metrics) header.metrics.push_back(metric.name);
    return header;
}

}  // namespace pimdse::dse::store::journal
