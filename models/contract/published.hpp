#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::models {

/// Origin of a published value.
enum class Evidence {
    measured,   ///< on an existing device
    simulated,  ///< by a program of the authors that can be run again
    claimed,    ///< printed by the authors; its origin cannot be repeated
    arithmetic  ///< computed by this project from published figures
};
inline constexpr std::array<std::string_view, 4> evidence_names{"measured", "simulated", "claimed", "arithmetic"};
[[nodiscard]] constexpr std::string_view name_of(Evidence evidence) {
    return evidence_names.at(static_cast<std::size_t>(evidence));
}

/// A claim of a paper that an architecture does not model, and why.
struct UnmodelledClaim {
    std::string claim, reason;
};

/// A publication whose figures are compared with those of an architecture.
struct Paper {
    std::string name;  ///< as printed in tables: "UMDAM"
    std::string title, authors;
    int year = 0;
    std::string identifier;                 ///< DOI, arXiv number, address of a page or repository
    std::vector<std::string> sources;       ///< beginnings of the `source` of its figures
    Evidence evidence = Evidence::claimed;  ///< of figures that do not state their own
    std::vector<UnmodelledClaim> not_modelled;
};

/// Kind of a row. Only claims count as figures of a paper.
enum class FigureKind {
    claim,        ///< a figure that the paper prints, or that follows from those by arithmetic
    consistency,  ///< a value that this project computed from the parameters of the paper: a regression test
    reference     ///< a run of another project's program by this project
};
/// Required relation of the value of this project to the published one.
enum class Relation { equal, at_least, at_most };
/// Which of the values of a grid is compared.
enum class OfGrid { largest, smallest, spread };  ///< spread: largest over smallest

/// A figure of a paper that an architecture must reproduce (gate) or that is only shown next to its own value.
struct PublishedFigure {
    std::string name;
    std::string paper;  ///< name of the Paper whose `sources` the source begins with
    FigureKind kind = FigureKind::claim;
    Evidence evidence = Evidence::claimed;
    std::string source;                                     ///< "Table II, row VLEN 512"
    std::string metric;                                     ///< metric of the point; with `over`, a ratio point/over
    std::vector<std::pair<std::string, std::string>> set;   ///< parameter = value as text
    std::vector<std::pair<std::string, std::string>> over;  ///< the point in the denominator; empty: no ratio
    std::string over_architecture;                          ///< architecture of that point; empty: the same
    std::string over_metric;                                ///< metric of that point; empty: the same
    double measured = 0.0;  ///< not 0: the figure is this measured value (SI) of the paper over the metric
    /// Parameters of both points with their values. If not empty, the figure is `of_grid` of all combinations.
    std::vector<std::pair<std::string, std::vector<std::string>>> grid;
    OfGrid of_grid = OfGrid::largest;
    std::string fidelity = "analytic";
    double value = 0.0;  ///< in SI
    std::string unit;
    Relation relation = Relation::equal;
    double tolerance = 0.0;     ///< relative
    bool gate = true;           ///< the own value must be within the tolerance
    bool fitted = false;        ///< a constant was chosen to match it, so it does not test the model
    bool contradicted = false;  ///< the own value must be outside the tolerance, for the reason in `note`
    std::string note;
};

/// Status of a figure: "gated" (must be within its tolerance, no constant was fitted to it), "fitted" (must be within
/// its tolerance, but a constant was fitted to it), "contradicted" (must be outside its tolerance), "shown" (not
/// checked); for rows that are not claims, "consistency" and "reference".
[[nodiscard]] constexpr std::string_view status_of(PublishedFigure const& figure) {
    if (figure.kind == FigureKind::consistency) return "consistency";
    if (figure.kind == FigureKind::reference) return "reference";
    if (figure.contradicted) return "contradicted";
    return !figure.gate ? "shown" : figure.fitted ? "fitted" : "gated";
}

/// Reads models/<architecture>/published.toml, or models/machines/published/<architecture>.toml: an array of tables
/// `paper` (see Paper) and an array of tables `figure` with the fields above. `set` values may be TOML strings,
/// integers, floats or booleans; those of `grid` are lists of them. The evidence of a figure is its own, or else that
/// of its paper; for a row of kind consistency, it is arithmetic. Throws InputError with file and line.
[[nodiscard]] std::vector<PublishedFigure> load_published(std::string_view architecture);
/// Whether there is such a file: machines that are text files and pairs may have none.
[[nodiscard]] bool has_published(std::string_view architecture);
/// The papers of the same file, in the order of the file.
[[nodiscard]] std::vector<Paper> load_papers(std::string_view architecture);

}  // namespace pimdse::models
