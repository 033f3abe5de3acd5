#pragma once

#include "dse/store/result_file.hpp"
#include "sim/base/json.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace pimdse::dse::report {

/// Columns of a page: a head for each column, and the packed values, to which "data" of the head is the index.
struct PageColumns {
    sim::Json heads = sim::Json::array();
    std::vector<std::string> data;

    [[nodiscard]] std::size_t bytes() const;
};

/// Metrics that a page with many designs has for every design: the objectives, also the common metrics, or all. Metrics
/// with few distinct values are always included. The other metrics are included for the designs on the front.
enum class MetricSet : std::uint8_t { objectives, usual, all };

/// Columns of the given rows: id, fidelity, status, rule, whether the row is on the front, parameters, metrics,
/// intervals of objectives, intervals of other metrics for the designs on the front, and with draws of uncertain
/// constants front_share and regret. `known`: the columns of the file, with the machines of its space if the program
/// knows it.
[[nodiscard]] PageColumns page_columns(store::ResultFile const& file, space::Columns const& known,
                                       std::span<search::ResultStore::Row const> rows, MetricSet metrics);

}  // namespace pimdse::dse::report
