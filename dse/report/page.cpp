#include "dse/report/page.hpp"

#include "dse/report/explanation.hpp"
#include "dse/report/packed_values.hpp"
#include "dse/report/point_json.hpp"
#include "dse/report/service_facts.hpp"
#include "dse/search/front.hpp"
#include "dse/search/point_counts.hpp"
#include "dse/space/canonical_space.hpp"
#include "dse/space/columns.hpp"
#include "dse/store/result_schema.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "sim/base/check.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/file_text.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <ranges>
#include <utility>
#include <vector>

namespace pimdse::dse::report {
namespace {

using sim::Json;
using store::ResultFile;
namespace schema = store::schema;

Json parameters_json(models::Parameters const& parameters) {
    return parameters | std::views::transform([](models::Parameter const& parameter) -> Json {
               return {{"name", parameter.name},
                       {"kind", schema::name_of(parameter.kind)},
                       {"unit",
                        parameter.kind == models::Kind::quantity ? schema::si_unit(parameter.unit) : parameter.unit},
                       {"meaning", parameter.meaning},
                       {"default", models::print_value(parameter, parameter.default_value)},
                       {"assumed", parameter.assumed}};
           });
}

Json metrics_json(ResultFile const& file) {
    auto list = Json::array();
    for (std::size_t m = 0; m < file.columns.metrics.size(); ++m) {
        auto const& metric = file.columns.metrics[m];
        auto const [name, scenario] = schema::name_and_scenario(metric.name);
        list.push_back({{"name", metric.name},
                        {"base", name},
                        {"scenario", scenario},
                        {"unit", metric.unit},
                        {"better", schema::name_of(metric.better)},
                        {"meaning", metric.meaning},
                        {"assumed", metric.assumed},
                        {"exact", file.store.exact(m)}});
    }
    return list;
}

Json objectives_json(ResultFile const& file) {
    return file.columns.objectives | std::views::transform([](space::Objective const& objective) -> Json {
               return {{"metric", objective.metric}, {"better", schema::name_of(objective.better)}};
           });
}

/// Parts of the commands that evaluate a design again: the architecture, or that of each machine, with its options.
Json command_json(space::Columns const& known) {
    Json machines = Json::object();
    for (auto const& machine : known.machines)
        machines[machine.name] = space::replay_architecture(machine.reference, machine.architecture) +
                                 space::replay_options(machine.options);
    return {{"architecture",
             space::replay_architecture(known.reference, known.architecture) + space::replay_options(known.options)},
            {"machines", std::move(machines)},
            {"scenarios", space::replay_scenarios(known)}};
}

Json failures_json(ResultFile const& file, space::Columns const& known) {
    auto list = Json::array();
    for (auto const& kind : search::failure_kinds(file.store)) {
        Json entry{{"rule", kind.rule}, {"points", kind.points}};
        if (kind.example) {
            auto const task = file.store.task(*kind.example);
            auto columns = file.columns;
            space::add_replay(columns, known);
            entry["point"] = fmt::to_string(index_of(task.point));
            entry["reason"] = file.store.reason(*kind.example);
            entry["command"] = space::replay_command(columns, task);
        }
        list.push_back(std::move(entry));
    }
    return list;
}

/// Growth of the front. Files have it per block of ids; if all results of a small file are in memory, in finer steps.
std::vector<search::HistoryStep> history_of(ResultFile const& file) {
    constexpr std::size_t few = 1000000, steps = 128;
    auto const& store = file.store;
    if (store.size() <= few && store.blocks().empty()) {
        auto const fine = search::fine_history(store, file.columns.objectives, file.front_fidelity, steps);
        if (!fine.empty()) return fine;
    }
    std::vector<search::HistoryStep> history;
    auto const& stated = file.history;
    for (std::size_t i = 0; i < stated.evaluations.size(); ++i)
        history.push_back({stated.evaluations[i], stated.hypervolume[i], stated.size[i]});
    return history;
}

Json history_json(ResultFile const& file) {
    return history_of(file) | std::views::transform([](search::HistoryStep const& step) -> Json {
               return {step.evaluations, sim::finite_or_null(step.hypervolume), step.size};
           });
}

/// Number of points evaluated at the fidelity of the front.
std::uint64_t evaluated_at_front_fidelity(ResultFile const& file) {
    auto const& store = file.store;
    std::uint64_t others = 0;
    for (search::Row row = 0; row < store.size(); ++row)
        others += store.task(row).fidelity != file.front_fidelity ? 1 : 0;
    return store.evaluated() - others;
}

/// Sentence that states which points the front covers.
std::string front_statement(ResultFile const& file) {
    auto const evaluated = evaluated_at_front_fidelity(file);
    if (file.certificate) return search::statement_of(*file.certificate, search::objective_names(file.columns));
    auto const& objectives = file.columns.objectives;
    bool const exact = std::ranges::all_of(objectives, [&](auto const& o) { return file.store.exact(o.metric); });
    auto const fidelity = models::name_of(file.front_fidelity);
    if (file.columns.points == 0 || evaluated < file.columns.points)
        return fmt::format("front of the {} points that were evaluated, at {} fidelity", evaluated, fidelity);
    return fmt::format("front of all {} points at {} fidelity{}", evaluated, fidelity,
                       exact ? "" : "; objectives have intervals, so it is not exact");
}

Json provenance_json(ResultFile const& file) {
    auto const& made = file.provenance;
    Json object{{"version", made.version}, {"revision", made.git_revision}, {"start", made.start},
                {"stop", made.stop},       {"ranks", made.ranks},           {"threads", made.threads},
                {"hosts", made.hosts},     {"command", made.argv},          {"run", made.run_id}};
    for (auto const& [name, text] : made.more) object[name] = text;
    return object;
}

using Clock = ExplainContext::Clock;

template <class Unwanted>
void erase_if(Json& list, Unwanted const& unwanted) {
    auto kept = Json::array();
    for (auto& entry : list) {
        if (!unwanted(entry)) kept.push_back(std::move(entry));
    }
    list = std::move(kept);
}

void keep_best_changes(Json& changes) {
    erase_if(changes, [](Json const& change) { return !change["best"].get<bool>(); });
    for (auto& change : changes) {
        for (auto const* key : {"best", "values", "reason"}) change.erase(key);
    }
}

/// Leaves out shares of zero.
void keep_shares(Json& breakdown) {
    for (auto& scenario : breakdown) {
        for (auto const* kind : {"time", "energy", "area", "silicon"})
            erase_if(scenario[kind], [](Json const& share) { return (share.end() - 1)->get<double>() == 0.0; });
    }
}

Json member_json(ExplainContext const& context, Explanation const& explanation) {
    auto object = report::explanation_json(context, explanation);
    for (auto const* key : {"point", "fidelity", "remembered", "status", "parameters", "on_front", "witnesses"})
        object.erase(key);
    keep_best_changes(object["changes"]);
    keep_shares(object["breakdown"]);
    return object;
}

namespace fs = std::filesystem;

constexpr std::string_view first_line = "<!doctype html><!-- pimdse report -->";
constexpr std::size_t max_rows = 2'000'000;  ///< limit for a responsive page in the browser

/// Part of the template between two texts.
std::string_view between(std::string_view text, std::string_view before, std::string_view after) {
    auto const from = text.find(before);
    sim::expects(from != std::string_view::npos, "the page template has a script and a style");
    auto const begin = from + before.size();
    return text.substr(begin, text.find(after, begin) - begin);
}

/// The source 'sha256-...' of a script or style in a content security policy.
std::string hash_source_of(std::string_view text) {
    auto const sum = sim::sha256(text);
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

/// The text with some characters replaced by their codes.
std::string coded(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> codes) {
    std::string all;
    for (char const c : text) {
        auto const* const found = std::ranges::find(codes, c, &std::pair<char, std::string_view>::first);
        all += found == codes.end() ? std::string_view(&c, 1) : found->second;
    }
    return all;
}

/// Text with HTML's special characters escaped.
std::string escaped_text(std::string_view text) {
    return coded(text, {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}});
}

/// JSON text for a script element, which must not contain '<'.
std::string script_json(Json const& json) { return coded(json.dump(), {{'<', "\\u003c"}}); }

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
std::string services_of(ResultFile const& file, space::Space const* space, DesignLimits const& limits, Json& facts) {
    if (space == nullptr || !has_traffic(*space)) return "";
    auto services = service_facts(file, *space, limits);
    facts["traffic"] = std::move(services.about);
    return data_element("services", "text/plain", pack_text(services.by_point.dump()));
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

/// DesignFacts of a file whose space is not known to the program: none, and the reason.
DesignFacts no_explanations(store::ResultFile const& file, std::string_view why) {
    DesignFacts none;
    none.about = {{"asked", file.front.size()}, {"answered", 0}, {"why", why}};
    return none;
}

/// Everything that a page shows of a file except its rows: names, units, senses and meanings of parameters and metrics,
/// objectives, scenarios, the number of evaluated points, whether the front is exact, how it grew, why points have no
/// metrics, and the provenance. `known`: the columns of the file, with the scenarios, options and machines of its space
/// if the program knows it.
Json facts_json(ResultFile const& file, space::Columns const& known) {
    auto const& columns = file.columns;
    auto const counts = search::count_points(file.store);
    Json facts{{"file", file.path.filename().string()},
               {"architecture", columns.architecture},
               {"digest", file.digest},
               {"state", file.provenance.more_of("state")},
               {"missing", store::missing_points(file)},
               {"fidelity", models::name_of(file.front_fidelity)},
               {"statement", front_statement(file)},
               {"points", columns.points},
               {"evaluated", counts.points},
               {"feasible", counts.feasible},
               {"seed", columns.seed}};
    facts["assumptions"] = space::assumed_text(columns);
    facts["objectives"] = objectives_json(file);
    facts["scenarios"] = schema::scenarios_in(columns.metrics);
    facts["parameters"] = parameters_json(columns.parameters);
    facts["metrics"] = metrics_json(file);
    facts["command"] = command_json(known);
    facts["failures"] = failures_json(file, known);
    facts["history"] = history_json(file);
    facts["provenance"] = provenance_json(file);
    facts["space"] = columns.space_text;
    for (auto const& [name, sum] : columns.input_hashes) facts["inputs"].push_back({name, sum});
    return facts;
}

}  // namespace

DesignFacts explanations_of(store::ResultFile const& file, space::Space const& space, DesignLimits const& limits) {
    auto const end =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
    FrontView const front_view(file.store, file.columns.objectives, file.front_fidelity);
    ExplainContext const context{.space = space,
                                 .store = file.store,
                                 .front_view = front_view,
                                 .certificate = file.certificate ? &*file.certificate : nullptr,
                                 .threads = limits.threads,
                                 .until = end};
    DesignFacts all;
    std::uint64_t evaluated = 0, unevaluated = 0;
    for (std::size_t i = 0; i < std::min(file.front.size(), limits.designs) && Clock::now() < end; ++i) {
        auto const explanation = report::explanation_of(context, file.front[i]);
        for (auto const& effect : explanation.effects) evaluated += effect.restored ? 0 : 1;
        unevaluated += explanation.changes_not_evaluated;
        all.by_point[fmt::to_string(index_of(file.front[i]))] = member_json(context, explanation);
    }
    all.about = {{"asked", file.front.size()}, {"answered", all.by_point.size()}, {"seconds", limits.seconds},
                 {"evaluated", evaluated},     {"unanswered", unevaluated},       {"among", front_view.size()}};
    return all;
}

std::string page_of(ResultFile const& file, space::Space const* space, std::string_view why_no_space,
                    std::string_view template_text, PageSettings const& settings) {
    auto known = file.columns;
    if (space != nullptr) space::add_replay(known, space->columns());
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
    auto const reasons = pack_text(explanations.by_point.dump());
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
        if (std::error_code none; fs::is_regular_file(candidate, none)) return sim::file_text(candidate).value_or("");
    }
    throw sim::MissingInput(
        "{} does not exist (pimdse was built without esbuild and d3, which make the page). Install them "
        "with jobs/setup.sh report and build again?",
        candidates.back().string());
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
