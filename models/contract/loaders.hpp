#pragma once

#include "sim/base/units.hpp"
#include "sim/workload.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace pimdse::models {

/// Where models/ and spaces/ are: $PIMDSE_DATA if set, else the source tree the binary was built from, else
/// ../share/pimdse beside the binary. Throws InputError if none has a models folder.
[[nodiscard]] std::filesystem::path data_directory();

/// A number about the world with its unit and where it comes from.
struct Constant {
    double si = 0.0;
    std::string unit;  ///< as written
    std::string source;
    bool assumed = false;
};

/// A plain number of ours that no source gives: a margin, a length that was enough, a shape of a fit.
struct Allowance {
    double value = 0.0;
    std::string allows_for;
    std::string evidence;  ///< what was looked at, and what it showed
    std::string command;   ///< which looks again
};

/// The constants of one architecture: `models/<architecture>/constants.toml`, a table per constant with `value`
/// (number), `unit`, `source` and optionally `assumed`; and in a table `allowance.NAME` each, with `value`,
/// `allows_for`, `evidence` and `command`, the numbers we chose. Throws InputError, with file and line, for one that
/// lacks any.
class Constants {
  public:
    static Constants load(std::string_view architecture);
    static Constants load(std::filesystem::path const& file);

    /// The plain number (cycles, ratios, counts). Throws InputError if the file has none of this name or it has a
    /// dimension.
    [[nodiscard]] double number(std::string_view name) const;
    /// A plain number that counts something, 0 to 10^12. Throws InputError as above, and for anything else.
    [[nodiscard]] std::int64_t whole(std::string_view name) const;
    /// Typed: `constants.get<sim::Energy>("row_activation")`. Throws InputError if absent or of another dimension.
    template <class Q>
    [[nodiscard]] Q get(std::string_view name) const;
    /// Sets a member to the constant of this name, which must be what the member is: a count, a plain number, a
    /// quantity.
    template <class Member>
    void bind(Member& member, std::string_view name) const;
    /// The same for a row of [allowance.*].
    void bind_allowance(double& member, std::string_view name) const;
    void bind_allowance(std::int64_t& member, std::string_view name) const;

    [[nodiscard]] std::map<std::string, Constant, std::less<>> const& all() const { return constants_; }
    [[nodiscard]] std::map<std::string, Allowance, std::less<>> const& allowances() const { return allowances_; }

  private:
    [[nodiscard]] Constant const& find(std::string_view name) const;
    [[nodiscard]] double checked(std::string_view name, signed char s, signed char j, signed char b, signed char m,
                                 signed char f) const;
    std::map<std::string, Constant, std::less<>> constants_;
    std::map<std::string, Allowance, std::less<>> allowances_;
    std::string file_;

    template <int S, int J, int B, int M, int F>
    [[nodiscard]] sim::Quantity<S, J, B, M, F> typed(std::string_view name, sim::Quantity<S, J, B, M, F>) const {
        return {checked(name, S, J, B, M, F)};
    }
};

template <class Q>
Q Constants::get(std::string_view name) const {
    return typed(name, Q{});
}

template <class Member>
void Constants::bind(Member& member, std::string_view name) const {
    if constexpr (std::is_same_v<Member, double>)
        member = number(name);
    else if constexpr (std::is_integral_v<Member>)
        member = static_cast<Member>(whole(name));
    else
        member = get<Member>(name);
}

/// Names (lower case, file stem) of the models in models/llm, sorted.
[[nodiscard]] std::vector<std::string> language_model_names();
/// Reads models/llm/<name>.toml. Throws InputError with file and line.
[[nodiscard]] sim::LanguageModel load_language_model(std::string_view name);

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
    std::string note;
};

/// Reads models/<architecture>/published.toml: an array of tables `figure` with the fields above. `set` values may be
/// TOML strings, integers, floats or booleans; those of `grid` are lists of them. Throws InputError with file and line.
[[nodiscard]] std::vector<PublishedFigure> load_published(std::string_view architecture);

}  // namespace pimdse::models
