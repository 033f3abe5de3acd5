#include "dse/cli/question.hpp"

#include "dse/cli/point_request.hpp"
#include "models/asked_axes.hpp"
#include "models/find_architecture.hpp"
#include "models/llm/language_models.hpp"
#include "models/llm/weight_format.hpp"
#include "models/service/scheduler_parameters.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <array>
#include <filesystem>
#include <system_error>

namespace pimdse::dse::cli {
namespace {

/// The machines that a question without a list compares: one of each kind.
constexpr std::array<std::string_view, 9> kinds{"gpu",   "hbm_pim", "aim_card", "lpddr5x_pim", "tpu_v4i",
                                                "umdam", "upmem",   "dplena",   "cim_mesh"};

/// A key that a space file reads as one name.
std::string key(std::string_view name) {
    return name.find('.') == std::string_view::npos ? std::string(name) : in_toml(name);
}

constexpr std::string_view flag_mark = "  # --";

/// A line that a flag brought.
std::string marked(std::string_view flag, std::string_view line) {
    return fmt::format("{}{}{}\n", line, flag_mark, flag);
}

/// Queues and copies serve requests that arrive; what a flag gives is not asked twice.
bool is_asked(AskedQuestion const& question, models::AskedAxis const& axis) {
    if (axis.parameter == models::devices_name) return question.devices.empty();
    return question.has_traffic() || !models::service::is_serving_parameter(axis.parameter);
}

/// The values of an axis; of one that may follow the file of the model, that too, if the file has formats.
std::string values_of(AskedQuestion const& question, models::Architecture const& machine, models::AskedAxis axis) {
    auto const parameters = machine.parameters();
    int const at = models::find_parameter(parameters, axis.parameter);
    auto const follows = in_toml(models::as_model_says);
    bool const may_follow =
        at >= 0 && std::ranges::count(parameters[static_cast<std::size_t>(at)].choices, models::as_model_says) > 0;
    if (may_follow && std::ranges::count(axis.values, follows) == 0 &&
        !models::load_language_model(question.model).weight_format.method.empty())
        axis.values.insert(axis.values.begin(), follows);
    return axis.toml();
}

std::string machine_text(AskedQuestion const& question, models::Architecture const& machine) {
    auto text =
        fmt::format("\n[[machine]]\narchitecture = {}\n[machine.parameters]\n", in_toml(models::reference_of(machine)));
    // Also of machines that ask nothing about devices themselves.
    if (!question.devices.empty())
        text += marked("devices", fmt::format("{} = [{}]", models::devices_name, fmt::join(question.devices, ", ")));
    for (auto const& axis : models::asked_axes(machine))
        if (is_asked(question, axis))
            text += fmt::format("{} = {}{}\n", axis.parameter, values_of(question, machine, axis),
                                axis.why.empty() ? "" : "  # " + axis.why);
    return text;
}

/// Values of flags that have the names of the keys.
std::string table_text(std::string_view head, std::vector<std::pair<std::string, std::string>> const& keys) {
    if (keys.empty()) return "";
    std::string text = head.empty() ? "" : fmt::format("{}\n", head);
    for (auto const& [name, value] : keys) text += marked(name, fmt::format("{} = {}", key(name), value));
    return text;
}

/// Whether the question is about the largest rate that a machine serves within the limits.
bool reads_largest_rate(AskedQuestion const& question) {
    auto const is_read = [](std::string const& text) {
        return text.find("max_rate") != text.npos || text.find("sustained_rate") != text.npos;
    };
    return std::ranges::any_of(question.objectives, is_read) || std::ranges::any_of(question.under, is_read);
}

std::string model_text(AskedQuestion const& question) {
    return marked("model", fmt::format("llm = {}", in_toml(question.model)));
}

/// The scenarios that were asked for; those that name no model have that of the question.
std::string scenarios_text(AskedQuestion const& question) {
    std::string text;
    for (auto const& work : question.scenarios) {
        text += fmt::format("\n[[scenario]]\nname = {}\nweight = {}\n", in_toml(work.name), work.weight);
        bool const says = std::ranges::any_of(work.keys, [](auto const& one) { return one.first == "llm"; });
        if (!says) text += model_text(question);
        for (auto const& [name, value] : work.keys)
            text += marked("scenario", fmt::format("{} = {}", name, in_toml(value)));
    }
    if (!text.empty()) return text;
    text += "\n[[scenario]]\nname = \"asked\"\n" + model_text(question);
    text += table_text("", question.request);
    text += table_text("[scenario.traffic]", question.traffic);
    // A trace may say what prompts have in common, and engines keep that.
    if (std::ranges::any_of(question.traffic, [](auto const& key) { return key.first == "trace"; }))
        text += "[scenario.scheduler]\nprefix_cache = \"on\"\n";
    if (!question.has_traffic()) return text;
    auto limits = question.limits;
    limits.emplace_back("share", question.share);
    text += table_text("[scenario.slo]", limits);
    // No rate beyond that of the load is sought.
    return text + (reads_largest_rate(question) ? "" : "required = true\n");
}

}  // namespace

std::string space_text_of(AskedQuestion const& question) {
    std::vector<std::string> objectives;
    for (auto const& name : question.objectives) objectives.push_back(in_toml(name));
    std::string text = "# A question as a space: change it, and ask again with pimdse explore.\nschema = 2\n";
    text += marked(question.objectives_flag, fmt::format("objectives = [{}]", fmt::join(objectives, ", ")));
    if (!question.assumptions.empty()) {
        text += "\n[assumptions]\n";
        for (auto const& [name, value] : question.assumptions)
            text += marked("assume", fmt::format("{} = {}", name, in_toml(value)));
    }
    for (auto const* machine : question.machines) text += machine_text(question, *machine);
    int number = 0;
    for (auto const& condition : question.under)
        text += fmt::format("\n[[constraint]]\nname = \"limit {}\"\n", ++number) +
                marked("under", fmt::format("expr = {}", in_toml(condition)));
    if (question.has_traffic())
        text += fmt::format("\n[[constraint]]\nname = \"serves every request\"\nexpr = \"rejected == 0{}\"\n",
                            question.scenarios.empty() && reads_largest_rate(question)
                                ? fmt::format(" and saturated == 0 and good_share >= {}", question.share)
                                : "");
    return text + scenarios_text(question);
}

sim::InputError named_after_flags(sim::InputError const& error, std::string const& file, std::string const& text) {
    auto const lines = sim::split(text, '\n');
    auto sentences = error.sentences();
    for (auto& sentence : sentences) {
        if (!sentence.starts_with(file + ":")) continue;
        auto const begin = file.size() + 1, end = sentence.find(':', begin);
        auto const line = number_in<std::size_t>(sentence.substr(begin, end - begin));
        if (!line || *line == 0 || *line > lines.size()) continue;
        auto const& named = lines[*line - 1];
        if (auto const at = named.rfind(flag_mark); at != named.npos)
            sentence = fmt::format("--{}{}", named.substr(at + flag_mark.size()), sentence.substr(end));
    }
    return sim::InputError(std::move(sentences));
}

std::string in_toml(std::string_view text) {
    std::string all = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\') all += '\\';
        all += c;
    }
    return all + '"';
}

std::string path_or_name(std::string const& text) {
    std::error_code none;
    return std::filesystem::exists(text, none) ? std::filesystem::absolute(text).lexically_normal().string() : text;
}

std::string asked_space(CommandLine const& values, std::string const& machines) {
    AskedQuestion question;
    question.model = path_or_name(values.text("model"));
    question.scenarios = written_scenarios(values);
    question.machines = machines_asked("the machines of explore", machines);
    if (question.scenarios.empty() && question.machines.size() > 1)
        throw UsageError(
            "several machines need a scenario that says how many tokens (they have different numbers of their own). "
            "Add --scenario asked=input=1500,output=250?");
    if (values.contains("devices")) question.devices = device_counts(values.text("devices"));
    if (values.contains("objectives"))
        question.objectives = values.words("objectives");
    else if (question.has_traffic())
        question.objectives = {"cost_per_million_tokens", "energy_per_good_token", "ttft_p99"};
    else
        question.objectives = {"latency", "energy", "cost"};
    return space_text_of(question);
}

std::vector<models::Architecture const*> machines_asked(std::string_view what, std::optional<std::string> const& list) {
    std::vector<models::Architecture const*> machines;
    if (!list) {
        for (auto const name : kinds) machines.push_back(&models::find_architecture(name));
        return machines;
    }
    if (what.starts_with('-') && sim::trimmed(*list).empty())
        throw UsageError("{0}: nothing is named. Leave {0} out to ask one machine of each kind?", what);
    for (auto const& name : words_in(what, *list)) {
        auto const* machine = &models::find_architecture(name);
        if (std::ranges::find(machines, machine) == machines.end()) machines.push_back(machine);
    }
    return machines;
}

std::vector<std::string> device_counts(std::string const& text) {
    std::vector<std::string> counts;
    constexpr std::uint64_t most = 1024;
    auto const number = [&](std::string_view part) {
        auto const count = read_number<std::uint64_t>("--devices", std::string(part));
        if (count == 0 || count > most) throw UsageError("--devices: {} devices are not 1 to {}", count, most);
        return count;
    };
    if (auto const dots = text.find(".."); dots != std::string::npos) {
        auto const first = number(text.substr(0, dots)), last = number(text.substr(dots + 2));
        for (auto count = first; count <= last; count *= 2) counts.push_back(fmt::format("{}", count));
        if (counts.empty()) throw UsageError("--devices: {} ends before it begins. Write {}..{}?", text, last, first);
        return counts;
    }
    for (auto const& part : words_in("--devices", text)) counts.push_back(fmt::format("{}", number(part)));
    return counts;
}

}  // namespace pimdse::dse::cli
