#include "dse/report/page.hpp"

#include "dse/base/digest.hpp"
#include "dse/base/durable_file.hpp"
#include "dse/report/chosen_rows.hpp"
#include "dse/report/facts.hpp"
#include "dse/report/packed_values.hpp"
#include "dse/report/robust_json.hpp"
#include "dse/report/service_facts.hpp"
#include "dse/space/replay.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

namespace pimdse::dse::report {
namespace {

using sim::Json;
using store::ResultFile;
namespace fs = std::filesystem;

constexpr std::string_view first_line = "<!doctype html><!-- pimdse report -->";
constexpr std::size_t max_rows = 2'000'000;  ///< limit for a responsive page in the browser

std::string text_of(fs::path const& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Part of the template between two texts.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
    auto const from = text.find(before);
    sim::expects(from != std::string_view::npos, "the page template has a script and a style");
    auto const begin = from + before.size();
    return text.substr(begin, text.find(after, begin) - begin);
}

/// The source 'sha256-...' of a script or style in a content security policy.
std::string hash_source_of(std::string_view text) {
    auto const sum = base::sha256(text);
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < sum.size(); i += 2) {
        unsigned byte = 0;
        std::from_chars(sum.data() + i, sum.data() + i + 2, byte, 16);
        bytes.push_back(static_cast<std::byte>(byte));
    }
    return fmt::format("'sha256-{}'", base64(bytes));
}

/// A content security policy: the browser loads nothing, and applies only the script and the style of the template.
std::string policy_of(std::string_view page) {
    return fmt::format("default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
                       hash_source_of(between(page, "<script id=\"program\">", "</script>")),
                       hash_source_of(between(page, "<style>", "</style>")));
}

void replace_mark(std::string& page, std::string_view mark, std::string_view text) {
    auto const at = page.find(mark);
    sim::expects(at != std::string::npos, "the page template has its marks");
    page.replace(at, mark.size(), text);
}

/// Text with HTML's special characters escaped.
std::string escaped_text(std::string_view text) {
    std::string escaped;
    for (char const c : text) {
        if (c == '<')
            escaped += "&lt;";
        else if (c == '>')
            escaped += "&gt;";
        else if (c == '&')
            escaped += "&amp;";
        else if (c == '"')
            escaped += "&quot;";
        else
            escaped += c;
    }
    return escaped;
}

std::string json_text(Json const& json) { return json.dump(); }

/// JSON text for a script element, which must not contain '<'.
std::string script_json(Json const& json) {
    std::string text;
    for (char const c : json_text(json)) {
        if (c == '<')
            text += "\\u003c";
        else
            text += c;
    }
    return text;
}

Json rows_json(RankedRows const& ranked, std::size_t shown) {
    Json object{{"shown", shown}, {"of", ranked.rows.size()}};
    auto const counts = ranked.counts_in(shown);
    for (std::size_t need = 0; need < counts.size(); ++need)
        object["needs"].push_back({need_names[need], counts[need], ranked.counts[need]});
    return object;
}

/// Columns of as many rows as fit into `max_bytes`, the most important first (RankedRows); the front is always
/// included.
PageColumns fitting_columns(ResultFile const& file, space::Columns const& known, MetricSet metrics,
                            std::size_t max_bytes, Json& facts) {
    auto const ranked = ranked_rows(file);
    auto const min = ranked.counts[0];
    std::size_t count = std::min(ranked.rows.size(), std::max(min, max_rows));
    for (;;) {
        auto columns = page_columns(file, known, ranked.first(file.store, count), metrics);
        auto const bytes = columns.bytes();
        if (bytes <= max_bytes || count <= min) {
            facts["rows"] = rows_json(ranked, count);
            return columns;
        }
        auto const share = 0.95 * static_cast<double>(max_bytes) / static_cast<double>(bytes);
        count = std::max(min, static_cast<std::size_t>(static_cast<double>(count) * share));
    }
}

std::string data_element(std::string_view id, std::string_view type, std::string_view text) {
    return fmt::format("<script id=\"{}\" type=\"{}\">{}</script>\n", id, type, text);
}

/// The element with the curves of designs that serve traffic, and facts about them; "" for a space without traffic.
std::string services_of(ResultFile const& file, space::Space const* space, ExplanationLimits const& limits,
                        Json& facts) {
    if (space == nullptr || !has_traffic(*space)) return "";
    auto services = service_facts(file, *space, {.seconds = limits.seconds, .threads = limits.threads});
    facts["traffic"] = std::move(services.about);
    return data_element("services", "text/plain", pack_text(json_text(services.by_point)));
}

/// SI units in a unit.
double size_of(std::string const& unit) { return sim::parse_unit(unit.empty() ? "1" : unit).in_si; }

/// The front under draws of uncertain constants, but for its designs, which are columns; null if the file has none.
Json uncertain_json(ResultFile const& file) {
    if (!file.robust) return nullptr;
    auto json = robust_json(*file.robust);
    json.erase("designs");
    for (auto const* list : {"constants", "flips"})
        for (auto& one : json[list]) one["unit_si"] = size_of(one["unit"].get<std::string>());
    return json;
}

/// A text at the top level of the space file; "" if there is none.
std::string text_in_space(ResultFile const& file, std::string_view key) {
    try {
        return models::parse_toml(file.columns.space_text, file.path.string())[key].value_or(std::string());
    } catch (sim::InputError const&) {
        return "";  // another program wrote the file
    }
}

}  // namespace

std::string page_of(ResultFile const& file, space::Space const* space, std::string_view why_no_space,
                    std::string_view template_text, PageSettings const& settings) {
    auto known = file.columns;
    if (space != nullptr) {
        space::add_replay(known, space->columns());
    }
    auto facts = facts_json(file, known);
    facts["title"] = settings.title;
    facts["space_title"] = text_in_space(file, "title");
    facts["question"] = text_in_space(file, "question");
    facts["answer"] = settings.asked;
    facts["flips"] = settings.flips;
    facts["uncertain"] = uncertain_json(file);
    auto explanations =
        space == nullptr ? no_explanations(file, why_no_space) : explanations_of(file, *space, settings.explanations);
    facts["explained"] = std::move(explanations.about);
    auto const reasons = pack_text(json_text(explanations.by_point));
    auto const services = services_of(file, space, settings.explanations, facts);
    auto const before_rows = template_text.size() + script_json(facts).size() + reasons.size() + services.size();
    auto columns = fitting_columns(file, known, settings.metrics,
                                   settings.max_bytes - std::min(settings.max_bytes, before_rows), facts);
    facts["columns"] = std::move(columns.heads);
    std::string data = data_element("facts", "application/json", script_json(facts)) +
                       data_element("explanations", "text/plain", reasons) + services;
    for (std::size_t i = 0; i < columns.data.size(); ++i)
        data += data_element(fmt::format("data-{}", i), "text/plain", columns.data[i]);
    std::string page(template_text);  // the last mark first, because inserted text may look like a mark
    replace_mark(page, "@DATA@", data);
    replace_mark(page, "@TITLE@", escaped_text(settings.title.empty() ? file.path.stem().string() : settings.title));
    replace_mark(page, "@POLICY@", policy_of(template_text));
    return page;
}

std::string page_template() {
    std::vector<fs::path> candidates;
    if (char const* chosen = std::getenv("PIMDSE_DATA"); chosen != nullptr && *chosen != '\0')
        candidates.emplace_back(fs::path(chosen) / "report" / "page.html");
    candidates.push_back(models::installed_directory() / "report" / "page.html");
    if (constexpr std::string_view built = PIMDSE_REPORT_PAGE; !built.empty()) candidates.emplace_back(built);
    for (auto const& candidate : candidates) {
        if (std::error_code none; fs::is_regular_file(candidate, none)) return text_of(candidate);
    }
    throw base::MissingInput(
        fmt::format("{} does not exist (pimdse was built without esbuild and d3, which make the page). "
                    "Install them with jobs/setup.sh report and build again?",
                    candidates.back().string()));
}

bool may_be_replaced(fs::path const& path) {
    std::error_code none;
    if (!fs::exists(path, none)) return true;
    std::ifstream file(path, std::ios::binary);
    std::string begin(first_line.size(), '\0');
    file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    return begin == first_line;
}

}  // namespace pimdse::dse::report
