#include "dse/store/result/row_reader.hpp"

#include "dse/store/result/parameter_column.hpp"
#include "dse/store/result/result_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string_view>
#include <unordered_set>

namespace pimdse::dse::store::result {
namespace {

using hdf5::Group;

constexpr std::uint64_t rows_at_once = 65536;
models::Estimate const left_out = models::Estimate::unbounded(std::numeric_limits<double>::quiet_NaN());

models::Outcome failure(answers::Status status, std::string const& rule, std::string const& reason) {
    if (status == answers::Status::infeasible) return models::Infeasible{rule, reason};
    return models::Defect{reason, static_cast<models::DefectKind>(static_cast<unsigned>(status) -
                                                                  static_cast<unsigned>(answers::Status::exception))};
}

}  // namespace

RowReader::RowReader(hdf5::Group const& root) : root_(root) {
    read_index();
    read_parameters();
    read_metrics();
    wanted_.assign(metrics_.size(), true);
}

void RowReader::read(answers::ResultStore& store, std::vector<ValueColumn>& values) {
    if (rows_ >= std::numeric_limits<answers::ResultStore::Row>::max() - store.size())
        damaged("there are more answers than a run can have");
    for (std::size_t p = 0; p < parameters_.size(); ++p) read_values(parameters_[p], parameter_columns_[p], values[p]);
    fill(store);
}

hdf5::Column RowReader::opened_column(hdf5::Group const& group, std::string const& name) const {
    auto opened = group.open_column(name);
    if (opened.rows() != rows_) damaged(fmt::format("{} has {} rows, not {}", name, opened.rows(), rows_));
    return opened;
}

template <class T>
std::vector<T> RowReader::column(hdf5::Group const& group, std::string const& name) const {
    return opened_column(group, name).read<T>();
}

void RowReader::read_index() {
    auto const ids = root_.open_column("point_id");
    if (ids.rows() >= std::numeric_limits<answers::ResultStore::Row>::max())
        damaged(fmt::format("{} rows are more than a file can have", ids.rows()));
    points_ = ids.read<std::uint64_t>();
    rows_ = points_.size();
    check_ids();
    fidelities_ = column<std::uint8_t>(root_, "fidelity");
    statuses_ = column<std::uint8_t>(root_, "status");
    auto const beyond = [](std::vector<std::uint8_t> const& flags, std::size_t count) {
        return std::any_of(flags.begin(), flags.end(), [&](std::uint8_t flag) { return flag >= count; });
    };
    if (beyond(fidelities_, models::fidelity_names.size()) || beyond(statuses_, answers::status_names.size()))
        damaged("unknown fidelity or status");
}

/// Every id is one of the space, where its size is known.
void RowReader::check_ids() const {
    std::uint64_t const size = root_.number("points_in_space");
    auto const beyond =
        std::find_if(points_.begin(), points_.end(), [&](std::uint64_t id) { return size != 0 && id >= size; });
    if (beyond != points_.end()) damaged(fmt::format("point {} is beyond the {} points of its space", *beyond, size));
}

/// The names of the columns in a group.
std::vector<std::string> RowReader::names_of(hdf5::Group const& group) const {
    auto names = group.texts("names");
    std::unordered_set<std::string_view> known;
    for (auto const& name : names) {
        if (name.empty() || name.find('/') != std::string::npos)
            damaged(fmt::format("'{}' is no name of a column", name));
        if (!known.insert(name).second) damaged(fmt::format("{} is there twice", name));
    }
    return names;
}

void RowReader::read_parameters() {
    auto const group = root_.open_group("parameters");
    for (auto const& name : names_of(group)) {
        parameter_columns_.push_back(opened_column(group, name));
        parameters_.push_back(read_parameter(root_, name, parameter_columns_.back()));
    }
}

void RowReader::read_metrics() {
    read_metrics_in(root_, "");
    if (!root_.has("scenarios")) return;
    auto const all = root_.open_group("scenarios");
    for (auto const& scenario : names_of(all)) read_metrics_in(all.open_group(scenario), scenario);
}

void RowReader::read_metrics_in(hdf5::Group const& parent, std::string const& scenario) {
    auto const group = parent.open_group("metrics");
    auto const bounds = parent.open_group("bounds");
    for (auto const& name : names_of(group)) {
        auto const opened = group.open_column(name);
        models::Metric metric;
        metric.name = schema::name_in(scenario, name);
        metric.unit = opened.text("unit");
        metric.meaning = opened.text("meaning");
        metric.better = schema::sense_named(opened.text("better"));
        metric.assumed = opened.number("assumed") != 0;
        metrics_.push_back(std::move(metric));
        metric_rows_.emplace_back(opened_column(group, name), opened_column(bounds, name + "_low"),
                                  opened_column(bounds, name + "_high"), opened_column(bounds, name + "_kind"));
    }
}

void RowReader::fill(answers::ResultStore& store) {
    auto const failures = root_.open_group("failures");
    auto const rules = failures.open_column("rule").read_texts();
    auto const reasons = failures.open_column("reason").read_texts();
    auto const timing = root_.open_group("timing");
    auto const all_seconds = opened_column(timing, "seconds");
    auto const all_ranks = opened_column(timing, "rank");
    std::vector<double> seconds;
    std::vector<std::int32_t> ranks;
    std::size_t failed = 0;
    for (std::size_t row = 0; row < rows_; ++row) {
        std::size_t const i = row % rows_at_once;
        if (i == 0) {
            auto const count = std::min<std::uint64_t>(rows_at_once, rows_ - row);
            seconds = all_seconds.read<double>(row, count);
            ranks = all_ranks.read<std::int32_t>(row, count);
            go_to(row, count);
        }
        task::Answer answer{task(row), {}, seconds[i], ranks[i]};
        auto const status = static_cast<answers::Status>(statuses_[row]);
        if (status == answers::Status::ok) {
            answer.outcome = metrics_in(i);
        } else {
            if (failed >= rules.size() || failed >= reasons.size())
                damaged("/failures has fewer rows than there are failures");
            answer.outcome = failure(status, rules[failed], reasons[failed]);
            ++failed;
        }
        if (store.insert(answer) != answers::ResultStore::Insertion::added)
            damaged(fmt::format("point {} is there twice", points_[row]));
    }
    if (failed != rules.size() || failed != reasons.size()) damaged("/failures has more rows than there are failures");
    check_failures(failures);
}

/// /failures repeats point and fidelity of the rows that are not ok, in their order.
void RowReader::check_failures(hdf5::Group const& failures) const {
    auto const points = failures.open_column("point_id").read<std::uint64_t>();
    auto const fidelities = failures.open_column("fidelity").read<std::uint8_t>();
    std::size_t failed = 0;
    for (std::size_t row = 0; row < rows_; ++row) {
        if (static_cast<answers::Status>(statuses_[row]) == answers::Status::ok) continue;
        bool const same = failed < points.size() && failed < fidelities.size() && points[failed] == points_[row] &&
                          fidelities[failed] == fidelities_[row];
        if (!same) damaged(fmt::format("/failures does not say why point {} failed", points_[row]));
        ++failed;
    }
    if (failed != points.size() || failed != fidelities.size())
        damaged("/failures has more rows than there are failures");
}

void RowReader::find_metrics(std::map<task::Task, models::Metrics>& of) {
    for (std::uint64_t first = 0; first < rows_; first += rows_at_once) {
        auto const count = std::min(rows_at_once, rows_ - first);
        bool there = false;
        for (std::uint64_t i = 0; i < count; ++i) {
            auto const found = of.find(task(first + i));
            if (found == of.end() || static_cast<answers::Status>(statuses_[first + i]) != answers::Status::ok)
                continue;
            if (!there) go_to(first, count);
            there = true;
            found->second = metrics_in(i);
        }
    }
}

/// Takes these rows into memory.
void RowReader::go_to(std::uint64_t first, std::uint64_t count) {
    for (std::size_t m = 0; m < metric_rows_.size(); ++m) {
        if (wanted_[m]) metric_rows_[m].go_to(first, count);
    }
}

/// Row `i` of those that are in memory.
models::Metrics RowReader::metrics_in(std::size_t i) const {
    models::Metrics metrics;
    metrics.reserve(metric_rows_.size());
    for (std::size_t m = 0; m < metric_rows_.size(); ++m)
        metrics.push_back(wanted_[m] ? metric_rows_[m].estimate(i) : left_out);
    return metrics;
}

}  // namespace pimdse::dse::store::result
