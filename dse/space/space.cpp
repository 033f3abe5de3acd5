#include "dse/space/space.hpp"

#include "dse/space/input_hashes.hpp"
#include "models/contract/assumptions.hpp"
#include "models/contract/parameter_text.hpp"
#include "models/contract/toml_file.hpp"
#include "models/find_architecture.hpp"
#include "sim/base/check.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/json.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <limits>
#include <set>

namespace pimdse::dse::space {
namespace {

sim::Json axis_text(models::Parameter const& parameter, Axis const& axis) {
    if (axis.size() > 0 && axis.at(0).kind() == models::Kind::permutation) return {{"permute", parameter.items}};
    auto values = sim::Json::array();
    for (std::uint64_t i = 0; i < axis.size(); ++i) values.push_back(models::value_json(parameter, axis.at(i)));
    return values;
}

sim::Json settings_text(std::vector<std::pair<std::string, std::string>> const& settings) {
    auto text = sim::Json::object();
    for (auto const& [name, value] : settings) text[name] = value;
    return text;
}

/// A scenario in the syntax of `evaluate --scenario`.
std::string flag_text(WrittenScenario const& work) {
    std::string text = fmt::format("{}=weight={}", work.name, work.weight);
    for (auto const& [key, value] : work.keys) text += "," + key + "=" + value;
    return text;
}

/// The name that space_of_columns finds an architecture by. Paths are whole texts, so that identity_text can replace
/// them; the pair of built-in ones is a text too, as files have it that were written before machines had files.
sim::Json architecture_text(models::Architecture const& architecture) {
    auto const reference = models::reference_of(architecture);
    if (architecture.parts.empty() || reference == architecture.name) return reference;
    auto parts = sim::Json::array();
    for (auto const* part : architecture.parts) parts.push_back(models::reference_of(*part));
    return {{"pair", std::move(parts)}};
}

void put_scenarios(sim::Json& text, Scenarios const& scenarios) {
    for (auto const& scenario : scenarios.list()) {
        text["scenarios"].push_back({{"name", scenario.written.name},
                                     {"weight", scenario.written.weight},
                                     {"asks", settings_text(scenario.written.keys)}});
    }
    for (std::size_t m = 0; m < scenarios.metrics().size(); ++m)
        text["aggregates"][scenarios.metrics()[m].name] = name_of(scenarios.aggregates()[m]);
    if (auto const* baseline = scenarios.baseline()) {
        if (!baseline->is_the_design_itself())
            text["baseline"]["architecture"] = architecture_text(baseline->architecture());
        text["baseline"]["settings"] = settings_text(baseline->settings());
    }
}

sim::Json table_text(TableHead const& head) {
    sim::Json text{{"file", head.file}};
    if (!head.machine.empty()) text["machine"] = head.machine;
    text["keys"] = head.keys;
    for (auto const& column : head.columns)
        text["metrics"].push_back(
            {{"name", column.metric.name}, {"better", name_of_better(column.metric.better)}, {"unit", column.unit}});
    return text;
}

/// Everything that determines a machine's points and their results. The content of a table is that of its file, which
/// identity_text() puts in place of the path.
void put_machine(sim::Json& text, Machine const& machine) {
    text["architecture"] = architecture_text(*machine.architecture);
    auto const& options = machine.inputs.options;
    if (!options.constants.empty()) text["constants"] = options.constants;
    if (auto const assumed = models::texts_of(options.assumptions); !assumed.empty())
        text["assumptions"] = settings_text(assumed);
    auto& axes = text["parameters"];
    for (auto const i : machine.designed())
        axes[machine.parameters()[i].name] = axis_text(machine.parameters()[i], machine.axes[i]);
    if (!machine.scenarios.empty()) put_scenarios(text, machine.scenarios);
    for (auto const& table : machine.tables) text["tables"].push_back(table_text(table.table().head));
    auto& conditions = text["constraints"] = sim::Json::array();
    for (auto const& constraint : machine.constraints)
        conditions.push_back({{"name", constraint.name}, {"expr", constraint.expression.text()}});
}

/// The parameters of all machines as one table: the parameter that selects the machine, then those of each machine.
models::Parameters joined_parameters(std::vector<Machine> const& machines) {
    models::Parameter which;
    which.name = space::machine_parameter;
    which.kind = models::Kind::choice;
    which.meaning = "which of the machines of the space";
    which.default_value = models::Value::choice(0);
    models::Parameters all;
    for (auto const& machine : machines) which.choices.push_back(machine.name);
    all.push_back(std::move(which));
    for (auto const& machine : machines) {
        for (auto const i : machine.designed()) {
            all.push_back(machine.parameters()[i]);
            all.back().name = space::name_in_machine(machine.name, all.back().name);
        }
    }
    return all;
}

void keep_only(std::vector<std::size_t> const& designed, std::vector<models::Value>& point) {
    for (std::size_t i = 0; i < designed.size(); ++i) point[i] = point[designed[i]];
    point.resize(designed.size());
}

using Decode = std::function<void(PointId, std::vector<models::Value>&)>;

Decode decode_of_one(Space const& space) {
    return [&space, designed = space.machines().front().designed()](PointId id, std::vector<models::Value>& into) {
        space.decode(id, into);
        keep_only(designed, into);
    };
}

/// Parameters of other machines have their default values.
Decode decode_of_several(Space const& space, models::Parameters const& parameters) {
    std::vector<models::Value> defaults;
    for (auto const& parameter : parameters) defaults.push_back(parameter.default_value);
    std::vector<std::vector<std::size_t>> designed;
    for (auto const& machine : space.machines()) designed.push_back(machine.designed());
    return [&space, defaults, designed](PointId id, std::vector<models::Value>& into) {
        thread_local std::vector<models::Value> own;
        auto const machine = space.machine_of(id);
        space.decode(id, own);
        keep_only(designed[machine], own);
        into = defaults;
        into[space::at_machine_parameter] = models::Value::choice(machine);
        std::size_t first = 1;
        for (std::size_t m = 0; m < machine; ++m) first += designed[m].size();
        std::copy(own.begin(), own.end(), into.begin() + static_cast<std::ptrdiff_t>(first));
    };
}

/// Collects every string in a JSON value, except names of fields.
void add_texts(sim::Json const& value, std::set<std::string>& texts) {
    if (value.is_string()) texts.insert(value.get<std::string>());
    if (!value.is_structured()) return;
    for (auto const& part : value) add_texts(part, texts);
}

InputHashes hashes_of(Machine const& machine, std::set<std::string> const& texts) {
    auto hashes = input_hashes(*machine.architecture, texts);
    for (auto& entry : own_file_hashes(machine.inputs)) hashes.push_back(std::move(entry));
    for (auto const& scenario : machine.scenarios.list()) {
        for (auto const& file :
             scenario.traffic == nullptr ? std::vector<std::filesystem::path>() : scenario.traffic->files)
            hashes.emplace_back(space::name_of_input(file), file_sha256(file));
    }
    for (auto const& table : machine.tables)
        hashes.emplace_back(table.table().head.file, sim::sha256(table.table().text));
    auto const* baseline = machine.scenarios.baseline();
    if (baseline == nullptr) return hashes;
    for (auto& entry : input_hashes(baseline->architecture(), texts)) hashes.push_back(std::move(entry));
    return hashes;
}

using models::CycleKeyMaker;

void add_design(CycleKeyMaker& key, Machine const& machine, models::Point point) {
    auto const own = machine.architecture->proofs.cycle_key(machine.inputs, point);
    key.add(own.upper).add(own.lower);
}

/// Adds the metrics that the tables give for a request.
void add_rows(CycleKeyMaker& key, Machine const& machine, models::Point point) {
    for (auto const& table : machine.tables) {
        auto const* row = table.row_of(point);
        if (row == nullptr) continue;  // the point is infeasible and may have any key
        for (double const metric : row->metrics) key.add(metric);
    }
}

/// Adds the point as evaluated in each scenario, and its baseline there.
void add_scenarios(CycleKeyMaker& key, Machine const& machine, models::Point point) {
    auto const* baseline = machine.scenarios.baseline();
    for (auto const& scenario : machine.scenarios.list()) {
        auto const requested = scenario.of(point);
        add_design(key, machine, requested);
        add_rows(key, machine, requested);
        if (baseline != nullptr && baseline->is_the_design_itself())
            add_design(key, machine, baseline->changed(requested));
    }
}

void add_what_conditions_read(CycleKeyMaker& key, Machine const& machine, models::Point point) {
    for (auto const& constraint : machine.constraints) {
        for (std::size_t p = 0; !constraint.parameters_only && p < point.size(); ++p) {
            if (constraint.expression.reads_parameter(p)) key.add(models::Expression::number_of(point[p], 1.0));
        }
    }
}

}  // namespace

InputHashes input_hashes(Space const& space) {
    InputHashes all;
    std::set<std::string> texts;
    add_texts(sim::Json::parse(space.canonical_text()), texts);
    for (auto const& machine : space.machines()) {
        auto const hashes = hashes_of(machine, texts);
        all.insert(all.end(), hashes.begin(), hashes.end());
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

Space::Space(Parts parts) : parts_(std::move(parts)) {
    sim::expects(!parts_.machines.empty(), "a space has at least one machine");
    metrics_ = metrics_of(parts_.machines);
    list_metrics();
    for (auto const& machine : parts_.machines) {
        firsts_.push_back(size_);
        size_ += machine.size();
    }
}

void Space::list_metrics() {
    formulas_begin_ = place_of_formulas(metrics_.list);
    list_ = metrics_.list;
    auto at = list_.begin() + static_cast<std::ptrdiff_t>(formulas_begin_);
    for (auto const& formula : parts_.formulas) at = list_.insert(at, formula.metric()) + 1;
}

Space Space::with_machines(std::vector<Machine> machines) const {
    auto copy = *this;
    copy.parts_.machines = std::move(machines);
    return copy;
}

void Space::set_objectives(Objectives objectives) {
    parts_.objectives = std::move(objectives.list);
    parts_.formulas = std::move(objectives.formulas);
    list_metrics();
}

MetricFormula const* Space::formula_at(std::size_t metric) const {
    bool const is_one = metric >= formulas_begin_ && metric - formulas_begin_ < parts_.formulas.size();
    return is_one ? &parts_.formulas[metric - formulas_begin_] : nullptr;
}

std::size_t Space::place_of(std::size_t plain_metric) const {
    return plain_metric < formulas_begin_ ? plain_metric : plain_metric + parts_.formulas.size();
}

std::vector<models::Architecture const*> Space::architectures() const {
    std::vector<models::Architecture const*> list;
    for (auto const& machine : parts_.machines) list.push_back(machine.architecture);
    return list;
}

models::MetricList Space::common_metrics() const {
    return {metrics_.list.begin(), metrics_.list.begin() + static_cast<std::ptrdiff_t>(metrics_.common)};
}

std::size_t Space::machine_of(PointId id) const {
    sim::expects(index_of(id) < size_, "a point's id is below the size of its space");
    auto const after = std::upper_bound(firsts_.begin(), firsts_.end(), index_of(id));
    return static_cast<std::size_t>(after - firsts_.begin()) - 1;
}

void Space::decode(PointId id, std::vector<models::Value>& into) const {
    auto const machine = machine_of(id);
    parts_.machines[machine].decode(index_of(id) - firsts_[machine], into);
}

models::Metrics Space::placed(std::size_t machine, models::Metrics own) const {
    models::Metrics all;
    if (parts_.machines.size() == 1) {
        all = std::move(own);
    } else {
        all.assign(metrics_.list.size(), models::Estimate::unbounded(std::numeric_limits<double>::quiet_NaN()));
        for (std::size_t m = 0; m < own.size(); ++m) all[metrics_.places[machine][m]] = own[m];
    }
    if (parts_.formulas.empty()) return all;
    models::Metrics made;
    for (auto const& formula : parts_.formulas) made.push_back(formula.of(all));
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(formulas_begin_), made.begin(), made.end());
    return all;
}

std::vector<std::string> Space::not_known() const {
    std::vector<std::string> sentences;
    for (auto const& machine : machines()) {
        if (machine.inputs.options.constants.empty() || machine.architecture->not_known == nullptr) continue;
        for (auto const& sentence : machine.architecture->not_known(machine.inputs))
            sentences.push_back(
                fmt::format("{} with {}: {}", machine.name, machine.inputs.options.constants, sentence));
    }
    return sentences;
}

std::string Space::canonical_text() const {
    sim::Json text;
    if (parts_.machines.size() == 1) put_machine(text, parts_.machines.front());
    for (auto const& machine : parts_.machines) {
        if (parts_.machines.size() == 1) break;
        sim::Json one{{"name", machine.name}};
        put_machine(one, machine);
        text["machines"].push_back(std::move(one));
    }
    for (auto const& formula : parts_.formulas) text["formulas"].push_back(formula.metric().name);
    // Files that keep fronts only can be merged only if they kept fronts for the same objectives.
    if (parts_.search.keep == Keep::front) {
        for (auto const& objective : parts_.objectives)
            text["kept_front_of"].push_back(metrics()[objective.metric].name);
    }
    return text.dump();
}

std::vector<MachineColumns> Space::machine_columns() const {
    std::vector<MachineColumns> list;
    for (std::size_t m = 0; m < parts_.machines.size(); ++m) {
        auto const& machine = parts_.machines[m];
        list.push_back({machine.name, std::string(machine.architecture->name), firsts_[m], machine.size(),
                        machine.inputs.options, models::reference_of(*machine.architecture)});
    }
    return list;
}

Columns Space::columns() const {
    Columns columns;
    auto const& first = parts_.machines.front();
    if (parts_.machines.size() == 1) {
        columns.architecture = first.architecture->name;
        columns.options = first.inputs.options;
        columns.reference = models::reference_of(*first.architecture);
        for (auto const i : first.designed()) columns.parameters.push_back(first.parameters()[i]);
        columns.decode = decode_of_one(*this);
    } else {
        columns.architecture = fmt::format("{}", fmt::join(sim::names_of(parts_.machines), "+"));
        columns.machines = machine_columns();
        columns.parameters = joined_parameters(parts_.machines);
        columns.decode = decode_of_several(*this, columns.parameters);
    }
    columns.metrics = metrics();
    columns.objectives = parts_.objectives;
    for (auto const& scenario : first.scenarios.list()) columns.scenarios.push_back(flag_text(scenario.written));
    columns.space_text = parts_.text;
    columns.canonical_text = canonical_text();
    columns.seed = parts_.search.seed;
    columns.points = size_;
    columns.input_hashes = input_hashes(*this);
    columns.machine_files = space::machine_files(parts_.machines);
    return columns;
}

models::CycleKey cycle_key(Space const& space, PointId id) {
    std::size_t const at = space.machine_of(id);
    auto const& machine = space.machines()[at];
    // Steps read what a batch does not, and a schedule the settings of the scheduler.
    if (machine.architecture->proofs.cycle_key == nullptr || machine.scenarios.serve())
        return CycleKeyMaker().add(index_of(id)).key();
    auto const point = space.point(id);
    CycleKeyMaker key;
    key.add(at);
    if (machine.scenarios.empty()) {
        add_design(key, machine, point);
        add_rows(key, machine, point);
    }
    add_scenarios(key, machine, point);
    add_what_conditions_read(key, machine, point);
    return key.key();
}

}  // namespace pimdse::dse::space
