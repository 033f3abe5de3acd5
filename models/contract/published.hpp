#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::models {

/// Where a published value comes from.
enum class Evidence {
    measured,   ///< on a device that exists
    simulated,  ///< by a program of the authors that can be run again
    claimed,    ///< printed by the authors; how it came about cannot be repeated
    arithmetic  ///< by us, from published figures
};
inline constexpr std::array<std::string_view, 4> evidence_names{"measured", "simulated", "claimed", "arithmetic"};
[[nodiscard]] constexpr std::string_view name_of(Evidence evidence) {
    return evidence_names.at(static_cast<std::size_t>(evidence));
}

/// A claim of a paper that an architecture does not model, and why.
struct UnmodelledClaim {
    std::string claim, reason;
};

/// A publication whose figures an architecture is held against.
struct Paper {
    std::string name;  ///< as tables call it: "UMDAM"
    std::string title, authors;
    int year = 0;
    std::string identifier;                 ///< DOI, arXiv number, address of a page or repository
    std::vector<std::string> sources;       ///< what the `source` of its figures begins with
    Evidence evidence = Evidence::claimed;  ///< of figures that say nothing else
    std::vector<UnmodelledClaim> not_modelled;
};

/// What a row is. Only claims count as figures of a paper.
enum class FigureKind {
    claim,        ///< a figure that the paper prints, or that follows from those by arithmetic
    consistency,  ///< a value that we computed from the paper's parameters: a regression of ours
    reference     ///< our own run of somebody else's program
};
/// How ours must lie to the published value.
enum class Relation { equal, at_least, at_most };
/// What is taken of the values of a grid.
enum class OfGrid { largest, smallest, spread };  ///< spread: largest over smallest

/// One figure of a paper that an architecture must (gate) or need not (printed beside ours) reproduce.
struct PublishedFigure {
    std::string name;
    std::string paper;  ///< name of the Paper whose `sources` the source begins with
    FigureKind kind = FigureKind::claim;
    Evidence evidence = Evidence::claimed;
    std::string source;                                     ///< "Table II, row VLEN 512"
    std::string metric;                                     ///< metric of the point; with `over`, a ratio point/over
    std::vector<std::pair<std::string, std::string>> set;   ///< parameter = value as text
    std::vector<std::pair<std::string, std::string>> over;  ///< the point in the denominator; empty: no ratio
    std::string over_architecture;                          ///< whose point that is; empty: the same architecture's
    std::string over_metric;                                ///< metric of that point; empty: the same
    /// Parameters of both points that take each of these values; not empty: the figure is `of_grid` of all
    /// combinations.
    std::vector<std::pair<std::string, std::vector<std::string>>> grid;
    OfGrid of_grid = OfGrid::largest;
    std::string fidelity = "analytic";
    double value = 0.0;  ///< in SI
    std::string unit;
    Relation relation = Relation::equal;
    double tolerance = 0.0;     ///< relative
    bool gate = true;           ///< ours must be within the tolerance
    bool fitted = false;        ///< a constant was chosen on it, so that it says nothing about a model
    bool contradicted = false;  ///< ours must be outside the tolerance, for a reason that `note` gives
    std::string note;
};

/// What a figure is worth: "gated" (held within its tolerance, blind), "fitted" (held, but chosen on), "contradicted"
/// (held outside its tolerance), "shown" (not held); of rows that are no claims "consistency" and "reference".
[[nodiscard]] constexpr std::string_view status_of(PublishedFigure const& figure) {
    if (figure.kind == FigureKind::consistency) return "consistency";
    if (figure.kind == FigureKind::reference) return "reference";
    if (figure.contradicted) return "contradicted";
    return !figure.gate ? "shown" : figure.fitted ? "fitted" : "gated";
}

/// Reads models/<architecture>/published.toml: an array of tables `paper` (see paper.hpp) and one of tables `figure`
/// with the fields above. `set` values may be TOML strings, integers, floats or booleans; those of `grid` are lists of
/// them. The evidence of a figure is its own, or else its paper's; of a row of consistency arithmetic. Throws
/// InputError with file and line.
[[nodiscard]] std::vector<PublishedFigure> load_published(std::string_view architecture);
/// The papers of the same file, in its order.
[[nodiscard]] std::vector<Paper> load_papers(std::string_view architecture);

}  // namespace pimdse::models
