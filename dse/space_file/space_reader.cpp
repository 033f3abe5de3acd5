#include "dse/space_file/space_reader.hpp"

#include "dse/space/expression_parser.hpp"
#include "dse/space/search_names.hpp"
#include "dse/space_file/axis_reader.hpp"
#include "dse/space_file/class_requests.hpp"
#include "dse/space_file/scenario_reader.hpp"
#include "dse/space_file/search_reader.hpp"
#include "dse/store/storage_error.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "models/find_architecture.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace pimdse::dse::space_file {
namespace {

using models::place;
using models::TableReader;

/// "--set k=v" as a TOML node: v is read as TOML where it is TOML (16, [1, 2], { from = .. }), as text otherwise.
toml::table override_table(Override const& change) {
    try {
        return models::parse_toml("value = " + change.second, "--set");
    } catch (sim::InputError const&) {
        return toml::table{{"value", change.second}};  // plain text such as umdam or 8 MiB
    }
}

/// Reads one space file; keeps going after a mistake so that all are reported at once.
class SpaceReader {
  public:
    SpaceReader(std::string const& text, std::string name)
        : name_(std::move(name)), content_(models::parse_toml(text, name_)), root_(content_, name_, mistakes_) {
        space_.text = text;
    }

    space::Space read(std::vector<Override> const& overrides) {
        read_head();
        if (space_.architecture == nullptr) throw sim::InputError(mistakes_);
        read_scenarios();
        read_workload();
        read_parameters();
        for (auto const& change : overrides) apply(change);
        classes_.expand(given_);
        finish_axes();
        read_objectives();
        read_constraints();
        read_search();
        root_.refuse_unknown_keys();
        if (!mistakes_.empty()) throw sim::InputError(mistakes_);
        space_.inputs = models::prepare(*space_.architecture, std::move(space_.inputs.parameters));
        return space::Space(std::move(space_));
    }

  private:
    void read_head() {
        std::int64_t const schema = root_.node("schema") != nullptr ? root_.integer("schema") : 1;
        if (schema != 1 && schema != 2)
            root_.mistake("schema", "schema is neither 1 nor 2 (this program reads schemas 1 and 2)");
        if (schema == 1 && content_.contains("scenario"))
            root_.mistake("scenario", "scenarios are of schema 2. schema = 2?");
        (void)root_.text_or("title", "");
        (void)root_.text_or("question", "");
        for (auto const* later :
             {"workload", "parameters", "objectives", "constraint", "search", "scenario", "aggregate", "baseline"})
            (void)root_.node(later);
        std::string const name = root_.text("architecture");
        if (name.empty()) return;
        try {
            space_.architecture = &models::find_architecture(name);
        } catch (sim::InputError const& error) {
            root_.mistake("architecture", error.what());
            return;
        }
        space_.inputs.parameters = space_.architecture->parameters();
        space_.metrics = space_.architecture->metrics();
        for (auto const& parameter : space_.inputs.parameters)
            space_.axes.push_back(space::Axis::list({parameter.fallback}));
    }

    /// What scenarios decide is fixed before anything else is read; metrics are those of all scenarios.
    void read_scenarios() {
        std::size_t const before = mistakes_.size();
        space_.scenarios =
            ScenarioReader(*space_.architecture, name_, mistakes_).read(content_, space_.inputs.parameters);
        // What is not known of scenarios is not known of metrics either.
        if (mistakes_.size() > before) throw sim::InputError(mistakes_);
        if (!space_.scenarios.empty()) space_.metrics = space_.scenarios.metrics_of_points();
    }

    void read_workload() {
        static std::vector<std::string> const shared{"llm", "input", "output", "batch", "prefill", "decode"};
        auto const* table = table_of("workload");
        if (table == nullptr) return;
        for (auto const& [key, node] : *table) {
            if (std::find(shared.begin(), shared.end(), key.str()) == shared.end()) {
                mistakes_.push_back(fmt::format("{}: '{}' is no part of a workload.{}", place(name_, key.source()),
                                                key.str(), sim::suggestion(key.str(), shared)));
            } else {
                set_axis(key.str(), node, place(name_, key.source()));
            }
        }
    }

    void read_parameters() {
        auto const* table = table_of("parameters");
        if (table == nullptr) return;
        for (auto const& [key, node] : *table) set_axis(key.str(), node, place(name_, key.source()));
    }

    void apply(Override const& change) {
        auto const table = override_table(change);
        int const index = models::find_parameter(space_.inputs.parameters, change.first);
        given_.erase(index);
        classes_.forget(index);
        set_axis(change.first, *table.get("value"), fmt::format("--set {}", change.first));
    }

    void set_axis(std::string_view key, toml::node const& node, std::string const& where) {
        auto& parameters = space_.inputs.parameters;
        int const index = models::find_parameter(parameters, key);
        if (index < 0) {
            std::vector<std::string> names;
            for (auto const& parameter : parameters) names.push_back(parameter.name);
            mistakes_.push_back(fmt::format("{}: unknown parameter '{}' of {}.{}", where, key,
                                            space_.architecture->name, sim::suggestion(key, names)));
            return;
        }
        if (space_.scenarios.ask(static_cast<std::size_t>(index))) {
            mistakes_.push_back(fmt::format("{}: {} is what the scenarios ask", where, key));
            return;
        }
        if (!given_.insert(index).second) {
            mistakes_.push_back(fmt::format("{}: {} is given twice", where, key));
            return;
        }
        auto& parameter = parameters[static_cast<std::size_t>(index)];
        if (classes_.take(parameter, node, where)) return;
        if (auto axis = read_axis(parameter, node, where, mistakes_))
            space_.axes[static_cast<std::size_t>(index)] = std::move(*axis);
    }

    void finish_axes() {
        if (!points_of(space_.axes))
            mistakes_.push_back(
                fmt::format("{}: the space has more than 2^64 points (ids are 64-bit). Fewer values?", name_));
    }

    void read_objectives() {
        auto const* list = content_.get_as<toml::array>("objectives");
        if (list == nullptr || list->empty()) {
            root_.mistake("objectives", "'objectives' is missing (name one to six metrics to optimise)");
            return;
        }
        std::vector<std::string> names;
        for (auto const& entry : *list) names.push_back(entry.value_or(std::string{}));
        try {
            space_.objectives = space::parse_objectives(space_.metrics, names);
        } catch (sim::InputError const& error) {
            for (auto const& sentence : error.sentences()) root_.mistake("objectives", sentence);
        }
    }

    void read_constraints() {
        auto const* node = content_.get("constraint");
        if (node == nullptr) return;
        auto const* list = node->as_array();
        if (list == nullptr) {
            root_.mistake("constraint", "constraints are written as [[constraint]] tables with name and expr");
            return;
        }
        for (auto const& entry : *list) {
            if (auto const* table = entry.as_table()) read_constraint(*table);
        }
    }

    void read_constraint(toml::table const& table) {
        TableReader reader(table, name_, mistakes_);
        std::string const name = reader.text("name");
        std::string const text = reader.text("expr");
        reader.refuse_unknown_keys();
        if (text.empty()) return;
        try {
            auto expression = space::parse_condition(text, {space_.inputs.parameters, space_.metrics});
            bool const before = !expression.uses_metrics();
            space_.constraints.push_back({name, std::move(expression), before});
        } catch (sim::InputError const& error) {
            reader.mistake("expr", error.what());
        }
    }

    void read_search() {
        auto const* table = table_of("search");
        static toml::table const none;
        TableReader reader(table != nullptr ? *table : none, name_, mistakes_);
        space_.search = search_settings(reader, *space_.architecture);
    }

    toml::table const* table_of(std::string_view key) {
        auto const* node = content_.get(key);
        if (node == nullptr) return nullptr;
        if (node->as_table() == nullptr) root_.mistake(key, fmt::format("'{}' is not a table", key));
        return node->as_table();
    }

    std::string name_;
    std::vector<std::string> mistakes_;
    toml::table content_;
    TableReader root_;
    space::Space::Parts space_;
    std::set<int> given_;
    ClassRequests classes_{space_, mistakes_};
};

}  // namespace

space::Space parse_space(std::string const& text, std::string const& name, std::vector<Override> const& overrides) {
    return SpaceReader(text, name).read(overrides);
}

std::string read_space_text(std::filesystem::path const& file) {
    std::ifstream stream(file, std::ios::binary);
    std::ostringstream content;
    content << stream.rdbuf();
    if (!stream)
        throw store::MissingInput(fmt::format("{}: cannot be read (no such file, or no permission)", file.string()));
    return content.str();
}

}  // namespace pimdse::dse::space_file
