#include "dse/space/space_reader.hpp"

#include "dse/space/machine_readers.hpp"
#include "dse/space/metric_table.hpp"
#include "dse/space/search_settings.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "models/expression/expression_parser.hpp"
#include "models/find_architecture.hpp"
#include "models/service/service_metrics.hpp"
#include "models/service/traffic.hpp"
#include "models/text/source_files.hpp"
#include "sim/base/check.hpp"
#include "sim/base/file_error.hpp"
#include "sim/base/file_text.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <span>
#include <utility>

namespace pimdse::dse::space {

namespace fs = std::filesystem;
namespace {

using models::TableReader;

std::uint64_t count(TableReader& reader, std::string_view key, std::uint64_t default_value) {
    if (reader.node(key) == nullptr) return default_value;
    std::int64_t const value = reader.integer(key);
    if (value < 0) reader.mistake(key, fmt::format("'{}' is negative (it is a count)", key));
    return static_cast<std::uint64_t>(value);
}

/// Runs `read`; an InputError becomes a mistake at the key.
template <class Read>
void at(TableReader& reader, std::string_view key, Read const& read) {
    try {
        read();
    } catch (sim::InputError const& error) {
        reader.mistake(key, error.what());
    }
}

/// The tables and lists of a space file.
constexpr std::array<std::string_view, 12> tables{"assumptions", "workload", "parameters", "objectives",
                                                  "constraint",  "search",   "scenario",   "aggregate",
                                                  "baseline",    "machine",  "table",      "uncertain"};

/// "--set k=v" as a TOML node: v is read as TOML where it is TOML (16, [1, 2], { from = .. }), as text otherwise.
toml::table written_override(Override const& change) {
    try {
        return models::parse_toml("value = " + change.second, "--set");
    } catch (sim::InputError const&) {
        return toml::table{{"value", change.second}};  // plain text such as umdam or 8 MiB
    }
}

/// Whether a text is the path of a user's own file, or of a folder with one, which must be in `folder` like a file. A
/// table of requests or lengths may also be a shipped one.
bool names_file(std::string const& text, fs::path const& folder) {
    if (models::names_own_file(text.find('/') == text.npos ? text : (folder / text).string())) return true;
    std::error_code error;
    return text.ends_with(".csv") &&
           (fs::exists(folder / text, error) || models::service::traffic_file(text) == fs::path(text));
}

/// Makes the path in an entry of a table that names an architecture absolute; false if the entry does not.
bool make_architecture_absolute(std::string_view key, toml::node& entry, fs::path const& folder) {
    auto* text = entry.as_string();
    if (text == nullptr || (key != "architecture" && key != "prefill" && key != "decode")) return false;
    text->get() = models::absolute_architecture(text->get(), folder);
    return true;
}

/// Makes the paths of the user's own files (models/contract/parameter_text.hpp) in a node absolute, at any depth;
/// relative paths start at `folder`.
void make_absolute(toml::node& node, fs::path const& folder) {
    if (auto* table = node.as_table()) {
        for (auto&& [key, entry] : *table) {
            if (!make_architecture_absolute(key.str(), entry, folder)) make_absolute(entry, folder);
        }
    } else if (auto* list = node.as_array()) {
        for (auto& entry : *list) make_absolute(entry, folder);
    } else if (auto* text = node.as_string(); text != nullptr && names_file(text->get(), folder)) {
        text->get() = fs::absolute(folder / text->get()).lexically_normal().string();
    }
}

/// Paths in an override are relative to the current directory.
toml::table override_table(Override const& change) {
    auto table = written_override(change);
    make_absolute(table, {});
    return table;
}

/// Reads the settings in a [search] table; missing keys have the defaults of SearchSettings. Adds every mistake to the
/// reader's.
SearchSettings search_settings(TableReader& reader, std::span<models::Architecture const* const> architectures) {
    SearchSettings search;
    search.strategy = reader.text_or("strategy", search.strategy);
    search.budget = count(reader, "budget", search.budget);
    search.seed = count(reader, "seed", search.seed);
    if (reader.node("epsilon") != nullptr) search.epsilon = reader.number("epsilon");
    bool const named = reader.node("strategy") != nullptr;  // else a flag may set it
    search.audit = count(reader, "audit", search.audit);
    search.stop_after_no_gain = count(reader, "stop_after_no_gain", search.stop_after_no_gain);
    std::string const fidelity = reader.text_or("fidelity", "analytic");
    std::string const keep = reader.text_or("keep", "all");
    reader.refuse_unknown_keys();
    at(reader, "keep", [&] { search.keep = space::parse_keep(keep); });
    at(reader, "strategy", [&] { check_strategy(search.strategy); });
    at(reader, "epsilon", [&] { check_epsilon(search.epsilon); });
    if (named) {
        at(reader, search.epsilon != 0.0 ? "epsilon" : "audit", [&] { check_bounds_settings(search); });
        at(reader, "keep", [&] { check_keep(search); });
    }
    at(reader, "fidelity", [&] {
        if (fidelity == hybrid_name)
            return choose_hybrid(search, named ? std::optional(search.strategy) : std::nullopt);
        search.fidelity = space::parse_fidelity(architectures, fidelity);
    });
    return search;
}

/// Reads one space file. Continues after a mistake so that all mistakes are reported at once.
class SpaceReader {
  public:
    SpaceReader(std::string const& text, std::string name)
        : name_(std::move(name)), content_(models::parse_toml(text, name_)), root_(content_, name_, mistakes_) {
        space_.text = text;
        make_files_absolute(content_, std::filesystem::path(name_).parent_path());
    }

    Space read(std::vector<Override> const& overrides) {
        refuse_machine();
        read_head();
        auto written = space::read_tables(content_, name_, mistakes_);
        tables_known_ = written.complete;
        machines_.take_tables(std::move(written.list));
        machines_.read_assumptions(content_);
        for (auto const& [name, text] : overrides)
            if (name.starts_with(assumption_prefix))
                machines_.assume(name.substr(assumption_prefix.size()), text,
                                 fmt::format("--assume {}={}", name.substr(assumption_prefix.size()), text));
        scenarios_known_ = machines_.find(content_, root_);
        if (auto const* workload = table_of("workload")) machines_.read_workload(*workload);
        machines_.read_parameters(machines_.several() ? nullptr : table_of("parameters"));
        for (auto const& change : overrides)
            if (!change.first.starts_with(assumption_prefix))
                machines_.apply(change.first, *override_table(change).get("value"),
                                fmt::format("--set {}", change.first));
        machines_.finish(space_.notes, space_.remarks);
        points_known_ = mistakes_.empty();
        refuse_aggregates_of_nothing();
        read_objectives();
        read_constraints();
        read_under();
        read_search();
        refuse_parameters_at_the_root();
        root_.refuse_unknown_keys();
        if (!mistakes_.empty()) throw sim::InputError(mistakes_);
        space_.machines = machines_.take();
        return Space(std::move(space_));
    }

  private:
    /// A file that has nothing of a space is not searched for its mistakes.
    void refuse_machine() const {
        if (!models::text::is_machine(content_)) return;
        throw sim::InputError(
            "{0}: is a machine and not a space. Write a space with architecture = \"{0}\", or use pimdse evaluate {0}?",
            name_);
    }

    void read_head() {
        std::int64_t const schema = root_.node("schema") != nullptr ? root_.integer("schema") : 1;
        if (schema != 1 && schema != 2)
            root_.mistake("schema", "schema is neither 1 nor 2 (this program reads schemas 1 and 2)");
        for (auto const* later : {"scenario", "machine", "table"}) {
            if (schema != 1 || !content_.contains(later)) continue;
            bool const one = content_.get_as<toml::table>(later) != nullptr;
            root_.mistake(
                later, fmt::format("{} schema 2. Write schema = 2?",
                                   one ? fmt::format("[{}] needs", later) : fmt::format("[[{}]] tables need", later)));
        }
        for (auto const* key : {"strategy", "budget", "seed", "fidelity", "keep"}) {
            if (root_.node(key) != nullptr) root_.mistake(key, fmt::format("'{}' belongs in [search]", key));
        }
        (void)root_.text_or("title", "");
        (void)root_.text_or("question", "");
        for (auto const later : tables) (void)root_.node(later);
    }

    void read_objectives() {
        auto const* list = content_.get_as<toml::array>("objectives");
        bool const named = list != nullptr && !list->empty();
        if (!named || !std::ranges::all_of(*list, [](auto const& entry) { return entry.is_string(); })) {
            root_.mistake("objectives",
                          content_.contains("objectives")
                              ? "'objectives' must be a list of one to six metrics (write objectives = [\"latency\"])"
                              : "'objectives' is missing (name one to six metrics to optimise)");
            return;
        }
        std::vector<std::string> names;
        for (auto const& entry : *list) {
            auto name = entry.value_or(std::string{});
            if (may_be_known(name)) names.push_back(std::move(name));
        }
        if (names.empty()) return;
        try {
            for (auto const& name : names) machines_.need_common(name);
            auto objectives = space::parse_objectives(machines_.common_metrics(), names);
            for (auto const& name : objectives.read) need_to_apply(root_, "objectives", name);
            space_.objectives = std::move(objectives.list);
            space_.formulas = std::move(objectives.formulas);
        } catch (sim::InputError const& error) {
            for (auto const& sentence : error.sentences()) root_.mistake("objectives", sentence);
        }
    }

    /// Adds a mistake if a metric applies to no point of some machine.
    void need_to_apply(TableReader& reader, std::string_view key, std::string_view metric,
                       std::string_view machine = "") {
        if (!points_known_) return;
        if (auto const why = machines_.why_never(metric, machine); !why.empty()) reader.mistake(key, why);
    }

    /// Adds a mistake if the last constraint of a machine reads only metrics that apply to no point, so that it is
    /// unknown everywhere. If it also reads anything else, that may decide it.
    void need_to_be_decidable(TableReader& reader, Machine const& read, std::string_view machine) {
        auto const& condition = read.constraints.back().expression;
        for (std::size_t i = 0; i < read.parameters().size(); ++i)
            if (condition.reads_parameter(i)) return;
        auto const metrics = read.metrics();
        std::vector<std::string_view> names;
        for (std::size_t i = 0; i < metrics.size(); ++i)
            if (condition.reads_metric(i)) names.push_back(metrics[i].name);
        auto const never = [&](std::string_view name) { return !machines_.why_never(name, machine).empty(); };
        if (!std::ranges::all_of(names, never)) return;
        for (auto const name : names) need_to_apply(reader, "expr", name, machine);
    }

    void refuse_aggregates_of_nothing() {
        auto const* table = content_.get_as<toml::table>("aggregate");
        if (table == nullptr) return;
        TableReader reader(*table, name_, mistakes_);
        for (auto const& [key, _] : *table) need_to_apply(reader, key.str(), key.str());
    }

    /// False for a metric of a scenario (METRIC@SCENARIO) or of a service if the scenarios have mistakes, and for any
    /// if tables have.
    [[nodiscard]] bool may_be_known(std::string_view text) const {
        if (!tables_known_) return false;
        if (scenarios_known_) return true;
        auto const services = models::service::service_metrics();
        return text.find('@') == std::string_view::npos &&
               std::ranges::none_of(services, [&](models::Metric const& metric) {
                   return text.find(metric.name) != std::string_view::npos;
               });
    }

    void read_constraints() {
        auto const* node = content_.get("constraint");
        if (node == nullptr) return;
        auto const* list = node->as_array();
        if (list == nullptr || !std::ranges::all_of(*list, [](auto const& entry) { return entry.is_table(); })) {
            root_.mistake("constraint", "constraints must be [[constraint]] tables with name and expr");
            return;
        }
        for (auto const& entry : *list) read_constraint(*entry.as_table());
    }

    /// under = ["peak_power <= 5 W"]: each entry is a condition on metrics that all machines have in one scenario.
    void read_under() {
        auto const* node = root_.node("under");
        if (node == nullptr) return;
        auto const* list = node->as_array();
        if (list == nullptr || !std::ranges::all_of(*list, [](auto const& entry) { return entry.is_string(); })) {
            root_.mistake("under", "'under' must be a list of conditions, such as under = [\"peak_power <= 15 W\"]");
            return;
        }
        for (auto const& entry : *list) {
            auto text = entry.value_or(std::string{});
            try {
                for (auto const& metrics : machines_.own_metrics())
                    if (may_be_known(text)) (void)models::parse_condition(text, {{}, metrics});
                space_.under.push_back(std::move(text));
            } catch (sim::InputError const& error) {
                root_.mistake("under", error.what());
            }
        }
    }

    void read_constraint(toml::table const& table) {
        TableReader reader(table, name_, mistakes_);
        std::string const name = reader.text("name");
        std::string const text = reader.text("expr");
        std::string const machine = machines_.several() ? reader.text_or("machine", "") : "";
        reader.refuse_unknown_keys();
        if (is_taken(name, machine))
            reader.mistake("name",
                           fmt::format("two constraints are called '{}' (failures are reported by this name)", name));
        if ((text.empty() && !table.contains("expr")) || !may_be_known(text)) return;
        try {
            auto& one = machines_.called(machine);
            if (machines_.several() && machine.empty())
                machines_.add_constraint(name, text);
            else
                one.add_constraint(name, text, one.machine().parameters());
            need_to_be_decidable(reader, one.machine(), machine);
        } catch (sim::InputError const& error) {
            reader.mistake("expr", error.what());
        }
    }

    /// Records a constraint's name; true if it is taken, for the same machine or if either constraint applies to all
    /// machines (machine "").
    bool is_taken(std::string const& name, std::string const& machine) {
        auto const meets = [&](auto const& known) {
            return known.first == name && (known.second == machine || known.second.empty() || machine.empty());
        };
        bool const taken = !name.empty() && std::ranges::any_of(constraints_named_, meets);
        constraints_named_.emplace_back(name, machine);
        return taken;
    }

    /// Detects parameters at the root of the file, as if the line [parameters] were missing.
    void refuse_parameters_at_the_root() {
        if (machines_.several()) return;
        for (auto const& parameter : machines_.called("").machine().parameters()) {
            bool const known = std::ranges::find(tables, parameter.name) != tables.end();
            if (!known && root_.node(parameter.name) != nullptr)
                root_.mistake(parameter.name, fmt::format("'{}' belongs in [parameters]", parameter.name));
        }
    }

    void read_search() {
        auto const* table = table_of("search");
        static toml::table const none;
        TableReader reader(table != nullptr ? *table : none, name_, mistakes_);
        space_.search = search_settings(reader, machines_.architectures());
    }

    toml::table const* table_of(std::string_view key) {
        auto const* node = content_.get(key);
        if (node == nullptr) return nullptr;
        if (node->as_table() == nullptr) root_.mistake(key, fmt::format("'{}' must be a table", key));
        return node->as_table();
    }

    std::string name_;
    std::vector<std::string> mistakes_;
    toml::table content_;
    TableReader root_;
    bool scenarios_known_ = false;
    bool tables_known_ = false;
    bool points_known_ = false;  // no mistake in the machines
    Space::Parts space_;
    MachineReaders machines_{name_, mistakes_};
    std::vector<std::pair<std::string, std::string>> constraints_named_;  // name and machine
};

/// The line in "FILE:LINE: ..."; sentences without one (of --set) come last.
std::size_t line_of(std::string_view sentence, std::string_view file) {
    auto line = std::numeric_limits<std::size_t>::max();
    if (sentence.starts_with(file) && sentence.substr(file.size()).starts_with(':')) {
        auto const number = sentence.substr(file.size() + 1);
        (void)std::from_chars(number.data(), number.data() + number.size(), line);
    }
    return line;
}

}  // namespace

Space parse_space(std::string const& text, std::string const& name, std::vector<Override> const& overrides) {
    try {
        return SpaceReader(text, name).read(overrides);
    } catch (sim::InputError const& error) {
        auto sentences = error.sentences();
        std::ranges::stable_sort(sentences, {}, [&](auto const& sentence) { return line_of(sentence, name); });
        throw sim::InputError(std::move(sentences));
    }
}

std::string read_space_text(std::filesystem::path const& file) {
    auto text = sim::file_text(file);
    if (!text) throw sim::MissingInput(sim::cannot_be_read(file.string()));
    constexpr std::size_t block = 512;  // its signature stands at the beginning of one
    if (text->find("\x89HDF\r\n\x1a\n") % block == 0)
        throw sim::InputError(
            "{}: is a result file (a space is a TOML text file). To continue its run, give its space file "
            "and -o {} --resume?",
            file.string(), file.string());
    return *std::move(text);
}

void make_files_absolute(toml::table& content, fs::path const& folder) {
    for (auto const* key : {"constants", "workload", "parameters", "scenario", "machine", "baseline"}) {
        if (auto* node = content.get(key)) make_absolute(*node, folder);
    }
    for (auto&& [key, entry] : content) (void)make_architecture_absolute(key.str(), entry, folder);
}

}  // namespace pimdse::dse::space
