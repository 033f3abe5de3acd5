#pragma once

#include "dse/search/result_store.hpp"
#include "dse/space/columns.hpp"
#include "sim/base/json.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::cli {

/// Designs that are nearly as good as one on the front, and differ from it in the same parameters.
struct NearDesigns {
    search::Row on_front{};
    std::vector<std::size_t> differ;  ///< parameters, ascending
    std::vector<search::Row> rows;    ///< the least loss first; of equal ones the smaller id
    /// Loss of the first and of the last row: what an objective loses at worst, as a share of it, where the design
    /// takes the place of the one on the front; 0: nothing.
    double least = 0.0, most = 0.0;
};

/// The designs of `rows` that lose at most `share` in every objective against some design on the front, each with the
/// one against which it loses least (of several, the first). Groups are in the order of `front`, larger ones first.
[[nodiscard]] std::vector<NearDesigns> near_front(space::Columns const& columns, search::ResultStore const& store,
                                                  std::span<space::Objective const> objectives,
                                                  std::span<search::Row const> front, std::span<search::Row const> rows,
                                                  double share);

/// The same in words: a table of the groups, with the values of the parameters that differ; equal designs are told
/// apart from those that lose something. `of`: what they are near to.
[[nodiscard]] std::string near_text(space::Columns const& columns, search::ResultStore const& store,
                                    std::vector<NearDesigns> const& near, double share,
                                    std::string_view of = "the front");
[[nodiscard]] sim::Json near_json(space::Columns const& columns, search::ResultStore const& store,
                                  std::vector<NearDesigns> const& near);

/// Positions of rows of a front that stand for all of it: the best in each objective, and, in their order, those of
/// which every other kept row differs by more than `share` in some objective.
[[nodiscard]] std::vector<std::size_t> thinned(search::ResultStore const& store,
                                               std::span<space::Objective const> objectives,
                                               std::span<search::Row const> front, double share);

}  // namespace pimdse::dse::cli
