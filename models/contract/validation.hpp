#pragma once

#include "models/contract/architecture.hpp"
#include "models/contract/published.hpp"

#include <functional>
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
    bool within = false;  ///< the error lies within the tolerance on the sides that the relation allows
    std::string problem;  ///< why there is no number of ours; "" otherwise
    /// The row says what it should: within its tolerance, or, where it is contradicted, outside it with a number of
    /// ours.
    [[nodiscard]] bool as_stated() const { return figure.contradicted ? problem.empty() && !within : within; }
};

/// What the figures of a paper come to. Rows of consistency and of reference runs are not counted.
struct ClaimCounts {
    std::size_t reproduced = 0;    ///< held within their tolerance; no constant was chosen on them
    std::size_t fitted = 0;        ///< held; a constant was chosen on them
    std::size_t contradicted = 0;  ///< the model says otherwise
    std::size_t shown = 0;         ///< printed beside ours, not held
    std::size_t not_modelled = 0;  ///< claims of the paper without a figure of ours
    std::size_t failed = 0;        ///< held, but not as stated
    [[nodiscard]] std::size_t claims() const {
        return reproduced + fitted + contradicted + shown + not_modelled + failed;
    }
};
[[nodiscard]] ClaimCounts count_claims(Paper const& paper, std::vector<FigureCheck> const& checks);

/// The architecture of a name; throws InputError if there is none.
using FindArchitecture = std::function<Architecture const&(std::string const&)>;

/// Checks figures of one architecture. Points that bind the same table of parameters share what was prepared for it; a
/// figure of a grid names the places of its values in its note, impossible points of the grid being left out.
class FigureChecker {
  public:
    /// `find` is asked for the architecture of a denominator that is another one's.
    explicit FigureChecker(Architecture const& architecture, FindArchitecture find = {});
    /// Evaluates the point (or the ratio of two points) that a figure names. A mistake in the figure's own text is an
    /// InputError.
    [[nodiscard]] FigureCheck check(PublishedFigure const& figure);

  private:
    using Settings = std::vector<std::pair<std::string, std::string>>;
    [[nodiscard]] double evaluated(std::string const& metric, Settings const& settings, std::string const& fidelity,
                                   std::string& problem);
    [[nodiscard]] double denominator(PublishedFigure const& figure, Settings const& settings, std::string& problem);
    [[nodiscard]] double value_of(PublishedFigure const& figure, Settings const& more, std::string& problem);
    [[nodiscard]] double of_grid(FigureCheck& check);
    [[nodiscard]] Inputs const& inputs_for(Parameters const& parameters);

    Architecture const* architecture_;
    FindArchitecture find_;
    std::map<std::string, FigureChecker> others_;  ///< of denominators that are another architecture's, by its name
    Parameters table_;
    MetricList metrics_;
    std::map<std::string, Inputs> prepared_;  ///< by all choices of all parameters
};

/// The default point with some parameters replaced, read as a person writes them; the table is bound by it.
[[nodiscard]] std::vector<Value> point_with(Parameters& parameters,
                                            std::vector<std::pair<std::string, std::string>> const& settings);

}  // namespace pimdse::models
