#pragma once

#include "dse/store/result/result_file.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

namespace pimdse::dse::report {

/// What the page has of some rows: a head for each column, and the text that its head refers to by its place.
struct PageColumns {
    nlohmann::ordered_json heads = nlohmann::ordered_json::array();
    std::vector<std::string> data;

    [[nodiscard]] std::size_t bytes() const;
};

/// Ids, fidelities, statuses, rules, which rows are on the front, every parameter, every metric, objectives with their
/// intervals, other metrics with those of the designs on the front.
/// `known`: the columns of the file with what its space knows beyond them.
[[nodiscard]] PageColumns page_columns(store::result::ResultFile const& file, task::Columns const& known,
                                       std::span<answers::ResultStore::Row const> rows);

}  // namespace pimdse::dse::report
