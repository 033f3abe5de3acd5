#include "models/asked_axes.hpp"

#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "models/service/scheduler_parameters.hpp"
#include "sim/base/check.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>
#include <algorithm>
#include <filesystem>
#include <system_error>

namespace pimdse::models {
namespace {

namespace fs = std::filesystem;

/// A scalar as it stands in a space file.
std::string written(toml::node const& node) {
    auto const text = scalar_text(node);
    return node.is_string() ? fmt::format("\"{}\"", text) : text;
}

/// parameter = [values], or { values = [...], why = "..." }.
AskedAxis axis_of(std::string name, toml::node const& node, fs::path const& file) {
    AskedAxis axis{std::move(name), {}, ""};
    auto const* values = &node;
    if (auto const* table = node.as_table()) {
        axis.why = (*table)["why"].value_or(std::string());
        values = table->get("values");
    }
    auto const* list = values == nullptr ? nullptr : values->as_array();
    auto const is_scalar = [](toml::node const& one) { return one.is_value(); };
    if (list == nullptr || list->empty() || !std::ranges::all_of(*list, is_scalar))
        throw sim::InputError("{}: explore.{} is not a list of values, nor {{ values = [...], why = ... }}",
                              place(file, node.source()), axis.parameter);
    for (auto const& value : *list) axis.values.push_back(written(value));
    return axis;
}

void check(AskedAxis const& axis, toml::node const& node, fs::path const& file, Parameters parameters) {
    int const at = find_parameter(parameters, axis.parameter);
    if (at < 0) {
        std::vector<std::string> known;
        for (auto const& parameter : parameters) known.push_back(parameter.name);
        throw sim::InputError("{}: explore.{}: the machine has no such parameter.{}", place(file, node.source()),
                              axis.parameter, sim::suggestion(axis.parameter, known));
    }
    for (auto value : axis.values) {
        if (value.starts_with('"')) value = value.substr(1, value.size() - 2);
        try {
            (void)read_value(parameters[static_cast<std::size_t>(at)], value);
        } catch (sim::InputError const& error) {
            throw sim::InputError("{}: explore.{}: {}", place(file, node.source()), axis.parameter, error.what());
        }
    }
}

/// A machine that has the axes of its base asks those for which it has a parameter: it may have settled the others.
std::vector<AskedAxis> axes_in(toml::table const& explore, fs::path const& file, Architecture const& architecture,
                               bool are_of_base) {
    auto parameters = architecture.parameters();
    auto const more = service::scheduler_parameters();
    parameters.insert(parameters.end(), more.begin(), more.end());
    std::vector<AskedAxis> axes;
    for (auto const& [key, node] : explore) {
        if (are_of_base && find_parameter(parameters, key.str()) < 0) continue;
        axes.push_back(axis_of(std::string(key.str()), node, file));
        check(axes.back(), node, file, parameters);
    }
    return axes;
}

}  // namespace

std::string AskedAxis::toml() const {
    return values.size() == 1 ? values.front() : fmt::format("[{}]", fmt::join(values, ", "));
}

std::vector<AskedAxis> asked_axes(Architecture const& architecture) {
    for (auto const& source : architecture.files) {
        if (!source.path.ends_with(".toml")) continue;
        auto const content = parse_toml(source.text, source.path);
        if (auto const* explore = content.get_as<toml::table>("explore"))
            return axes_in(*explore, source.path, architecture, &source != &architecture.files.front());
    }
    if (!architecture.files.empty() || !architecture.parts.empty()) return {};
    auto const file = data_directory() / "models" / architecture.name / "explore.toml";
    if (std::error_code none; !fs::exists(file, none)) return {};
    auto const content = read_toml(file);
    return axes_in(*content, file, architecture, false);
}

}  // namespace pimdse::models
