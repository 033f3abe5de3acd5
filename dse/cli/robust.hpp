#pragma once

#include "dse/search/robust_front.hpp"
#include "dse/space/columns.hpp"
#include "dse/uncertain/point_study.hpp"

#include <string>

namespace pimdse::dse::cli {

/// How sure a front is, as readable text: the statement, the standings of several machines, the decisions that hold in
/// all draws, and the constants that decide between machines.
[[nodiscard]] std::string robust_text(search::RobustFront const& front, space::Columns const& columns);

/// What the draws say of one design: its share, its largest effects, and the smallest change that takes it off the
/// front.
[[nodiscard]] std::string point_study_text(search::RobustFront const& front, space::Columns const& columns,
                                           space::PointId point, uncertain::PointStudy const& study);

}  // namespace pimdse::dse::cli
