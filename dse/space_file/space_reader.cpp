#include "dse/space_file/space_reader.hpp"

#include "dse/space/expression_parser.hpp"
#include "dse/space/search_names.hpp"
#include "dse/space_file/axis_reader.hpp"
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
        read_workload();
        read_parameters();
        for (auto const& change : overrides) apply(change);
        for (auto const& request : requests_) expand(request);
        for (std::size_t i = 0; i < space_.axes.size(); ++i) count_orderings(i);
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
        if (root_.node("schema") != nullptr && root_.integer("schema") != 1)
            root_.mistake("schema", "schema is not 1 (this program reads schema 1)");
        (void)root_.text_or("title", "");
        (void)root_.text_or("question", "");
        for (auto const* later : {"workload", "parameters", "objectives", "constraint", "search"})
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
        std::erase_if(requests_,
                      [&](Request const& request) { return static_cast<int>(request.what.parameter) == index; });
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
        if (!given_.insert(index).second) {
            mistakes_.push_back(fmt::format("{}: {} is given twice", where, key));
            return;
        }
        auto& parameter = parameters[static_cast<std::size_t>(index)];
        if (is_request(parameter, node, where)) return;
        if (auto axis = read_axis(parameter, node, where, mistakes_))
            space_.axes[static_cast<std::size_t>(index)] = std::move(*axis);
    }

    /// Whether the node asks for classes: these are enumerated when all other axes are known.
    bool is_request(models::Parameter const& parameter, toml::node const& node, std::string const& where) {
        try {
            auto request = read_class_request(node);
            if (!request) return false;
            if (space_.architecture->classes == nullptr)
                throw sim::InputError(fmt::format("{} has no classes to enumerate", space_.architecture->name));
            request->parameter =
                static_cast<std::size_t>(models::find_parameter(space_.inputs.parameters, parameter.name));
            requests_.push_back({std::move(*request), where});
        } catch (sim::InputError const& error) {
            mistakes_.push_back(fmt::format("{}: {}: {}", where, parameter.name, error.what()));
        }
        return true;
    }

    /// What the file gives each parameter, as far as it is a list of values.
    [[nodiscard]] models::AxisValues values_given() const {
        models::AxisValues values(space_.axes.size());
        for (auto const index : given_) {
            auto const& axis = space_.axes[static_cast<std::size_t>(index)];
            if (axis.at(0).kind() == models::Kind::permutation) continue;
            for (std::uint64_t i = 0; i < axis.size(); ++i)
                values[static_cast<std::size_t>(index)].push_back(axis.at(i));
        }
        return values;
    }

    struct Request {
        models::ClassRequest what;
        std::string where;
    };

    void expand(Request const& request) {
        if (!mistakes_.empty()) return;  // what the classes are depends on all other axes
        auto& parameters = space_.inputs.parameters;
        auto& parameter = parameters[request.what.parameter];
        try {
            auto const found = space_.architecture->classes(parameters, request.what, values_given());
            std::vector<models::Value> values;
            for (auto const& text : found.texts) values.push_back(models::read_value(parameter, text));
            space_.axes[request.what.parameter] = space::Axis::list(std::move(values));
            for (auto const& [index, value] : found.decided) space_.axes[index] = space::Axis::list({value});
            remember(parameter, found);
        } catch (sim::InputError const& error) {
            mistakes_.push_back(fmt::format("{}: {}: {}", request.where, parameter.name, error.what()));
        }
    }

    void count_orderings(std::size_t index) {
        auto const& axis = space_.axes[index];
        if (space_.architecture->classes == nullptr || axis.at(0).kind() != models::Kind::permutation ||
            !mistakes_.empty())
            return;
        remember(space_.inputs.parameters[index],
                 space_.architecture->classes(space_.inputs.parameters, {index, "", {}}, values_given()));
    }

    void remember(models::Parameter const& parameter, models::Classes const& found) {
        std::vector<std::string> parts;
        for (auto const& [what, count] : found.counts) parts.push_back(fmt::format("{} {}", count, what));
        for (auto const& [index, value] : found.decided) {
            parts.push_back(fmt::format("{} = {}", space_.inputs.parameters[index].name,
                                        models::print_value(space_.inputs.parameters[index], value)));
        }
        space_.notes.emplace_back(parameter.name, fmt::format("{}", fmt::join(parts, ", ")));
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
    std::vector<Request> requests_;
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
