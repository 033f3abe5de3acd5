#pragma once

#include "dse/search/robust_front.hpp"
#include "dse/space/columns.hpp"
#include "dse/uncertain/point_study.hpp"
#include "sim/base/json.hpp"

namespace pimdse::dse::report {

/// The output of `pimdse robust --format json`: statement, constants, designs, machines, decisions and flips. Numbers
/// are in SI, ids are strings.
[[nodiscard]] sim::Json robust_json(search::RobustFront const& front);

/// The part "uncertain" of an explanation: {"front_share": ..., "tornado": [...], "leaves_front": {...} or null}.
[[nodiscard]] sim::Json point_study_json(search::RobustFront const& front, space::PointId point,
                                         uncertain::PointStudy const& study);

/// Position of a design in the front; nullptr if it was on no front.
[[nodiscard]] search::RobustDesign const* find_design(search::RobustFront const& front, space::PointId point);

}  // namespace pimdse::dse::report
