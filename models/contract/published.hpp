#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pimdse::models {

/// One figure of a paper that an architecture must (gate) or need not (printed beside ours) reproduce.
struct PublishedFigure {
    std::string name;
    std::string source;                                     ///< "Table II, row VLEN 512"
    std::string metric;                                     ///< metric of the point; with `over`, a ratio point/over
    std::vector<std::pair<std::string, std::string>> set;   ///< parameter = value as text
    std::vector<std::pair<std::string, std::string>> over;  ///< the point in the denominator; empty: no ratio
    /// Parameters of both points that take each of these values; not empty: the figure is the largest of all
    /// combinations.
    std::vector<std::pair<std::string, std::vector<std::string>>> grid;
    std::string fidelity = "analytic";
    double value = 0.0;  ///< in SI
    std::string unit;
    double tolerance = 0.0;  ///< relative
    bool gate = true;
    bool fitted = false;  ///< a constant was chosen on it, so that it says nothing about a model
    std::string note;
};

/// What a figure is worth: "gated" (held within its tolerance, blind), "fitted" (held, but chosen on), "shown".
[[nodiscard]] constexpr std::string_view status_of(PublishedFigure const& figure) {
    return !figure.gate ? "shown" : figure.fitted ? "fitted" : "gated";
}

/// Reads models/<architecture>/published.toml: an array of tables `figure` with the fields above. `set` values may be
/// TOML strings, integers, floats or booleans; those of `grid` are lists of them. Throws InputError with file and line.
[[nodiscard]] std::vector<PublishedFigure> load_published(std::string_view architecture);

}  // namespace pimdse::models
