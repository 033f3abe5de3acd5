#pragma once

#include "models/contract/architecture.hpp"
#include "models/contract/published.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::models {

/// A published figure beside ours.
struct FigureCheck {
    PublishedFigure figure;
    double ours = 0.0;    ///< in SI; NaN if the point could not be evaluated
    double error = 0.0;   ///< (ours - published)/published
    bool within = false;  ///< |error| <= tolerance
    std::string problem;  ///< why there is no number of ours; "" otherwise
};

/// Checks figures of one architecture. Points that bind the same table of parameters share what was prepared for it; a
/// figure of a grid names the place of its largest value in its note, impossible points of the grid being left out.
class FigureChecker {
  public:
    explicit FigureChecker(Architecture const& architecture);
    /// Evaluates the point (or the ratio of two points) that a figure names. A mistake in the figure's own text is an
    /// InputError.
    [[nodiscard]] FigureCheck check(PublishedFigure const& figure);

  private:
    using Settings = std::vector<std::pair<std::string, std::string>>;
    [[nodiscard]] double evaluated(PublishedFigure const& figure, Settings const& settings, std::string& problem);
    [[nodiscard]] double value_of(PublishedFigure const& figure, Settings const& more, std::string& problem);
    [[nodiscard]] double largest(FigureCheck& check);
    [[nodiscard]] Inputs const& inputs_for(Parameters const& parameters);

    Architecture const* architecture_;
    Parameters table_;
    MetricList metrics_;
    std::map<std::string, Inputs> prepared_;  ///< by all choices of all parameters
};

/// The default point with some parameters replaced, read as a person writes them; the table is bound by it.
[[nodiscard]] std::vector<Value> point_with(Parameters& parameters,
                                            std::vector<std::pair<std::string, std::string>> const& settings);

}  // namespace pimdse::models
