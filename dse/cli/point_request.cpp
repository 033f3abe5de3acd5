#include "dse/cli/point_request.hpp"

#include "dse/cli/verb.hpp"
#include "dse/space/canonical_space.hpp"
#include "dse/space/columns.hpp"
#include "dse/space/scenarios.hpp"
#include "dse/space/search_settings.hpp"
#include "dse/store/result_file.hpp"
#include "models/contract/assumptions.hpp"
#include "models/contract/common_parameters.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/validation.hpp"
#include "models/find_architecture.hpp"
#include "models/llm/language_models.hpp"

namespace pimdse::dse::cli {
namespace {

/// The parts between commas that are in no brackets, braces or quotes.
std::vector<std::string> parts_of(std::string_view text) {
    std::vector<std::string> parts(1);
    int depth = 0;
    bool quoted = false;
    for (char const c : text) {
        if (c == '"') quoted = !quoted;
        if (!quoted) depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        if (c == ',' && depth == 0 && !quoted)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

/// What is between these two ends; nullopt if the text does not have them.
std::optional<std::string_view> inside(std::string_view text, char open, char close) {
    text = sim::trimmed(text);
    if (text.size() < 2 || text.front() != open || text.back() != close) return std::nullopt;
    return sim::trimmed(text.substr(1, text.size() - 2));
}

/// The values that a text stands for, as in a space file: [a, b] is a list, { lognormal = [mean, p90] } one value, and
/// { geometric = 4 }.
std::vector<std::string> values_in(std::string const& text) {
    if (auto const list = inside(text, '[', ']')) {
        std::vector<std::string> values;
        for (auto const& part : parts_of(*list))
            for (auto& value : values_in(part)) values.push_back(std::move(value));
        return values;
    }
    if (auto const table = inside(text, '{', '}')) {
        auto const equals = table->find('=');
        std::string value(sim::trimmed(table->substr(0, equals)));
        if (equals != std::string_view::npos && (value == "geometric" || value == "exponential"))
            return {fmt::format("{} {}", value, values_in(std::string(table->substr(equals + 1))).front())};
        auto const numbers =
            equals == std::string_view::npos ? std::nullopt : inside(table->substr(equals + 1), '[', ']');
        if (!numbers) throw sim::InputError("'{}' is not {{ lognormal = [mean, p90] }}", text);
        for (auto const& number : parts_of(*numbers)) value += fmt::format(" {}", sim::trimmed(number));
        return {value};
    }
    return {std::string(inside(text, '"', '"').value_or(text))};
}

/// Parses a value of --scenario: "chat=llm=opt-6.7b,input=512". A list makes a scenario of each of its values.
std::vector<space::WrittenScenario> works_in(std::string const& flag) {
    auto const name_end = flag.find('=');
    if (name_end == std::string::npos) throw sim::InputError("'{}' is not NAME=KEY=VALUE,...", flag);
    std::vector<space::WrittenScenario> works{{flag.substr(0, name_end), 1.0, {}}};
    auto const known = space::scenario_keys();
    bool weighted = false;
    for (auto const& part : parts_of(flag.substr(name_end + 1))) {
        auto const key_end = part.find('=');
        auto const key = part.substr(0, key_end);
        if (key_end == std::string::npos)
            throw sim::InputError(
                "'{}' is not KEY=VALUE{}", part,
                works.front().keys.empty()
                    ? ""
                    : " (a comma ends a value: write numbers with a decimal point, and lists as [a, b])");
        auto const value = part.substr(key_end + 1);
        if (key == "weight") {
            auto const weight = sim::parse_quantity(value);
            if (!weight.dimension.is_number()) throw sim::InputError("'{}' is not a plain number", part);
            if (std::exchange(weighted, true)) throw sim::InputError("'{}' gives the weight twice", flag);
            for (auto& work : works) work.weight = weight.si;
            continue;
        }
        if (std::find(known.begin(), known.end(), key) == known.end())
            throw sim::InputError("'{}' is not a key of a scenario.{}", key, sim::suggestion(key, known));
        works = space::with_each(works, key, values_in(value));
    }
    return works;
}

/// The flag that a user typed: the scenario of a recorded run is written for them.
std::string_view flag_of_scenarios(CommandLine const& values) {
    return values.contains("measured") ? "--measured" : "--scenario";
}

space::Scenarios scenarios_in(CommandLine const& values, models::Architecture const& architecture,
                              models::Parameters& parameters) {
    auto const works = written_scenarios(values);
    if (works.empty()) return {};
    space::Scenarios::Parts scenarios;
    from_flag(flag_of_scenarios(values), [&] {
        for (auto const& work : works) scenarios.list.push_back(space::scenario_of(work, architecture, parameters));
    });
    if (auto const mistakes = space::mistakes_in(scenarios.list); !mistakes.empty())
        throw UsageError("{}: {}", flag_of_scenarios(values), fmt::join(mistakes, "; "));
    return {std::move(scenarios), architecture.metrics()};
}

/// Throws UsageError if --set says another value of a parameter than the scenarios do.
void refuse_set_by_scenarios(space::Scenarios const& scenarios, models::Parameters const& parameters,
                             std::vector<space::Override> const& settings) {
    for (auto const& [name, text] : settings) {
        int const at = models::find_parameter(parameters, name);
        auto const says_the_same = [&, &name = name, &text = text] {
            auto parameter = parameters[static_cast<std::size_t>(at)];
            return from_flag(fmt::format("--set {}", name), [&] {
                return scenarios.say(static_cast<std::size_t>(at), models::read_value(parameter, text));
            });
        };
        if (at >= 0 && scenarios.ask(static_cast<std::size_t>(at)) && !says_the_same())
            throw UsageError("--set {0}: the scenarios set this parameter. Leave out --set {0}?", name);
        if (auto const why = scenarios.unused(name); !why.empty())
            throw UsageError("--set {0}: {1}. Leave out --set {0}?", name, why);
    }
}

/// The parameters that the command line sets, and those that a request to its --model implies.
std::vector<space::Override> settings_in(CommandLine const& values, models::Architecture const& architecture) {
    auto settings = pairs_of(values, "set");
    if (values.contains("model")) {
        auto const model = values.text("model");
        settings.insert(settings.begin(), {"llm", model});
        auto const imply = [&](std::string const& name, std::string const& value) {
            if (std::ranges::find(settings, name, &space::Override::first) == settings.end())
                settings.emplace_back(name, value);
        };
        for (auto const& [name, value] : architecture.workload.implied) imply(name, value);
        if (auto const generation = models::implied_generation(model))
            for (auto const& parameter : architecture.parameters())
                if (parameter.name.substr(parameter.name.rfind('.') + 1) == generation->first)
                    imply(parameter.name, generation->second);
    }
    refuse_repeated(settings, "--model and --set");
    return settings;
}

/// The file of --constants, or `otherwise`.
std::string constants_in(CommandLine const& values, std::string const& otherwise) {
    return values.contains("constants") ? input_file(values.text("constants")).string() : otherwise;
}

/// `otherwise` with the changes of --assume.
models::Assumptions assumptions_in(CommandLine const& values, models::Assumptions otherwise) {
    for (auto const& [key, text] : pairs_of(values, "assume")) {
        try {
            models::set_assumption(otherwise, key, text);
        } catch (sim::InputError const& error) {
            throw sim::InputError("--assume {}={}: {}", key, text, fmt::join(error.sentences(), "; "));
        }
    }
    return otherwise;
}

models::Fidelity fidelity_in(CommandLine const& values, models::Architecture const& architecture,
                             models::Fidelity otherwise) {
    if (!values.contains("fidelity")) return otherwise;
    return from_flag("--fidelity", [&] { return space::parse_fidelity(architecture, values.text("fidelity")); });
}

/// Completes a request: reads `settings` into a point and prepares the machine with the resulting parameters.
PointRequest settled(PointRequest requested, models::Parameters parameters,
                     std::vector<space::Override> const& settings) {
    requested.point = models::point_with(parameters, settings);
    for (auto& table : requested.machine.tables) table = table.with(parameters);
    requested.machine.inputs = models::prepare(*requested.machine.architecture, std::move(parameters),
                                               std::move(requested.machine.inputs.options));
    return requested;
}

PointRequest of_architecture(CommandLine const& values) {
    auto const name = values.needed("architecture");
    if (name.ends_with(".h5"))
        throw UsageError("{} is not a machine. Use --from {} --point ID for a point of a result file?",
                         shown_name(name), shown_name(name));
    auto const& architecture = models::find_architecture(name);
    PointRequest requested;
    requested.machine.inputs.options = {constants_in(values, ""), assumptions_in(values, {})};
    auto parameters = space::machine_parameters(architecture, requested.machine.inputs.options.assumptions,
                                                std::ranges::any_of(written_scenarios(values), space::has_traffic));
    requested.machine.name = architecture.name;
    requested.machine.architecture = &architecture;
    requested.machine.scenarios = scenarios_in(values, architecture, parameters);
    requested.fidelity = fidelity_in(values, architecture, architecture.fidelities.front());
    auto const settings = settings_in(values, architecture);
    refuse_set_by_scenarios(requested.machine.scenarios, parameters, settings);
    return settled(std::move(requested), std::move(parameters), settings);
}

/// The values that differ from their defaults, in the form of --set.
std::vector<space::Override> settings_of(models::Parameters const& parameters, models::Point point) {
    std::vector<space::Override> settings;
    for (std::size_t p = 0; p < point.size(); ++p) {
        if (!(point[p] == parameters[p].default_value))
            settings.emplace_back(parameters[p].name, models::print_value(parameters[p], point[p]));
    }
    return settings;
}

PointRequest of_file(CommandLine const& values) {
    if (values.contains("architecture") || values.contains("scenario"))
        throw UsageError(
            "--from uses the architecture and scenarios of the file. Leave them out, and change parameters with "
            "--set?");
    auto const path = input_file(values.text("from"));
    auto const file = store::load_result_file(path, store::no_metrics);
    if (!values.contains("fidelity")) refuse_gone_level(file);
    auto const space = space::space_of_columns(file.columns, path);
    warn_changed_input(file, space);
    space::PointId const id{read_number<std::uint64_t>("--point", values.needed("point"), {0, space.size() - 1})};
    auto const& machine = space.machines()[space.machine_of(id)];
    PointRequest requested;
    requested.machine.name = machine.name;
    requested.machine.architecture = machine.architecture;
    requested.machine.scenarios = machine.scenarios;
    requested.machine.table_metrics = machine.table_metrics;
    requested.machine.tables = machine.tables;
    requested.fidelity = fidelity_in(values, *machine.architecture, file.front_fidelity);
    requested.origin = fmt::format("point {} of {}", index_of(id), path.string());
    auto const& options = machine.inputs.options;
    requested.machine.inputs.options = {constants_in(values, options.constants),
                                        assumptions_in(values, options.assumptions)};
    auto parameters = machine.parameters();
    space.decode(id, requested.point);
    auto settings = settings_of(parameters, requested.point);
    models::set_common_defaults(parameters, requested.machine.inputs.options.assumptions);
    auto const changes = settings_in(values, *machine.architecture);
    refuse_set_by_scenarios(requested.machine.scenarios, parameters, changes);
    settings.insert(settings.end(), changes.begin(), changes.end());
    if (values.contains("constants")) requested.origin += ", but other constants";
    if (values.contains("assume")) requested.origin += ", but other assumptions";
    for (auto const& [name, text] : changes) requested.origin += fmt::format(", but {} = {}", name, text);
    return settled(std::move(requested), std::move(parameters), settings);
}

}  // namespace

std::vector<space::WrittenScenario> written_scenarios(CommandLine const& values) {
    std::vector<space::WrittenScenario> works;
    for (auto const& flag : values.texts("scenario"))
        for (auto& work : from_flag(flag_of_scenarios(values), [&] { return works_in(flag); }))
            works.push_back(std::move(work));
    return works;
}

PointRequest point_request(CommandLine const& values) {
    if (values.contains("from")) return of_file(values);
    if (values.contains("point")) throw UsageError("--point needs a result file. Add --from FILE.h5?");
    return of_architecture(values);
}

std::string changed_parameters(PointRequest const& requested) {
    auto const& parameters = requested.machine.parameters();
    std::vector<std::string> words;
    constexpr std::array<std::string_view, 4> of_requests{"llm", "input", "output", "batch"};
    auto const& scenarios = requested.machine.scenarios;
    auto const& key_parts = requested.machine.architecture->proofs.key_parts;
    auto const deciding = key_parts.deciding ? key_parts.deciding(requested.machine.inputs, requested.point)
                                             : std::vector<std::size_t>(requested.point.size(), models::no_declaration);
    for (std::size_t p = 0; p < requested.point.size(); ++p) {
        // Machines have different defaults of these.
        bool const is_request = std::ranges::find(of_requests, parameters[p].name) != of_requests.end() &&
                                !scenarios.ask(p) && scenarios.unused(parameters[p].name).empty() &&
                                deciding[p] == models::no_declaration;
        auto const shown = space::shown_value(parameters[p], requested.point[p]);
        if ((is_request && shown != "none") || !(requested.point[p] == parameters[p].default_value))
            words.push_back(fmt::format("{} {}", parameters[p].name, shown));
    }
    auto const& options = requested.machine.inputs.options;
    if (!options.constants.empty()) words.push_back("constants " + options.constants);
    for (auto const& [key, text] : models::texts_of(options.assumptions))
        words.push_back(fmt::format("{} {}", key, text));
    return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace pimdse::dse::cli
