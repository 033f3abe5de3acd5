#pragma once

#include "dse/store/result_file.hpp"

#include <cstddef>
#include <cstdint>
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

/// Which metrics a page has of every design, where designs are many: the objectives, the common metrics too, or all;
/// and always those that take hardly any room. Of the others it has the designs on the front.
enum class MetricSet : std::uint8_t { objectives, usual, all };

/// Ids, fidelities, statuses, rules, which rows are on the front, every parameter, the metrics, objectives with their
/// intervals, other metrics with those of the designs on the front.
/// `known`: the columns of the file with what its space knows beyond them.
[[nodiscard]] PageColumns page_columns(store::ResultFile const& file, space::Columns const& known,
                                       std::span<search::ResultStore::Row const> rows, MetricSet metrics);

}  // namespace pimdse::dse::report
