#include "dse/store/row_reader.hpp"

#include "dse/store/result_schema.hpp"
#include "dse/store/result_tables.hpp"

#include <fmt/format.h>
#include <cmath>
#include <string_view>
#include <unordered_set>

namespace pimdse::dse::store {
namespace {

using hdf5::Group;

constexpr std::size_t max_rows_at_once = 65536, numbers_at_once = std::size_t{1} << 23;
models::Estimate const left_out = models::Estimate::unbounded(std::numeric_limits<double>::quiet_NaN());

models::Outcome failure(search::Status status, std::string const& rule, std::string const& reason, double violation) {
    if (status == search::Status::infeasible) return models::Infeasible{rule, reason, violation};
    return models::Defect{reason, static_cast<models::DefectKind>(static_cast<unsigned>(status) -
                                                                  static_cast<unsigned>(search::Status::exception))};
}

/// Whether every slash in a column's name is the division of a formula, with operands on both sides, and not part of a
/// path.
bool slashes_divide(std::string_view name) {
    for (auto at = name.find('/'); at != std::string_view::npos; at = name.find('/', at + 1)) {
        auto const before = name.substr(0, at).find_last_not_of(' '), after = name.find_first_not_of(' ', at + 1);
        if (before == std::string_view::npos || after == std::string_view::npos || name[after] == '/') return false;
    }
    return true;
}

}  // namespace

RowReader::RowReader(hdf5::Group const& root) : root_(root) {
    read_index();
    if (root_.has("machines"))
        read_machines();
    else
        read_columns(root_, {"", 0, rows_});
    read_only(std::vector<bool>(metrics_.size(), true));
}

void RowReader::read_only(std::vector<bool> const& wanted) {
    for (auto& rows : metric_rows_) rows.select_none();
    for (std::size_t m = 0; m < places_.size(); ++m)
        places_[m].number = wanted[m] ? metric_rows_[places_[m].rows].select(places_[m].element) : Place::left_out;
    auto const numbers = static_cast<std::size_t>(std::ranges::count(wanted, true));
    constexpr std::size_t chunk = hdf5::Column::max_chunk_rows;
    rows_at_once_ =
        std::clamp(numbers_at_once / std::max<std::size_t>(1, numbers) / chunk * chunk, chunk, max_rows_at_once);
}

void RowReader::read(search::ResultStore& store, std::vector<ValueColumn>& values) {
    if (rows_ >= std::numeric_limits<search::Row>::max() - store.size())
        damaged("it has more results than a run can have");
    std::size_t const first_with_column = machines_.empty() ? 0 : space::at_machine_parameter + 1;
    for (auto const machine : which_) values[space::at_machine_parameter].push_back(models::Value::choice(machine));
    for (std::size_t p = first_with_column; p < parameters_.size(); ++p) {
        auto const& [column, first] = parameter_columns_[p - first_with_column];
        std::size_t const end = values[p].size() + rows_;
        for (std::uint64_t row = 0; row < first; ++row) values[p].push_back(parameters_[p].default_value);
        read_values(parameters_[p], column, values[p]);
        while (values[p].size() < end) values[p].push_back(parameters_[p].default_value);
    }
    fill(store);
}

hdf5::Column RowReader::with_rows(hdf5::Column column, std::string const& name, std::uint64_t rows) const {
    if (column.rows() != rows) damaged(fmt::format("{} has {} rows, not {}", name, column.rows(), rows));
    return column;
}

void RowReader::read_index() {
    auto const ids = root_.open_column("point_id");
    if (ids.rows() >= std::numeric_limits<search::Row>::max())
        damaged(fmt::format("{} rows are more than a file can have", ids.rows()));
    points_ = ids.read<std::uint64_t>();
    rows_ = points_.size();
    check_ids();
    fidelities_ = opened_column(root_, "fidelity").read<std::uint8_t>();
    statuses_ = opened_column(root_, "status").read<std::uint8_t>();
    auto const beyond = [](std::vector<std::uint8_t> const& flags, std::size_t count) {
        return std::any_of(flags.begin(), flags.end(), [&](std::uint8_t flag) { return flag >= count; });
    };
    if (beyond(fidelities_, models::fidelity_names.size()) || beyond(statuses_, search::status_names.size()))
        damaged("unknown fidelity or status");
}

/// Checks that every id is less than the size of the space, if that is known.
void RowReader::check_ids() const {
    std::uint64_t const size = root_.number("points_in_space");
    auto const beyond =
        std::find_if(points_.begin(), points_.end(), [&](std::uint64_t id) { return size != 0 && id >= size; });
    if (beyond != points_.end()) damaged(fmt::format("point {} is beyond the {} points of its space", *beyond, size));
}

/// The names of the columns in a group. With `formulas`, they may be formulas with divisions.
std::vector<std::string> RowReader::names_of(hdf5::Group const& group, bool formulas) const {
    auto names = group.texts("names");
    std::unordered_set<std::string_view> known;
    for (auto const& name : names) {
        if (name.empty() || (name.find('/') != std::string::npos && !(formulas && slashes_divide(name))))
            damaged(fmt::format("'{}' is not the name of a column", name));
        if (!known.insert(name).second) damaged(fmt::format("{} occurs twice", name));
    }
    return names;
}

void RowReader::read_columns(hdf5::Group const& group, Block const& block) {
    read_parameters(group, block);
    read_metrics(group, block);
}

/// Reads the columns that all rows have, then those of each machine. Readers see the machine of a row as a parameter.
void RowReader::read_machines() {
    auto const all = root_.open_group("machines");
    models::Parameter which;
    which.name = space::machine_parameter;
    which.kind = models::Kind::choice;
    which.meaning = root_.open_column("machine").text("meaning");
    which.choices = names_of(all);
    which.default_value = models::Value::choice(0);
    if (which.choices.empty()) damaged("/machines has no machine");
    parameters_.push_back(which);
    read_columns(root_, {"", 0, rows_});
    std::uint64_t row = 0, id = 0;
    for (auto const& name : which.choices) {
        auto const group = all.open_group(name);
        auto const block = read_machine(group, name);
        if (block.first != row || machines_.back().first_id != id)
            damaged(fmt::format("the rows or ids of {} do not follow those of the previous machine", name));
        if (group.has(tables::points_of_group) &&
            !std::ranges::equal(
                with_rows(group.open_column(tables::points_of_group), tables::points_of_group, block.rows)
                    .read<std::uint64_t>(),
                std::span(points_).subspan(block.first, block.rows)))
            damaged(fmt::format("/machines/{} repeats other points than its rows have", name));
        row += block.rows;
        id += machines_.back().points;
        read_columns(group, block);
    }
    if (row != rows_) damaged("some row belongs to no machine");
    which_ = opened_column(root_, "machine").read<std::uint8_t>();
    for (std::size_t i = 0; i < rows_; ++i) {
        if (which_[i] >= machines_.size() || points_[i] - machines_[which_[i]].first_id >= machines_[which_[i]].points)
            damaged(fmt::format("point {} does not belong to the machine of its row", points_[i]));
    }
}

RowReader::Block RowReader::read_machine(hdf5::Group const& group, std::string const& name) {
    if (name.find('.') != std::string::npos || name.find('@') != std::string::npos)
        damaged(fmt::format("'{}' is not the name of a machine", name));
    machines_.push_back({name, group.text("architecture"), group.number("first_id"), group.number("points")});
    Block block{name, group.number("first_row"), group.number("rows")};
    if (block.first > rows_ || block.rows > rows_ - block.first)
        damaged(fmt::format("the rows of {} end beyond those of the file", name));
    if (machines_.back().points > UINT64_MAX - machines_.back().first_id) damaged("a machine has too many points");
    return block;
}

void RowReader::read_parameters(hdf5::Group const& in, Block const& block) {
    auto const group = in.open_group("parameters");
    for (auto const& name : names_of(group)) {
        parameter_columns_.push_back({with_rows(group.open_column(name), name, block.rows), block.first});
        auto parameter = read_parameter(in, name, parameter_columns_.back().column);
        if (!block.machine.empty()) parameter.name = space::name_in_machine(block.machine, name);
        parameters_.push_back(std::move(parameter));
    }
}

void RowReader::read_metrics(hdf5::Group const& in, Block const& block) {
    read_metrics_in(in, block, {""});
    if (!in.has("scenarios")) return;
    auto const all = in.open_group("scenarios");
    auto const scenarios = names_of(all);
    if (root_.number("schema") == schema::version) {
        if (all.has("scenario") && all.open_column("scenario").read_texts() != scenarios)
            damaged("/scenarios/scenario repeats other names than /scenarios has");
        return read_metrics_in(all, block, scenarios, true);
    }
    for (auto const& scenario : scenarios) read_metrics_in(all.open_group(scenario), block, {scenario});
}

/// Reads the metrics in a group: columns of one scenario (or of none, ""), or tables of several.
void RowReader::read_metrics_in(hdf5::Group const& parent, Block const& block,
                                std::vector<std::string> const& scenarios, bool in_tables) {
    auto const group = parent.open_group("metrics");
    auto const bounds = parent.open_group("bounds");
    auto const opened_in = [&](hdf5::Group const& where, std::string const& name) {
        auto opened = with_rows(in_tables ? where.open_table(name) : where.open_column(name), name, block.rows);
        if (opened.width() != scenarios.size())
            damaged(fmt::format("{} has {} scenarios, not {}", name, opened.width(), scenarios.size()));
        return opened;
    };
    models::MetricList metrics;
    std::size_t const first = metric_rows_.size();
    for (auto const& name : names_of(group, true)) {
        auto const column = schema::dataset_name(name);
        auto opened = opened_in(group, column);
        metrics.push_back({name, opened.text("unit"), opened.text("meaning"),
                           schema::sense_named(opened.text("better")), opened.number("assumed") != 0});
        metric_rows_.emplace_back(
            MetricRows::Columns{std::move(opened), opened_in(bounds, column + "_low"),
                                opened_in(bounds, column + "_high"), opened_in(bounds, column + "_kind")},
            block.first, block.rows);
    }
    for (std::size_t s = 0; s < scenarios.size(); ++s) {
        for (std::size_t m = 0; m < metrics.size(); ++m) {
            metrics_.push_back(metrics[m]);
            auto& name = metrics_.back().name;
            name = schema::name_in(scenarios[s], name);
            if (!block.machine.empty()) name = space::name_in_machine(block.machine, name);
            places_.push_back({first + m, s});
        }
    }
}

void RowReader::fill(search::ResultStore& store) {
    auto const failures = root_.open_group("failures");
    auto const rules = failures.open_column("rule").read_texts();
    auto const reasons = failures.open_column("reason").read_texts();
    // Files of version 0.1.0 have no violations.
    auto const violations = failures.has("violation")
                                ? failures.open_column("violation").read<double>()
                                : std::vector<double>(rules.size(), models::Infeasible::unmeasured);
    auto const timing = root_.open_group("timing");
    auto const all_seconds = opened_column(timing, "seconds");
    auto const all_ranks = opened_column(timing, "rank");
    std::vector<double> seconds;
    std::vector<std::int32_t> ranks;
    std::size_t failed = 0;
    for (std::size_t row = 0; row < rows_; ++row) {
        std::size_t const i = row % rows_at_once_;
        if (i == 0) {
            auto const count = std::min<std::uint64_t>(rows_at_once_, rows_ - row);
            seconds = all_seconds.read<double>(row, count);
            ranks = all_ranks.read<std::int32_t>(row, count);
            go_to(row, count);
        }
        space::Result result{task(row), {}, seconds[i], ranks[i]};
        auto const status = static_cast<search::Status>(statuses_[row]);
        if (status == search::Status::ok) {
            result.outcome = metrics_in(i);
        } else {
            if (failed >= rules.size() || failed >= reasons.size() || failed >= violations.size())
                damaged("/failures has fewer rows than there are failures");
            if (std::isnan(violations[failed])) damaged("a violation in /failures is not a number");
            result.outcome = failure(status, rules[failed], reasons[failed], violations[failed]);
            ++failed;
        }
        if (store.insert(result) != search::ResultStore::Insertion::added)
            damaged(fmt::format("point {} occurs twice", points_[row]));
    }
    if (failed != rules.size() || failed != reasons.size() || failed != violations.size())
        damaged("/failures has more rows than there are failures");
    check_failures(failures);
}

/// Checks that /failures repeats the point and the fidelity of the rows that are not ok, in their order.
void RowReader::check_failures(hdf5::Group const& failures) const {
    auto const points = failures.open_column(tables::name_of_points(failures)).read<std::uint64_t>();
    auto const fidelities = failures.open_column("fidelity").read<std::uint8_t>();
    std::size_t failed = 0;
    for (std::size_t row = 0; row < rows_; ++row) {
        if (static_cast<search::Status>(statuses_[row]) == search::Status::ok) continue;
        bool const same = failed < points.size() && failed < fidelities.size() && points[failed] == points_[row] &&
                          fidelities[failed] == fidelities_[row];
        if (!same) damaged(fmt::format("/failures has no reason for point {}", points_[row]));
        ++failed;
    }
    if (failed != points.size() || failed != fidelities.size())
        damaged("/failures has more rows than there are failures");
}

void RowReader::find_metrics(std::map<space::Task, models::Metrics>& by_task) {
    for (std::uint64_t first = 0; first < rows_; first += rows_at_once_) {
        auto const count = std::min<std::uint64_t>(rows_at_once_, rows_ - first);
        bool loaded = false;
        for (std::uint64_t i = 0; i < count; ++i) {
            auto const found = by_task.find(task(first + i));
            if (found == by_task.end() || static_cast<search::Status>(statuses_[first + i]) != search::Status::ok)
                continue;
            if (!loaded) go_to(first, count);
            loaded = true;
            found->second = metrics_in(i);
        }
    }
}

/// Reads the wanted metrics of these rows into memory.
void RowReader::go_to(std::uint64_t first, std::uint64_t count) {
    for (auto& rows : metric_rows_) rows.go_to(first, count);
}

/// The metrics of row `i` of the rows in memory.
models::Metrics RowReader::metrics_in(std::size_t i) const {
    models::Metrics metrics;
    metrics.reserve(places_.size());
    for (auto const& place : places_)
        metrics.push_back(place.number == Place::left_out ? left_out
                                                          : metric_rows_[place.rows].estimate(i, place.number));
    return metrics;
}

}  // namespace pimdse::dse::store
