#pragma once

#include "dse/report/facts.hpp"
#include "dse/report/page_columns.hpp"
#include "dse/store/result_file.hpp"

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace pimdse::dse::report {

struct PageSettings {
    std::string title;                   ///< "": the page says what the space does
    std::size_t max_bytes = 25'000'000;  ///< of the page; rows that do not fit are left out, and the page says so
    MetricSet metrics = MetricSet::usual;
    ExplanationLimits explanations;
    nlohmann::ordered_json flips;  ///< as flips_of_file() reads it; null: the page has no such section
};

/// The page that `template_text` becomes with what a file says. `space`: that of the file, where this program knows it;
/// else the page explains nothing and says `why_no_space`.
[[nodiscard]] std::string page_of(store::ResultFile const& file, space::Space const* space,
                                  std::string_view why_no_space, std::string_view template_text,
                                  PageSettings const& settings);

/// The page without data, made when pimdse was built: $PIMDSE_DATA/report/page.html, else that of the
/// installed folder (models/contract/toml_file.hpp), else where it was built. Throws MissingInput with what to
/// install.
[[nodiscard]] std::string page_template();

/// True if a page of ours, or nothing, is under this name.
[[nodiscard]] bool may_be_replaced(std::filesystem::path const& path);

}  // namespace pimdse::dse::report
