#pragma once

#include "models/architecture.hpp"
#include "models/files.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pimdse::models {

/// A published figure beside ours.
struct FigureCheck {
    PublishedFigure figure;
    double ours = 0.0;         ///< in SI; NaN if the point could not be evaluated
    double error = 0.0;        ///< (ours - published)/published
    bool within = false;       ///< |error| <= tolerance
    std::string problem;       ///< why there is no number of ours; "" otherwise
};

/// Evaluates the point (or the ratio of two points) that a figure names. A mistake in the figure's own text is an InputError.
[[nodiscard]] FigureCheck check_figure(Architecture const& architecture, PublishedFigure const& figure);

/// The default point with some parameters replaced, read as a person writes them; the table is bound by it.
[[nodiscard]] std::vector<Value> point_with(Parameters& parameters, std::vector<std::pair<std::string, std::string>> const& settings);

}  // namespace pimdse::models
