#include "dse/uncertain/known_constants.hpp"

#include "models/contract/architecture.hpp"
#include "models/contract/assumptions.hpp"
#include "models/contract/constants.hpp"
#include "models/contract/technology.hpp"
#include "models/contract/toml_file.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

namespace pimdse::dse::uncertain {
namespace {

using Place = Binding::Place;

/// A table of constants that machines share.
struct SharedTable {
    std::string_view name;
    std::filesystem::path file;
    bool (*matters)(space::Space const& space, space::Machine const& machine);
    std::string_view otherwise;  ///< why no machine reads it
};

bool forms_groups(space::Space const&, space::Machine const& machine) {
    int const at = models::find_parameter(machine.parameters(), models::devices_name);
    if (at < 0) return false;
    auto const index = static_cast<std::size_t>(at);
    auto const& axis = machine.axes[index];
    return machine.scenarios.ask(index) || axis.size() > 1 || axis.at(0).as_integer() > 1;
}

/// Whether an objective or a condition reads a metric that depends on models/economy.toml.
bool counts_costs(space::Space const& space, space::Machine const& machine) {
    auto const is_cost = [](std::string_view text) {
        return text.find("cost") != std::string_view::npos || text.find("carbon") != std::string_view::npos;
    };
    return std::ranges::any_of(space.objectives(),
                               [&](auto const& one) { return is_cost(space.metrics()[one.metric].name); }) ||
           std::ranges::any_of(machine.constraints, [&](auto const& one) { return is_cost(one.expression.text()); });
}

std::vector<SharedTable> shared_tables() {
    auto const models = models::data_directory() / "models";
    return {{models::links_table, models / "chips" / "links.toml", forms_groups,
             "no machine of the space forms groups of devices"},
            {models::economy_table, models / "economy.toml", counts_costs,
             "no objective and no condition of the space reads a cost or carbon"}};
}

class Collector {
  public:
    explicit Collector(space::Space const& space) : space_(space) {}

    std::vector<KnownConstant> all() {
        for (std::size_t m = 0; m < space_.machines().size(); ++m) {
            auto const& machine = space_.machines()[m];
            add_machine(m, *machine.architecture, machine.inputs.options, "");
            add_parameters(m);
            for (auto const& table : shared_tables())
                if (table.matters(space_, machine) && std::filesystem::exists(table.file)) add_shared(m, table);
        }
        std::vector<KnownConstant> list;
        for (auto& [_, known] : known_) list.push_back(std::move(known));
        return list;
    }

  private:
    void add(std::string const& name, models::Constant const& constant, Binding binding) {
        auto& known = known_[name];
        if (known.constant.name.empty()) {
            known.constant.name = name;
            known.constant.unit = constant.unit;
            known.constant.nominal = constant.si;
            known.assumed = constant.assumed;
            known.stated_lower = constant.range_lower;
            known.stated_upper = constant.range_upper;
            known.may_be_zero = constant.si == 0.0;
        }
        if (std::ranges::find(known.constant.bindings, binding) == known.constant.bindings.end())
            known.constant.bindings.push_back(std::move(binding));
    }

    /// `prefix`: "umdam/" for a machine of a pair.
    void add_machine(std::size_t m, models::Architecture const& architecture, models::ModelOptions const& options,
                     std::string const& prefix) {
        for (auto const* part : architecture.parts) add_machine(m, *part, options, std::string(part->name) + "/");
        if (!architecture.parts.empty()) return;
        bool const from_technology = options.assumptions.constants == models::ConstantSource::technology;
        auto const constants = models::constants_of(architecture, options);
        for (auto const& [name, constant] : constants.all()) {
            if (from_technology && !constant.technology.empty())
                add_row(m, constant.technology, options.assumptions);
            else
                add(std::string(architecture.name) + "." + name, constant, {m, Place::constant, prefix + name});
        }
        if (options.assumptions.host == models::Host::included) add_row(m, "host_power", options.assumptions);
    }

    void add_row(std::size_t m, std::string const& name, models::Assumptions const& assumptions) {
        auto const row = models::Technology::load(assumptions).row(name);
        auto constant = row.constant;
        if (!row.changed) {
            constant.range_lower = row.lower;
            constant.range_upper = row.upper;
        }
        add("technology." + name, constant, {m, Place::technology, name});
    }

    void add_shared(std::size_t m, SharedTable const& table) {
        auto const& options = space_.machines()[m].inputs.options;
        auto const constants = models::Constants::load(table.file, options, table.name);
        for (auto const& [name, constant] : constants.all()) {
            if (table.name == models::economy_table && !models::reads_economy_row(options.assumptions, name)) continue;
            auto const full = std::string(table.name) + "." + name;
            add(full, constant, {m, Place::constant, full});
        }
    }

    void add_parameters(std::size_t m) {
        auto const& machine = space_.machines()[m];
        for (std::size_t p = 0; p < machine.parameters().size(); ++p) {
            auto const& parameter = machine.parameters()[p];
            bool const number = parameter.kind == models::Kind::integer || parameter.kind == models::Kind::quantity;
            if (!number || machine.axes[p].size() != 1 || machine.scenarios.ask(p)) continue;
            auto const value = machine.axes[p].at(0);
            bool const whole = parameter.kind == models::Kind::integer;
            models::Constant constant;
            constant.si = whole ? static_cast<double>(value.as_integer()) : value.as_quantity();
            constant.unit = parameter.unit;
            constant.assumed = parameter.assumed;
            auto const name = std::string(machine.architecture->name) + "." + parameter.name;
            if (known_.contains(name) && !known_[name].parameter) continue;
            add(name, constant, {m, Place::parameter, parameter.name});
            known_[name].parameter = true;
            known_[name].constant.whole = whole;
        }
    }

    space::Space const& space_;
    std::map<std::string, KnownConstant> known_;
};

/// Whether a text matches a pattern in which `*` stands for any characters.
bool matches(std::string_view pattern, std::string_view text) {
    auto const star = pattern.find('*');
    if (star == std::string_view::npos) return pattern == text;
    if (!text.starts_with(pattern.substr(0, star))) return false;
    text.remove_prefix(star);
    pattern.remove_prefix(star + 1);
    for (std::size_t skipped = 0; skipped <= text.size(); ++skipped)
        if (matches(pattern, text.substr(skipped))) return true;
    return false;
}

}  // namespace

std::vector<KnownConstant> known_constants(space::Space const& space) { return Collector(space).all(); }

std::string why_unread(space::Space const& space, std::string_view name) {
    for (auto const& table : shared_tables()) {
        if (!name.starts_with(std::string(table.name) + ".")) continue;
        if (std::ranges::none_of(space.machines(), [&](auto const& machine) { return table.matters(space, machine); }))
            return std::string(table.otherwise);
    }
    return "";
}

bool is_pattern(std::string_view text) {
    return text.find('*') != std::string_view::npos || text.ends_with(".assumed");
}

bool selects(std::string_view pattern, KnownConstant const& known) {
    constexpr std::string_view assumed = ".assumed";
    if (pattern == known.constant.name) return true;
    if (known.parameter || !is_pattern(pattern)) return false;
    if (!pattern.ends_with(assumed)) return matches(pattern, known.constant.name);
    auto const prefix = pattern.substr(0, pattern.size() - assumed.size());
    return known.assumed && matches(std::string(prefix) + ".*", known.constant.name);
}

}  // namespace pimdse::dse::uncertain
