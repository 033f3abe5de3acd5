#pragma once

#include "dse/search/result_store.hpp"
#include "dse/space/columns.hpp"
#include "dse/store/hdf5_column.hpp"
#include "dse/store/hdf5_file.hpp"
#include "dse/store/value_column.hpp"
#include "models/contract/architecture.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::store {

/// Where a metric lies in the file, and the rows that pass through memory. Its columns may have some of the rows of all
/// answers only; it is not a number at others.
class MetricRows {
  public:
    struct Columns {
        store::hdf5::Column value, lower, upper, kind;
    };
    MetricRows(Columns columns, std::uint64_t first, std::uint64_t rows)
        : columns_(std::move(columns)),
          first_(first),
          rows_(rows),
          exact_(columns_.lower.is(columns_.value) && columns_.upper.is(columns_.value)) {}

    /// Of all answers, these.
    void go_to(std::uint64_t first, std::uint64_t count) {
        std::uint64_t const from = std::max(first, first_), to = std::min(first + count, first_ + rows_);
        begin_ = from - first;
        std::uint64_t const have = from < to ? to - from : 0;
        values_.clear();
        if (have == 0) return;
        values_ = columns_.value.read<double>(from - first_, have);
        if (!exact_) lower_bounds_ = columns_.lower.read<double>(from - first_, have);
        if (!exact_) upper_bounds_ = columns_.upper.read<double>(from - first_, have);
        kinds_ = columns_.kind.read<std::uint8_t>(from - first_, have);
        if (std::any_of(kinds_.begin(), kinds_.end(),
                        [](std::uint8_t kind) { return kind >= sim::bound_names.size(); }))
            columns_.kind.damaged("unknown kind of bound");
    }
    /// Row `i` of those.
    [[nodiscard]] models::Estimate estimate(std::size_t i) const {
        std::size_t const at = i - begin_;  // beyond all where i comes before the first
        if (at >= values_.size()) return models::Estimate::unbounded(std::numeric_limits<double>::quiet_NaN());
        return {values_[at], exact_ ? values_[at] : lower_bounds_[at], exact_ ? values_[at] : upper_bounds_[at],
                sim::all_bound_kinds[kinds_[at]]};
    }

  private:
    Columns columns_;
    std::uint64_t first_, rows_;
    std::size_t begin_ = 0;  ///< of the rows in memory, the first it has
    bool exact_;             ///< one data set with three names
    std::vector<double> values_, lower_bounds_, upper_bounds_;
    std::vector<std::uint8_t> kinds_;
};

/// The answers of one file: the columns that have a row per answer. What is inconsistent in them is damage.
class RowReader {
  public:
    /// Reads everything but the answers; `root` must live as long. Throws StorageError and InputError, as read().
    explicit RowReader(store::hdf5::Group const& root);

    [[nodiscard]] models::Parameters const& parameters() const { return parameters_; }
    [[nodiscard]] models::MetricList const& metrics() const { return metrics_; }
    [[nodiscard]] std::uint64_t rows() const { return rows_; }
    /// Of a space of several machines, else none.
    [[nodiscard]] std::vector<space::MachineColumns> const& machines() const { return machines_; }
    /// From now on metrics that are not wanted are not read: they are NaN. One entry per metric.
    void read_only(std::vector<bool> wanted) { wanted_ = std::move(wanted); }

    /// Appends the answers to `store` and, per parameter, their values to `values`.
    void read(search::ResultStore& store, std::vector<ValueColumn>& values);
    /// Puts the metrics of the tasks that are here beside them.
    void find_metrics(std::map<space::Task, models::Metrics>& of);

  private:
    /// Rows that a group has something of: all, or those of one machine.
    struct Block {
        std::string machine;
        std::uint64_t first = 0, rows = 0;
    };
    /// A parameter, and the rows its column is of.
    struct Values {
        store::hdf5::Column column;
        std::uint64_t first = 0;
    };

    [[noreturn]] void damaged(std::string const& what) const { root_.damaged(what); }
    [[nodiscard]] store::hdf5::Column opened_column(store::hdf5::Group const& group, std::string const& name) const;
    [[nodiscard]] store::hdf5::Column opened_column(store::hdf5::Group const& group, std::string const& name,
                                                    std::uint64_t rows) const;
    template <class T>
    [[nodiscard]] std::vector<T> column(store::hdf5::Group const& group, std::string const& name) const;
    void read_index();
    void check_ids() const;
    [[nodiscard]] std::vector<std::string> names_of(store::hdf5::Group const& group, bool formulas = false) const;
    void read_columns(store::hdf5::Group const& group, Block const& block);
    void read_parameters(store::hdf5::Group const& group, Block const& block);
    void read_metrics(store::hdf5::Group const& group, Block const& block);
    void read_metrics_in(store::hdf5::Group const& parent, Block const& block, std::string const& scenario);
    void read_machines();
    [[nodiscard]] Block read_machine(store::hdf5::Group const& group, std::string const& name);
    void read_which_machine(ValueColumn& into) const;
    void fill(search::ResultStore& store);
    void check_failures(store::hdf5::Group const& failures) const;
    void go_to(std::uint64_t first, std::uint64_t count);
    [[nodiscard]] models::Metrics metrics_in(std::size_t i) const;
    [[nodiscard]] space::Task task(std::size_t row) const {
        return {space::PointId{points_[row]}, static_cast<models::Fidelity>(fidelities_[row])};
    }

    store::hdf5::Group const& root_;
    std::uint64_t rows_ = 0;
    std::vector<std::uint64_t> points_;
    std::vector<std::uint8_t> fidelities_, statuses_;
    models::Parameters parameters_;
    models::MetricList metrics_;
    std::vector<space::MachineColumns> machines_;
    std::vector<std::uint8_t> which_;  ///< per row, the machine; none where there is one architecture only
    std::vector<Values> parameter_columns_;
    std::vector<MetricRows> metric_rows_;
    std::vector<bool> wanted_;
};

}  // namespace pimdse::dse::store
