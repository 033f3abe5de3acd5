#pragma once

#include "dse/report/page_columns.hpp"
#include "dse/space/space.hpp"
#include "dse/store/result_file.hpp"
#include "sim/base/json.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace pimdse::dse::report {

/// Limits for what a page shows of single designs on the front, which evaluates them again.
struct DesignLimits {
    double seconds = 10.0;       ///< wall clock; no design is begun after it
    std::size_t designs = 1000;  ///< at most
    int threads = 1;
};

struct DesignFacts {
    sim::Json by_point = sim::Json::object();  ///< by id; an element of its own in the page
    sim::Json about = sim::Json::object();     ///< numbers of designs and evaluations, and what is equal for all
};

/// Explanations of the designs on the front: the output of `pimdse explain` for each, with only the best change of each
/// parameter and without the facts that the page has already.
[[nodiscard]] DesignFacts explanations_of(store::ResultFile const& file, space::Space const& space,
                                          DesignLimits const& limits);

struct PageSettings {
    std::string title;                   ///< "": the title of the space
    std::size_t max_bytes = 25'000'000;  ///< size limit; rows that do not fit are left out, and the page states so
    MetricSet metrics = MetricSet::usual;
    DesignLimits explanations;
    /// Of a question: `sentence`, `notes` (a list of texts), `cannot` (machines without a feasible design and why),
    /// `slack` (of each other machine, by limit, in words); null: the page says which designs are best.
    sim::Json asked;
    sim::Json flips;  ///< as flips_of_file() returns it; null: the page has no section on flips
};

/// The HTML page of a file, made from `template_text`. `space`: the space of the file, or nullptr if this program does
/// not know it; then the page has no explanations and shows `why_no_space`.
[[nodiscard]] std::string page_of(store::ResultFile const& file, space::Space const* space,
                                  std::string_view why_no_space, std::string_view template_text,
                                  PageSettings const& settings);

/// The page without data, made when pimdse was built. Searched in $PIMDSE_DATA/report/page.html, then in the installed
/// folder (models/contract/toml_file.hpp), then in the build folder. Throws MissingInput, which states what to install.
[[nodiscard]] std::string page_template();

/// True if the path does not exist or is a page of pimdse.
[[nodiscard]] bool may_be_replaced(std::filesystem::path const& path);

}  // namespace pimdse::dse::report
