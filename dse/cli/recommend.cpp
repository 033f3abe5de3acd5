#include "dse/base/durable_file.hpp"
#include "dse/cli/near_front.hpp"
#include "dse/cli/progress.hpp"
#include "dse/cli/question.hpp"
#include "dse/cli/recommendation.hpp"
#include "dse/cli/run.hpp"
#include "dse/cli/verb.hpp"
#include "dse/report/page.hpp"
#include "dse/run/liveness.hpp"
#include "dse/space/columns.hpp"
#include "dse/store/result_file.hpp"
#include "dse/uncertain/uncertainty_reader.hpp"
#include "models/llm/language_models.hpp"
#include "models/llm/weight_format.hpp"
#include "models/service/scheduler_parameters.hpp"
#include "models/service/traffic.hpp"
#include "sim/base/file_error.hpp"

#include <cctype>
#include <chrono>
#include <cmath>
#include <map>
#include <ranges>

namespace pimdse::dse::cli {
namespace {

namespace fs = std::filesystem;
using sim::Json;

/// The figures of the table: the objective, the usual ones, and the words of --under, of which those that are metrics
/// count.
std::vector<std::string> columns_of(AskedQuestion const& question) {
    auto const& objective = question.objectives.front();
    std::vector<std::string> names{objective};
    std::string const at = question.share == "0.9" ? "_p90" : "_p99";
    std::vector<std::string> const of_traffic{
        "ttft" + at, "tpot" + at, "peak_power", "energy_per_good_token", "cost_per_million_tokens", "silicon"};
    std::vector<std::string> const of_one{"ttft",   "itl", "peak_power", "energy_per_token", "cost_per_million_tokens",
                                          "silicon"};
    auto const add = [&names](std::string const& name) {
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (auto const& name : question.has_traffic() ? of_traffic : of_one) add(name);
    for (auto condition : question.under) {
        for (auto& letter : condition)
            if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '_') letter = ' ';
        for (auto const& word : sim::words_of(condition, ' ')) add(word);
    }
    return names;
}

/// The limits of the requests as conditions on the figures at the share that is asked; at a share without figures, on
/// the share itself.
std::vector<std::string> limits_of(AskedQuestion const& question, CommandLine const& values) {
    std::vector<std::string> limits;
    if (question.limits.empty()) return {};
    auto const percentile = question.share == "0.99" ? "p99" : question.share == "0.9" ? "p90" : "";
    if (*percentile == 0) return {fmt::format("good_share >= {}", question.share)};
    for (auto const& [name, _] : question.limits)
        limits.push_back(fmt::format("{}_{} <= {}", name, percentile, values.text(name)));
    return limits;
}

/// "2 copies of 4 x hbm_pim (stacks 8)".
std::string named(Recommendation const& told, BestDesign const& one) {
    auto const copies = told.count(one, models::service::copies_name), devices = told.count(one, models::devices_name);
    auto const words = told.in_words(one);
    auto text = devices > 1 ? fmt::format("{} x {}", devices, one.machine) : one.machine;
    if (copies > 1) text = fmt::format("{} copies of {}", copies, text);
    return words.empty() ? text : fmt::format("{} ({})", text, words);
}

std::string sentence(Recommendation const& told, AskedQuestion const& question) {
    auto const* winner = told.winner();
    if (winner == nullptr)
        return question.limits.empty() && question.under.empty() ? "No machine can serve this request."
                                                                 : "No machine meets these limits.";
    std::vector<std::string> figures;
    for (auto const& name : told.figures())
        if (auto const text = told.with_interval(*winner, name); !text.empty() && figures.size() < 5)
            figures.push_back(fmt::format("{} {}", name, text));
    return fmt::format("Take {}: {}.", named(told, *winner), fmt::join(figures, ", "));
}

/// Whose cost is a price and whose a bill of materials.
std::string bases_text(Recommendation const& told) {
    std::map<std::string_view, std::vector<std::string>> machines;
    for (auto const at : told.order())
        if (auto const& one = told.candidates()[at]; one.best) machines[told.cost_basis(one)].push_back(one.machine);
    machines.erase("");
    std::string text;
    for (auto const& [basis, names] : machines)
        text += fmt::format("{} {} of {}", text.empty() ? "costs:" : ";",
                            basis == "bill" ? "bills of materials" : "prices", fmt::join(names, ", "));
    if (machines.size() > 1) text += " (--assume economy.basis=bill or =price puts all on one footing)";
    return text.empty() ? text : text + "\n";
}

/// What is left to each limit of the result, of each machine that can; "" without limits.
std::string slack_text(Recommendation const& told) {
    auto const limits = told.margins(*told.winner());
    std::vector<std::string> head{"left to"};
    for (auto const& limit : limits)
        if (!std::isnan(limit.slack)) head.push_back(limit.text);
    if (head.size() == 1) return "";
    TextTable table(head);
    for (auto const at : told.order()) {
        auto const& one = told.candidates()[at];
        if (!one.best) continue;
        std::vector<std::string> row{one.machine};
        auto const margins = told.margins(one);
        for (std::size_t i = 0; i < limits.size(); ++i)
            if (!std::isnan(limits[i].slack))
                row.push_back(std::isnan(margins[i].slack) ? "-" : percent(margins[i].slack));
        table.add(std::move(row));
    }
    return table.text(screen_width());
}

std::string table_text(Recommendation const& told) {
    auto const& names = told.figures();
    std::vector<std::string> head{"machine"};
    head.insert(head.end(), names.begin(), names.end());
    head.emplace_back("design");
    TextTable table(head);
    std::string without;
    for (auto const at : told.order()) {
        auto const& one = told.candidates()[at];
        if (!one.best) {
            without += fmt::format("  {}: {}\n", one.machine, one.reason);
            continue;
        }
        std::vector<std::string> row{one.machine};
        for (auto const& name : names) row.push_back(told.shown(one, name));
        row.push_back(named(told, one));
        table.add(std::move(row));
    }
    auto text = told.winner() == nullptr
                    ? ""
                    : "the best design of each machine\n" + table.text(screen_width()) + slack_text(told);
    text += wrapped(bases_text(told), screen_width());
    for (auto const at : told.order())
        if (auto const& one = told.candidates()[at]; one.best)
            text += wrapped(partial_line(*told.machine_of(one).architecture), screen_width());
    if (!without.empty()) text += "cannot\n" + without;
    return text;
}

/// How many designs were decided how.
std::string proof(Recommendation const& told, RunSummary const& run) {
    auto const designs = counted(run.space->size(), "design");
    if (!told.proved()) return fmt::format("not proved: {} of {} were evaluated", run.points, designs);
    auto const by_bounds = run.space->size() - run.points;
    auto const how =
        fmt::format("{} by bounds, {} evaluated, of which {} meet all limits", by_bounds, run.points, run.feasible);
    return fmt::format("proved over these axes, in closed form: {} of {} {} ({})",
                       run.feasible == 0 ? "none" : "no other", designs, run.feasible == 0 ? "can" : "is better", how);
}

/// The best design of the winning machine that is near no limit; "" if it is the best one.
std::string room_line(Recommendation const& told) {
    auto one = *told.winner();
    if (!one.roomy) return "";
    one.best = one.roomy;
    return fmt::format("with {:.0f} % left to every limit: {} at {} {}", 100.0 * room_share, named(told, one),
                       told.figures().front(), told.shown(one, told.figures().front()));
}

/// Lines about how sure the result is.
std::vector<std::string> doubt_lines(Recommendation const& told, Doubt const& doubt) {
    if (!doubt.share)
        return {doubt.draws == 0 ? "how sure: not asked (--draws 0)"
                                 : "how sure: not drawn, since no other machine can"};
    std::vector<std::string> lines{
        fmt::format("how sure: {} is first in {:.0f} % of {} draws of all uncertain constants", told.winner()->machine,
                    100.0 * *doubt.share, doubt.draws)};
    if (doubt.design_share != *doubt.share)
        lines.back() += fmt::format(", in {:.0f} % with this design", 100.0 * doubt.design_share);
    if (doubt.flips.empty()) lines.emplace_back("no uncertain constant alone turns the answer");
    for (auto const& flip : doubt.flips) lines.push_back("what turns it: " + flip);
    return lines;
}

/// Designs that are at most this share worse than the result.
std::vector<NearDesigns> near_winner(Recommendation const& told, RunSummary const& run, double share) {
    if (told.winner() == nullptr) return {};
    std::vector const result{*told.winner()->best};
    std::vector<search::Row> feasible;
    for (search::Row row = 0; row < run.store->size(); ++row)
        if (run.store->status(row) == search::Status::ok) feasible.push_back(row);
    return near_front(told.columns(), *run.store, run.space->objectives(), result, feasible, share);
}

/// An end of an interval; null without a bound.
Json end_json(double value, models::Bound kind) {
    return kind == models::Bound::none ? Json() : sim::finite_or_null(value);
}

/// Figures as numbers, and the intervals of those that have one.
void add_figures(Json& json, Recommendation const& told, BestDesign const& one) {
    json["metrics"] = json["intervals"] = json["slack"] = Json::object();
    for (auto const& name : told.figures()) {
        auto const found = told.value(one, name);
        if (!found) continue;
        json["metrics"][name] = found->value;
        if (found->lower == found->upper) continue;
        json["intervals"][name] = {end_json(found->lower, found->kinds.lower),
                                   end_json(found->upper, found->kinds.upper)};
    }
    for (auto const& margin : told.margins(one))
        if (!std::isnan(margin.slack)) json["slack"][margin.text] = margin.slack;
}

Json candidate_json(Recommendation const& told, BestDesign const& one) {
    Json json{{"machine", one.machine}, {"designs", one.designs}, {"feasible", one.feasible}};
    if (!one.best) {
        json["reason"] = one.reason;
        return json;
    }
    json["point"] = told.point(one);
    auto parameters = Json::object();
    for (auto const& [name, value] : told.design(one, true)) parameters[name] = value;
    json["copies"] = told.count(one, models::service::copies_name);
    json["devices"] = told.count(one, models::devices_name);
    json["parameters"] = parameters;
    add_figures(json, told, one);
    json["cost_basis"] = told.cost_basis(one);
    json["command"] = told.command(one);
    return json;
}

/// A number, a distribution "lognormal 1500 3000" or a file as it stands in a space file.
std::string length_text(std::string const& text) {
    if (text.starts_with("lognormal")) {
        auto numbers = sim::words_of(text, ' ');
        std::erase(numbers, "lognormal");
        return fmt::format("{{ lognormal = [{}] }}", fmt::join(numbers, ", "));
    }
    return number_in<double>(text) ? text : in_toml(path_or_name(text));
}

AskedQuestion question_of(CommandLine const& values) {
    auto const text = [&](char const* name) { return values.given(name); };
    if (!values.contains("model")) throw UsageError("recommend needs a model. Add --model NAME (pimdse list models)?");
    AskedQuestion question;
    question.model = path_or_name(*text("model"));
    bool const arrives = values.contains("rate") || values.contains("trace");
    auto const lengths = [&](auto& to) {
        for (auto const* name : {"input", "output"})
            if (auto const length = text(name)) to.emplace_back(name, length_text(*length));
    };
    if (arrives) {
        if (auto const rate = text("rate")) question.traffic.emplace_back("rate", in_toml(*rate));
        if (auto const trace = text("trace")) {
            if (!fs::exists(models::service::traffic_file(*trace))) (void)input_file(*trace);
            question.traffic.emplace_back("trace", in_toml(path_or_name(*trace)));
        }
        if (auto const requests = text("requests"))
            question.traffic.emplace_back(
                "requests",
                fmt::to_string(read_number<std::int64_t>("--requests", *requests, {1, models::service::max_requests})));
        else if (!values.contains("trace"))
            question.traffic.emplace_back("requests", "300");
        lengths(question.traffic);
    } else {
        for (auto const* name : {"ttft", "tpot", "requests"})
            if (values.contains(name))
                throw UsageError("--{} is for requests that arrive. Add --rate or --trace?", name);
        lengths(question.request);
    }
    for (auto const* name : {"ttft", "tpot"})
        if (auto const limit = text(name)) question.limits.emplace_back(name, in_toml(*limit));
    auto const share = *given_share(values, "share");
    if (!(share > 0.0 && share <= 1.0))
        throw UsageError("--share must be a share of the requests, above 0 and at most 1 (got '{}')", *text("share"));
    question.share = fmt::format("{}", share);
    question.under = values.texts("under");
    if (values.contains("minimize") && values.contains("maximize"))
        throw UsageError("--minimize and --maximize are both given. Which of the two decides?");
    auto const decides = text("minimize") ? text("minimize") : text("maximize");
    question.objectives = {decides.value_or("cost_per_million_tokens")};
    question.objectives_flag = values.contains("maximize") ? "maximize" : "minimize";
    question.machines = machines_asked("--machines", text("machines"));
    if (auto const devices = text("devices")) question.devices = device_counts(*devices);
    question.assumptions = pairs_of(values, "assume");
    for (auto const* name : {"input", "output"})
        if (!values.contains("trace") && !values.contains(name))
            throw UsageError(
                "--{} is missing (the tokens of a prompt and of an answer; machines have different ones of their own). "
                "Add --input 1500 --output 250?",
                name);
    return question;
}

RunRequest request_for(CommandLine const& values, std::string text, fs::path const& folder) {
    RunRequest request;
    request.space_file = folder / "space.toml";
    request.output = folder / "answer.h5";
    request.space_text = std::move(text);
    request.strategy = "best";
    request.fidelity = "analytic";
    request.threads = threads_of(values);
    request.progress = values.text("progress");
    request.within = *given_share(values, "within");
    request.decides = values.contains("maximize") ? "maximize" : "minimize";
    request.if_exists = IfExists::replace;
    request.words = values.typed;
    return request;
}

/// A question and what is told of it.
struct Told {
    AskedQuestion const& question;
    RunSummary const& run;
    Recommendation const& told;
    Doubt const& doubt;
    double within = 0.0;
    std::vector<NearDesigns> near{};
    std::vector<std::string> files{};

    [[nodiscard]] std::vector<std::string> notes() const {
        std::vector<std::string> lines{proof(told, run)};
        if (told.winner() != nullptr) {
            for (auto const& text : told.close_limits(*told.winner()))
                lines.push_back(fmt::format("close: {} {}", told.winner()->machine, text));
            if (auto room = room_line(told); !room.empty()) lines.push_back(std::move(room));
            for (auto& line : doubt_lines(told, doubt)) lines.push_back(std::move(line));
        }
        lines.push_back("rests on: " + rests_on());
        return lines;
    }
    /// With what the file of the model says of its weights, which machines may keep.
    [[nodiscard]] std::string rests_on() const {
        auto const format = models::load_language_model(question.model).weight_format;
        auto const text = told.rests_on();
        return format.method.empty() ? text
                                     : fmt::format("{}; the file of {} stores weights as {}", text, question.model,
                                                   models::text_of(format));
    }
    [[nodiscard]] std::string near_text() const {
        if (near.empty() && within == 0.0) return "";
        return cli::near_text(told.columns(), *run.store, near, within, "the answer");
    }
};

/// The page of the result, beside its results; nothing if the program was built without pages.
void write_page(Told& all, fs::path const& folder, int threads) {
    std::string page_template;
    try {
        page_template = report::page_template();
    } catch (sim::MissingInput const&) {
        return;
    }
    report::PageSettings settings;
    settings.asked = {
        {"sentence", sentence(all.told, all.question)}, {"notes", all.notes()}, {"cannot", Json::object()}};
    settings.asked["slack"] = Json::object();
    for (auto const& one : all.told.candidates())
        if (!one.best)
            settings.asked["cannot"][one.machine] = one.reason;
        else
            for (auto const& margin : all.told.margins(one))
                if (!std::isnan(margin.slack))
                    settings.asked["slack"][one.machine][margin.text] = percent(margin.slack);
    settings.explanations = {.seconds = 1.0, .threads = threads};
    auto const page =
        report::page_of(store::load_result_file(all.run.output), all.run.space.get(), "", page_template, settings);
    all.files.push_back((folder / "answer.html").string());
    base::replace_file(all.files.back(), std::as_bytes(std::span(page)));
}

Json json_of(Told const& all) {
    auto const& [question, run, told, doubt, within, near, files] = all;
    auto const machine_json = [&](std::size_t at) { return candidate_json(told, told.candidates()[at]); };
    return {{"answer", told.winner() == nullptr ? Json(nullptr) : candidate_json(told, *told.winner())},
            {"sentence", sentence(told, question)},
            {"machines", told.order() | std::views::transform(machine_json)},
            {"proved", told.proved()},
            {"designs", run.space->size()},
            {"by_bounds", run.space->size() - run.points},
            {"close", told.winner() == nullptr ? Json::array() : Json(told.close_limits(*told.winner()))},
            {"near", near_json(told.columns(), *run.store, near)},
            {"flips", doubt.flips_json},
            {"sure", sim::or_null(doubt.share)},
            {"sure_of_design", doubt.share ? Json(doubt.design_share) : Json()},
            {"rests_on", all.rests_on()},
            {"seconds", run.seconds},
            {"files", files}};
}

void print(Told const& all) {
    auto const& told = all.told;
    std::cout << wrapped(sentence(told, all.question) + "\n\n", screen_width()) << table_text(told) << '\n';
    for (auto const& line : all.notes()) std::cout << wrapped(line + "\n", screen_width());
    auto const& files = all.files;
    std::cout << all.near_text() << fmt::format("files: {}\n", fmt::join(files, ", "))
              << fmt::format("next: pimdse front {}\n", space::shell_word(files[1]));
    if (told.winner() != nullptr) std::cout << "      " << told.command(*told.winner()) << '\n';
}

/// What draws of uncertain constants say, if several machines can.
Doubt doubt_about(Recommendation const& told, std::uint64_t draws, RunRequest const& request, ProgressLine& line) {
    auto const able = std::ranges::count_if(told.candidates(), [](auto const& one) { return one.best.has_value(); });
    if (able < 2 || draws == 0) return {.draws = draws};
    line.say(fmt::format("{} draws of uncertain constants for the best design of {} machines", draws, able));
    auto const [machines, designs] = told.finalists();
    auto const uncertainty = uncertain::read_uncertainty(machines, request.space_file.string(), {draws, std::nullopt});
    if (!uncertainty) return {};
    auto const begun = std::chrono::steady_clock::now();
    auto doubt = doubt_of(machines, designs, *uncertainty, [&](std::size_t done, std::size_t all) {
        run::Progress progress;
        progress.told = done;
        progress.planned = all;
        progress.seconds = run::seconds_since(begun);
        line.show(progress);
    });
    line.finish();
    return doubt;
}

}  // namespace

int run_recommend(CommandLine const& values) {
    auto const format = format_without_csv(values, "an answer");
    auto const question = question_of(values);
    auto const draws = number_of<std::uint64_t>(values, "draws");
    fs::path const folder = values.text("output-folder");
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) throw UsageError("{}: {}", folder.string(), failed.message());
    auto const text = space_text_of(question);
    base::replace_file(folder / "space.toml", std::as_bytes(std::span(text)));
    auto const request = request_for(values, text, folder);
    auto const run = cli::run(request);
    if (!run) return complete;
    ProgressLine line(progress_style(request.progress));
    line.say("best designs, and nearest misses of machines that cannot");
    Recommendation const told(*run, columns_of(question), limits_of(question, values));
    auto const doubt = doubt_about(told, draws, request, line);
    Told all{question, *run, told, doubt, *request.within};
    all.near = near_winner(told, *run, all.within);
    all.files = {(folder / "space.toml").string(), (folder / "answer.h5").string()};
    line.say("the page");
    write_page(all, folder, request.threads);
    if (format == Format::json)
        print_json(json_of(all));
    else
        print(all);
    return told.winner() == nullptr ? no_feasible_point : complete;
}

}  // namespace pimdse::dse::cli
