#include "dse/base/durable_file.hpp"
#include "dse/base/json_text.hpp"
#include "dse/cli/front_table.hpp"
#include "dse/cli/named_files.hpp"
#include "dse/cli/phrases.hpp"
#include "dse/cli/question.hpp"
#include "dse/cli/run.hpp"
#include "dse/cli/text_table.hpp"
#include "dse/cli/verb.hpp"
#include "dse/run/evaluation.hpp"
#include "dse/space/canonical_space.hpp"
#include "dse/space/replay.hpp"
#include "models/asked_axes.hpp"
#include "models/contract/common_metrics.hpp"
#include "models/contract/cost_basis.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/service/scheduler_parameters.hpp"
#include "sim/base/check.hpp"
#include "sim/base/quantity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <map>
#include <optional>
#include <span>

namespace pimdse::dse::cli {
namespace {

namespace fs = std::filesystem;
using sim::Json;

Manual const recommend_manual{
    "pimdse recommend --model MODEL [--rate R | --trace FILE] [--under CONDITION]... --minimize METRIC [flags]",
    "Answers one question: which machine serves this model best, under these limits? Searches every machine that "
    "comes\n"
    "with the program (or --machines) over the axes worth asking, and says what the answer rests on and what turns it.",
    "  pimdse recommend --model llama-3.2-3b --input 256 --output 128 --under \"peak_power <= 5 W\" --minimize itl\n"
    "names the machine with the shortest time per token within 5 W.",
    {}};

/// The best design of a machine, or why it has none.
struct BestDesign {
    std::string machine;
    std::uint64_t designs = 0, feasible = 0;
    std::optional<search::ResultStore::Row> best{};
    std::string reason{};  ///< of a machine without a feasible design: its nearest miss, or what most designs break
};

/// What a run of the question found.
class Recommendation {
  public:
    Recommendation(AskedQuestion const& question, RunSummary const& run)
        : question_(question), run_(run), columns_(run.space->columns()) {
        auto const& objective = run.space->objectives().front();
        objective_ = objective.metric;
        minimizes_ = columns_.metrics[objective_].better != models::Sense::maximize;
        for (std::size_t m = 0; m < run.space->machines().size(); ++m) {
            auto const& machine = run.space->machines()[m];
            BestDesign one{machine.name};
            auto const first = run.space->first_of(m);
            auto const last = m + 1 < run.space->machines().size() ? run.space->first_of(m + 1) : run.space->size();
            one.designs = last - first;
            candidates_.push_back(std::move(one));
        }
        judge();
        std::ranges::stable_sort(order_, [&](std::size_t a, std::size_t b) { return is_better(a, b); });
    }

    [[nodiscard]] std::span<BestDesign const> candidates() const { return candidates_; }
    /// Positions of candidates, the best first, those without a design last.
    [[nodiscard]] std::vector<std::size_t> const& order() const { return order_; }
    [[nodiscard]] BestDesign const* winner() const {
        auto const& first = candidates_[order_.front()];
        return first.best ? &first : nullptr;
    }
    [[nodiscard]] bool proved() const { return run_.complete && run_.failed == 0; }
    [[nodiscard]] space::Columns const& columns() const { return columns_; }

    /// The value of a metric of a candidate's best design; nullopt if it does not apply or is unknown.
    [[nodiscard]] std::optional<models::Estimate> value(BestDesign const& one, std::string_view name) const {
        int at = models::find_metric(columns_.metrics, name);
        if (at < 0) at = models::find_metric(columns_.metrics, fmt::format("{}@asked", name));
        if (at < 0 || !one.best) return std::nullopt;
        auto const found = run_.store->estimate(*one.best, static_cast<std::size_t>(at));
        return std::isnan(found.value) ? std::nullopt : std::optional(found);
    }
    [[nodiscard]] std::string unit(std::string_view name) const {
        for (auto const& text : {std::string(name), fmt::format("{}@asked", name)})
            if (int const at = models::find_metric(columns_.metrics, text); at >= 0)
                return columns_.metrics[static_cast<std::size_t>(at)].unit;
        return "";
    }
    [[nodiscard]] std::string shown(BestDesign const& one, std::string_view name) const {
        auto const found = value(one, name);
        return found ? sim::print_quantity(found->value, unit(name), 3) : "";
    }

    /// The parameters of the best design for which the machine had several values, as NAME and value.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> design(BestDesign const& one,
                                                                          bool all_axes = false) const {
        std::vector<std::pair<std::string, std::string>> list;
        if (!one.best) return list;
        auto const& machine = machine_of(one);
        std::vector<models::Value> point;
        run_.space->decode(run_.store->task(*one.best).point, point);
        for (auto const& axis : models::asked_axes(*machine.architecture)) {
            int const at = models::find_parameter(machine.parameters(), axis.parameter);
            if (at < 0 || (!all_axes && machine.axes[static_cast<std::size_t>(at)].size() < 2)) continue;
            auto const& parameter = machine.parameters()[static_cast<std::size_t>(at)];
            list.emplace_back(axis.parameter, space::shown_value(parameter, point[static_cast<std::size_t>(at)]));
        }
        return list;
    }
    /// "4 x (device h100, weights int8)": devices first.
    [[nodiscard]] std::string in_words(BestDesign const& one) const {
        std::vector<std::string> parts;
        for (auto const& [name, value] : design(one))
            if (name != models::devices_name && !models::service::is_serving_parameter(name))
                parts.push_back(fmt::format("{} {}", name, value));
        return fmt::format("{}", fmt::join(parts, ", "));
    }
    [[nodiscard]] std::uint64_t count(BestDesign const& one, std::string_view parameter) const {
        for (auto const& [name, text] : design(one, true))
            if (name == parameter) return std::stoull(text);
        return 1;
    }
    /// Id of the best design.
    [[nodiscard]] std::uint64_t point(BestDesign const& one) const {
        return index_of(run_.store->task(*one.best).point);
    }
    /// What the cost of a machine is: the "price" of a product, which its metric says, or a "bill" of materials.
    [[nodiscard]] std::string_view cost_basis(BestDesign const& one) const {
        auto const& machine = machine_of(one);
        auto const basis = models::cost_basis(machine.inputs.options.assumptions);
        auto const list = machine.architecture->metrics();
        int const at = models::find_metric(list, "cost");
        if (at < 0) return "";
        if (basis != models::CostBasis::own) return basis == models::CostBasis::bill ? "bill" : "price";
        return list[static_cast<std::size_t>(at)].meaning.find("a product") == std::string::npos ? "bill" : "price";
    }
    [[nodiscard]] std::string command(BestDesign const& one) const {
        return one.best ? space::replay_command(columns_, run_.store->task(*one.best)) : "";
    }
    /// The best design as it stands in a space file.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> fixed(BestDesign const& one) const {
        std::vector<std::pair<std::string, std::string>> list;
        auto const& machine = machine_of(one);
        std::vector<models::Value> point;
        run_.space->decode(run_.store->task(*one.best).point, point);
        for (std::size_t p = 0; p < machine.axes.size(); ++p) {
            if (machine.axes[p].size() < 2 && !is_asked(machine, p)) continue;
            auto const& parameter = machine.parameters()[p];
            auto const text = models::print_value(parameter, point[p]);
            bool const plain = parameter.kind == models::Kind::integer || parameter.kind == models::Kind::flag;
            list.emplace_back(parameter.name, plain && parameter.unit.empty() ? text : fmt::format("\"{}\"", text));
        }
        return list;
    }

  private:
    [[nodiscard]] space::Machine const& machine_of(BestDesign const& one) const {
        auto const& machines = run_.space->machines();
        return *std::ranges::find(machines, one.machine, &space::Machine::name);
    }
    [[nodiscard]] static bool is_asked(space::Machine const& machine, std::size_t parameter) {
        auto const axes = models::asked_axes(*machine.architecture);
        return std::ranges::find(axes, machine.parameters()[parameter].name, &models::AskedAxis::parameter) !=
               axes.end();
    }

    /// Designs of a machine that break a rule, and the first of them.
    struct Broken {
        std::uint64_t designs = 0;
        std::string example;
    };

    /// Feasible designs compete; the others are counted by the rule that they break.
    void judge() {
        std::vector<std::map<std::string, Broken>> broken(candidates_.size());
        std::vector<std::vector<search::ResultStore::Row>> missed(candidates_.size());
        auto const& store = *run_.store;
        for (search::ResultStore::Row row = 0; row < store.size(); ++row) {
            auto const m = run_.space->machine_of(store.task(row).point);
            auto& one = candidates_[m];
            if (store.status(row) != search::Status::ok) {
                auto& rule = broken[m][std::string(store.rule(row))];
                if (++rule.designs == 1) rule.example = without_scenario(store.reason(row));
                bool const measured =
                    store.status(row) == search::Status::infeasible && std::isfinite(store.violation(row));
                if (measured) missed[m].push_back(row);
                continue;
            }
            ++one.feasible;
            if (!one.best || beats(row, *one.best)) one.best = row;
        }
        for (std::size_t m = 0; m < candidates_.size(); ++m) {
            order_.push_back(m);
            if (candidates_[m].best) continue;
            auto const nearest = nearest_miss(m, std::move(missed[m]));
            candidates_[m].reason =
                nearest.empty() ? commonest(broken[m], candidates_[m].designs) : "nearest miss: " + nearest;
        }
    }
    /// The reason of the design that breaks the limits least, served to the end, among those that seemed to break them
    /// least when they were given up; "" if none is known.
    [[nodiscard]] std::string nearest_miss(std::size_t m, std::vector<search::ResultStore::Row> missed) const {
        constexpr std::size_t most = 16;
        auto const& store = *run_.store;
        auto const& space = *run_.space;
        std::ranges::sort(missed, {}, [&](auto row) { return std::pair(store.violation(row), store.task(row).point); });
        auto const until_the_end = [&](search::ResultStore::Row row) -> std::pair<double, std::string> {
            auto machine = space.machines()[m];
            machine.constraints.clear();
            std::vector<models::Value> point;
            space.decode(store.task(row).point, point);
            auto const outcome = run::outcome_of(space, m, machine, point, space.search().fidelity);
            auto const* refused = std::get_if<models::Infeasible>(&outcome);
            return {refused == nullptr ? models::Infeasible::unmeasured : refused->violation,
                    refused == nullptr ? "" : without_scenario(refused->reason)};
        };
        std::pair<double, std::string> nearest{models::Infeasible::unmeasured, ""};
        for (std::size_t i = 0; i < std::min(most, missed.size()); ++i) {
            if (store.violation(missed[i]) >= nearest.first) break;
            if (auto one = until_the_end(missed[i]); one.first < nearest.first) nearest = std::move(one);
        }
        if (nearest.second.empty() && !missed.empty()) return without_scenario(store.reason(missed.front()));
        return nearest.second;
    }

    /// Whoever divides a model over devices knows why some numbers do not divide: other rules say more.
    static std::string commonest(std::map<std::string, Broken> const& rules, std::uint64_t designs) {
        static constexpr std::array<std::string_view, 5> of_groups{"devices", "division", "micro_batches", "link",
                                                                   "nvlink"};
        Broken const* most = nullptr;
        for (bool const groups : {false, true})
            for (auto const& [rule, broken] : rules)
                if ((std::ranges::find(of_groups, rule) != of_groups.end()) == groups &&
                    (most == nullptr || (broken.designs > most->designs && !groups)))
                    most = &broken;
        return most == nullptr ? "nothing was evaluated"
                               : fmt::format("{} ({} of {})", most->example, most->designs, counted(designs, "design"));
    }
    static std::string without_scenario(std::string_view reason) {
        constexpr std::string_view scenario = "asked: ";
        return std::string(reason.starts_with(scenario) ? reason.substr(scenario.size()) : reason);
    }
    [[nodiscard]] bool beats(search::ResultStore::Row a, search::ResultStore::Row b) const {
        double const x = run_.store->value(a, objective_), y = run_.store->value(b, objective_);
        if (x != y) return minimizes_ ? x < y : x > y;
        return run_.store->task(a).point < run_.store->task(b).point;
    }
    [[nodiscard]] bool is_better(std::size_t a, std::size_t b) const {
        auto const& x = candidates_[a].best;
        auto const& y = candidates_[b].best;
        if (!x || !y) return x.has_value() && !y;
        return beats(*x, *y);
    }

    AskedQuestion const& question_;
    RunSummary const& run_;
    space::Columns columns_;
    std::size_t objective_ = 0;
    bool minimizes_ = true;
    std::vector<BestDesign> candidates_;
    std::vector<std::size_t> order_;
};

/// The metrics of the table, after the objective.
std::vector<std::string> columns_of(AskedQuestion const& question) {
    auto const& objective = question.objectives.front();
    std::vector<std::string> names{objective};
    bool const p90 = question.share == "0.9" || question.share == "0.90";
    std::vector<std::string> const of_traffic{
        p90 ? "ttft_p90" : "ttft_p99", p90 ? "tpot_p90" : "tpot_p99", "peak_power",
        "energy_per_good_token",       "cost_per_million_tokens",     "silicon"};
    std::vector<std::string> const of_one{"ttft",   "itl", "peak_power", "energy_per_token", "cost_per_million_tokens",
                                          "silicon"};
    for (auto const& name : question.has_traffic() ? of_traffic : of_one)
        if (name != objective) names.push_back(name);
    return names;
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
    if (winner == nullptr) return "No machine meets these limits.";
    std::vector<std::string> figures;
    for (auto const& name : columns_of(question))
        if (auto const text = told.shown(*winner, name); !text.empty() && figures.size() < 5)
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

std::string table_text(Recommendation const& told, AskedQuestion const& question) {
    auto const names = columns_of(question);
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
    auto text = told.winner() == nullptr ? "" : "the best design of each machine\n" + table.text(screen_width());
    text += wrapped(bases_text(told), screen_width());
    if (!without.empty()) text += "cannot\n" + without;
    return text;
}

std::string proof(Recommendation const& told, RunSummary const& run) {
    auto const designs = counted(run.space->size(), "design");
    if (!told.proved()) return fmt::format("not proved: {} of {} were evaluated", run.points, designs);
    if (run.feasible == 0) return fmt::format("proved over these axes, in closed form: none of {} can", designs);
    auto const pruned = run.space->size() - run.points;
    return fmt::format("proved over these axes, in closed form: no other of {} is better{}", designs,
                       pruned == 0 ? fmt::format(" ({} meet all limits)", run.feasible)
                                   : fmt::format(" (what is known of {} before they serve tells so; of the others {} "
                                                 "meet all limits)",
                                                 pruned, run.feasible));
}

/// What the draws of uncertain constants say of the best designs.
struct Doubt {
    std::optional<double> share;  ///< of the draws in which the told stays
    std::uint64_t draws = 0;
    std::vector<std::string> flips;
    Json flips_json = Json::array();
};

Doubt doubt_of(RunSummary const& finalists, std::string const& winner) {
    Doubt doubt;
    if (!finalists.robust) return doubt;
    auto const& robust = *finalists.robust;
    doubt.draws = robust.draws.size();
    for (auto const& machine : robust.machines)
        if (machine.name == winner && doubt.draws > 0)
            doubt.share = static_cast<double>(machine.draws_best.front()) / static_cast<double>(doubt.draws);
    auto flips = robust.flips;
    auto const distance = [&](search::MachineFlip const& flip) {
        double const now = robust.constants[flip.constant].nominal;
        return now == 0.0 ? std::abs(flip.break_even) : std::abs(flip.break_even / now - 1.0);
    };
    std::ranges::stable_sort(flips, {}, distance);
    constexpr std::size_t most = 3;
    for (std::size_t i = 0; i < std::min(most, flips.size()); ++i) {
        auto const& flip = flips[i];
        auto const& constant = robust.constants[flip.constant];
        doubt.flips.push_back(fmt::format("{} {} instead of {}: {} then wins", constant.name,
                                          constant.text_of(flip.break_even), constant.text_of(constant.nominal),
                                          robust.machines[flip.after].name));
        doubt.flips_json.push_back({{"constant", constant.name},
                                    {"now", constant.nominal},
                                    {"beyond", flip.break_even},
                                    {"unit", constant.unit},
                                    {"wins", robust.machines[flip.after].name}});
    }
    return doubt;
}

std::string doubt_text(Doubt const& doubt) {
    if (!doubt.share) return "how sure: not asked (--draws 0), or only one machine can\n";
    auto text = fmt::format("how sure: first in {:.0f} % of {} draws of all uncertain constants\n",
                            100.0 * *doubt.share, doubt.draws);
    if (doubt.flips.empty()) return text + "no uncertain constant alone turns the answer\n";
    text += "what turns it:\n";
    for (auto const& flip : doubt.flips) text += "  " + flip + "\n";
    return text;
}

Json metrics_json(Recommendation const& told, BestDesign const& one, std::vector<std::string> const& names) {
    auto json = Json::object();
    for (auto const& name : names)
        if (auto const found = told.value(one, name)) json[name] = found->value;
    return json;
}

Json candidate_json(Recommendation const& told, BestDesign const& one, AskedQuestion const& question) {
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
    json["metrics"] = metrics_json(told, one, columns_of(question));
    json["cost_basis"] = told.cost_basis(one);
    json["command"] = told.command(one);
    return json;
}

/// A number, a distribution "lognormal 1500 3000" or a table as it stands in a space file.
std::string length_text(std::string const& text) {
    if (text.starts_with("lognormal")) {
        std::vector<std::string> numbers;
        for (auto const part : sim::split(text, ' '))
            if (!part.empty() && part != "lognormal") numbers.emplace_back(part);
        return fmt::format("{{ lognormal = [{}] }}", fmt::join(numbers, ", "));
    }
    return text;
}

std::string in_quotes(std::string const& text) { return "\"" + text + "\""; }

po::options_description recommend_flags() {
    po::options_description flags("Flags");
    auto add = flags.add_options();
    add("model", po::value<std::string>(), "language model: a name, a file or a folder (pimdse list models)");
    add("rate", po::value<std::string>(), "requests that arrive in a second, such as \"3 1/s\"");
    add("trace", po::value<std::string>(), "a trace of requests (docs/traffic.md), instead of --input and --output");
    add("requests", po::value<std::string>(), "how many of them (default: 300, or the whole trace)");
    add("input", po::value<std::string>(), "tokens of a prompt: 1500, or \"lognormal 1500 3000\" (mean, p90)");
    add("output", po::value<std::string>(), "tokens of an answer, likewise");
    add("ttft", po::value<std::string>(), "limit of the time to the first token");
    add("tpot", po::value<std::string>(), "limit of the time per token after it");
    add("share", po::value<std::string>()->default_value("0.99"), "share of the requests that must meet both limits");
    add("under", po::value<std::vector<std::string>>()->composing(),
        "a condition that the design must meet, such as \"peak_power <= 600 W\"; may be repeated");
    add("minimize", po::value<std::string>(), "the metric that decides (default: cost_per_million_tokens)");
    add("maximize", po::value<std::string>(), "a metric of which more is better, instead");
    add("machines", po::value<std::string>(), "names and files, separated by commas (default: one of each kind)");
    add("devices", po::value<std::string>(), "numbers of devices: 4, 1,2,4 or 1..8 (powers of two)");
    add("assume", po::value<std::vector<std::string>>()->composing(),
        "name=value: an assumption, such as view=deployed");
    add("draws", po::value<std::string>()->default_value("16"), "draws of uncertain constants that say how sure it is");
    add("output-folder,o", po::value<std::string>()->default_value("answer"), "folder for space, results and page");
    add("threads", po::value<std::string>()->default_value("0"), "threads (0: all cores that this host allows)");
    add("progress", po::value<std::string>()->default_value("auto"),
        "style of the progress display: auto, bar, plain or none");
    add_format(flags);
    return flags;
}

AskedQuestion question_of(po::variables_map const& values) {
    auto const text = [&](char const* name) { return given<std::string>(values, name); };
    if (!values.contains("model")) throw UsageError("recommend needs a model. Add --model NAME (pimdse list models)?");
    AskedQuestion question;
    question.model = path_or_name(*text("model"));
    bool const arrives = values.contains("rate") || values.contains("trace");
    auto const lengths = [&](auto& to) {
        for (auto const* name : {"input", "output"})
            if (auto const length = text(name)) to.emplace_back(name, length_text(*length));
    };
    if (arrives) {
        if (auto const rate = text("rate")) question.traffic.emplace_back("rate", in_quotes(*rate));
        if (auto const trace = text("trace")) question.traffic.emplace_back("trace", in_quotes(path_or_name(*trace)));
        if (auto const requests = text("requests"))
            question.traffic.emplace_back("requests", *requests);
        else if (!values.contains("trace"))
            question.traffic.emplace_back("requests", "300");
        lengths(question.traffic);
    } else {
        for (auto const* name : {"ttft", "tpot", "requests"})
            if (values.contains(name))
                throw UsageError(fmt::format("--{} is for requests that arrive. Add --rate or --trace?", name));
        lengths(question.request);
    }
    for (auto const* name : {"ttft", "tpot"})
        if (auto const limit = text(name)) question.limits.emplace_back(name, in_quotes(*limit));
    question.share = *text("share");
    if (values.contains("under")) question.under = values["under"].as<std::vector<std::string>>();
    if (values.contains("minimize") && values.contains("maximize"))
        throw UsageError("--minimize and --maximize are both given. Which of the two decides?");
    auto const decides = text("minimize") ? text("minimize") : text("maximize");
    question.objectives = {decides.value_or("cost_per_million_tokens")};
    question.machines = machines_asked(text("machines").value_or(""));
    if (auto const devices = text("devices")) question.devices = device_counts(*devices);
    if (values.contains("assume"))
        for (auto const& pair : pairs_of(values, "assume")) question.assumptions.push_back(pair);
    return question;
}

RunRequest request_for(po::variables_map const& values, std::string text, fs::path const& folder,
                       std::string const& name, std::vector<std::string> const& arguments) {
    RunRequest request;
    request.space_file = folder / (name == "answer" ? "space.toml" : name + ".toml");
    request.output = folder / (name + ".h5");
    request.space_text = std::move(text);
    request.strategy = name == "answer" ? "best" : "sweep";
    request.fidelity = "analytic";
    request.threads = threads_of(values);
    request.progress = values["progress"].as<std::string>();
    request.if_exists = IfExists::replace;
    request.words = {"pimdse", "recommend"};
    request.words.insert(request.words.end(), arguments.begin(), arguments.end());
    return request;
}

}  // namespace

int run_recommend(std::vector<std::string> const& arguments) {
    auto const values = parse(recommend_manual, recommend_flags(), arguments);
    if (!values) return complete;
    auto const format = format_without_csv(*values, "an answer");
    auto const question = question_of(*values);
    auto const draws = read_number<std::uint64_t>("--draws", (*values)["draws"].as<std::string>());
    fs::path const folder = (*values)["output-folder"].as<std::string>();
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) throw UsageError(fmt::format("{}: {}", folder.string(), failed.message()));
    auto const text = space_text_of(question);
    base::replace_file(folder / "space.toml", std::as_bytes(std::span(text)));
    auto const run = cli::run(request_for(*values, text, folder, "answer", arguments));
    if (!run) return complete;
    Recommendation const told(question, *run);
    Doubt doubt;
    auto const able = static_cast<std::uint64_t>(
        std::ranges::count_if(told.candidates(), [](BestDesign const& one) { return one.best.has_value(); }));
    if (able > 1 && draws > 0) {
        FixedDesigns best;
        for (auto const& one : told.candidates())
            if (one.best) best.emplace(one.machine, told.fixed(one));
        auto request = request_for(*values, space_text_of(question, &best), folder, "finalists", arguments);
        request.uncertain = draws;
        if (auto const finalists = cli::run(request)) doubt = doubt_of(*finalists, told.winner()->machine);
    }
    auto const assumed = space::assumed_text(told.columns());
    auto const files = std::array{(folder / "space.toml").string(), (folder / "answer.h5").string()};
    if (format == Format::json) {
        auto machines = Json::array();
        for (auto const at : told.order()) machines.push_back(candidate_json(told, told.candidates()[at], question));
        auto list = Json::array();
        for (auto const& file : files) list.push_back(file);
        auto json = Json::object();
        json["answer"] = told.winner() == nullptr ? Json(nullptr) : candidate_json(told, *told.winner(), question);
        json["sentence"] = sentence(told, question);
        json["machines"] = machines;
        json["proved"] = told.proved();
        json["designs"] = run->space->size();
        json["flips"] = doubt.flips_json;
        json["sure"] = base::or_null(doubt.share);
        json["rests_on"] = assumed;
        json["seconds"] = run->seconds;
        json["files"] = list;
        std::cout << base::json_text(json) << '\n';
    } else {
        std::cout << wrapped(sentence(told, question) + "\n\n", screen_width()) << table_text(told, question) << '\n'
                  << wrapped(proof(told, *run) + "\n" + (told.winner() == nullptr ? "" : doubt_text(doubt)) +
                                 "rests on: " + assumed + "\n",
                             screen_width())
                  << fmt::format("files: {}\nnext: pimdse front {} ; pimdse report {} -o {}\n", fmt::join(files, ", "),
                                 space::shell_word(files[1]), space::shell_word(files[1]),
                                 space::shell_word((folder / "answer.html").string()));
        if (told.winner() != nullptr) std::cout << "      " << told.command(*told.winner()) << '\n';
    }
    return told.winner() == nullptr ? no_feasible_point : complete;
}

}  // namespace pimdse::dse::cli
