#pragma once

#include "models/contract/fidelity.hpp"
#include "models/contract/inputs.hpp"
#include "models/contract/metric.hpp"
#include "models/contract/published.hpp"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::models {

/// A published figure next to the own value.
struct FigureCheck {
    PublishedFigure figure;
    double ours = 0.0;    ///< in SI; NaN if the point could not be evaluated
    double error = 0.0;   ///< (ours - published)/published
    bool within = false;  ///< the error lies within the tolerance on the sides that the relation allows
    std::string problem;  ///< reason why there is no own value; "" otherwise
    /// True if the row is as stated: within its tolerance or, for a contradicted figure, outside it with an own value.
    [[nodiscard]] bool as_stated() const { return figure.contradicted ? problem.empty() && !within : within; }
};

/// Counts of the claims of a paper by status. Rows of consistency and of reference runs are not counted.
struct ClaimCounts {
    std::size_t reproduced = 0;    ///< within their tolerance, and no constant was fitted to them
    std::size_t fitted = 0;        ///< within their tolerance, but a constant was fitted to them
    std::size_t contradicted = 0;  ///< outside their tolerance, as stated
    std::size_t shown = 0;         ///< not checked
    std::size_t not_modelled = 0;  ///< claims of the paper that are not modelled
    std::size_t failed = 0;        ///< checked, but not as stated
    [[nodiscard]] std::size_t claims() const {
        return reproduced + fitted + contradicted + shown + not_modelled + failed;
    }
};
[[nodiscard]] ClaimCounts count_claims(Paper const& paper, std::vector<FigureCheck> const& checks);

/// Options for comparing machines with their papers: as the papers describe them, with the constants of the papers.
[[nodiscard]] ModelOptions own_footing();

/// Finds an architecture by name; throws InputError if there is none.
using FindArchitecture = std::function<Architecture const&(std::string const&)>;

/// The value of a metric of a service, whose settings have the keys of traffic (models/service), in SI. Throws
/// InputError; for a point that cannot serve, NaN and a sentence in `problem`.
using ServeFigure =
    std::function<double(Architecture const&, std::vector<std::pair<std::string, std::string>> const& settings,
                         std::string const& metric, Fidelity fidelity, std::string& problem)>;

/// Checks figures of one architecture. Points with the same bound parameter table share what was prepared for it. A
/// figure over a grid lists the points of its values in its note; infeasible points of the grid are left out.
class FigureChecker {
  public:
    /// `find` is used if the denominator of a figure is a point of another architecture, `serve` for figures of
    /// traffic.
    explicit FigureChecker(Architecture const& architecture, FindArchitecture find = {}, ServeFigure serve = {});
    /// Evaluates the point (or the ratio of two points) that a figure names. Throws InputError for a mistake in the
    /// text of the figure.
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
    ServeFigure serve_;
    std::map<std::string, FigureChecker> others_;  ///< for denominators of other architectures, by name
    Parameters table_;
    MetricList metrics_;
    std::map<std::string, Inputs> prepared_;  ///< by all choices of all parameters
};

/// The default point with some parameters replaced, written as by the user. Open choices are added to the table.
[[nodiscard]] std::vector<Value> point_with(Parameters& parameters,
                                            std::vector<std::pair<std::string, std::string>> const& settings);

}  // namespace pimdse::models
