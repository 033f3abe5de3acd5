#pragma once

#include "dse/search/result_store.hpp"
#include "dse/space/columns.hpp"
#include "dse/store/hdf5_column.hpp"
#include "dse/store/hdf5_file.hpp"
#include "dse/store/value_column.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::store {

/// The columns of a metric in the file, or its tables with an element per scenario, and some of their rows in memory.
/// They may cover only some of the file's rows; the metric is NaN in the others.
class MetricRows {
  public:
    struct Columns {
        hdf5::Column value, lower, upper, kind;
    };
    MetricRows(Columns columns, std::uint64_t first, std::uint64_t rows)
        : columns_(std::move(columns)),
          first_(first),
          rows_(rows),
          exact_(columns_.lower.is(columns_.value) && columns_.upper.is(columns_.value)) {}

    /// Selects an element beyond those selected before; returns its number among them.
    std::size_t select(std::size_t element) {
        selected_.push_back(element);
        return selected_.size() - 1;
    }
    void select_none() { selected_.clear(); }
    /// Reads the selected elements of these rows, counted over all rows of the file.
    void go_to(std::uint64_t first, std::uint64_t count) {
        std::uint64_t const from = std::max(first, first_), to = std::min(first + count, first_ + rows_);
        begin_ = from - first;
        std::uint64_t const have = from < to ? to - from : 0;
        values_.clear();
        if (have == 0 || selected_.empty()) return;
        values_ = columns_.value.read<double>(from - first_, have, selected_);
        if (!exact_) lower_bounds_ = columns_.lower.read<double>(from - first_, have, selected_);
        if (!exact_) upper_bounds_ = columns_.upper.read<double>(from - first_, have, selected_);
        kinds_ = columns_.kind.read<std::uint8_t>(from - first_, have, selected_);
        if (std::any_of(kinds_.begin(), kinds_.end(),
                        [](std::uint8_t kind) { return kind >= sim::bound_names.size(); }))
            columns_.kind.damaged("unknown kind of bound");
    }
    /// The estimate in row `i` of these rows, of the selected element with this number.
    [[nodiscard]] models::Estimate estimate(std::size_t i, std::size_t number) const {
        std::size_t const row = i - begin_;  // wraps to a large number if i is before the first one
        if (row >= values_.size() / selected_.size())
            return models::Estimate::unbounded(std::numeric_limits<double>::quiet_NaN());
        std::size_t const at = row * selected_.size() + number;
        return {values_[at], exact_ ? values_[at] : lower_bounds_[at], exact_ ? values_[at] : upper_bounds_[at],
                sim::all_bound_kinds[kinds_[at]]};
    }

  private:
    Columns columns_;
    std::uint64_t first_, rows_;
    std::vector<std::size_t> selected_;
    std::size_t begin_ = 0;  ///< the first row in memory that the metric has
    bool exact_;             ///< value and bounds are one data set with three names
    std::vector<double> values_, lower_bounds_, upper_bounds_;
    std::vector<std::uint8_t> kinds_;
};

/// Reader of the columns of a file that have a row per result. Any inconsistency is reported as damage.
class RowReader {
  public:
    /// Reads everything except the results; `root` must outlive this object. Throws StorageError and InputError, as
    /// read().
    explicit RowReader(hdf5::Group const& root);

    [[nodiscard]] models::Parameters const& parameters() const { return parameters_; }
    [[nodiscard]] models::MetricList const& metrics() const { return metrics_; }
    [[nodiscard]] std::uint64_t rows() const { return rows_; }
    /// The machines of a space with several of them; otherwise empty.
    [[nodiscard]] std::vector<space::MachineColumns> const& machines() const { return machines_; }
    /// Selects the metrics to read, one entry per metric; the others are NaN from now on.
    void read_only(std::vector<bool> const& wanted);

    /// Appends the results to `store` and, per parameter, the values of their points to `values`.
    void read(search::ResultStore& store, std::vector<ValueColumn>& values);
    /// Fills in the metrics of those tasks that this file has.
    void find_metrics(std::map<space::Task, models::Metrics>& by_task);

  private:
    /// The rows of a group's columns: all rows, or those of one machine.
    struct Block {
        std::string machine;
        std::uint64_t first = 0, rows = 0;
    };
    /// The place of a metric: its element of a MetricRows, and the number of this element if it is wanted.
    struct Place {
        static constexpr std::size_t left_out = ~std::size_t{0};
        std::size_t rows = 0, element = 0, number = left_out;
    };
    /// The column of a parameter, and the first of its rows.
    struct Values {
        hdf5::Column column;
        std::uint64_t first = 0;
    };

    [[noreturn]] void damaged(std::string const& what) const { root_.damaged(what); }
    [[nodiscard]] hdf5::Column with_rows(hdf5::Column column, std::string const& name, std::uint64_t rows) const;
    [[nodiscard]] hdf5::Column opened_column(hdf5::Group const& group, std::string const& name) const {
        return with_rows(group.open_column(name), name, rows_);
    }
    void read_index();
    void check_ids() const;
    [[nodiscard]] std::vector<std::string> names_of(hdf5::Group const& group, bool formulas = false) const;
    void read_columns(hdf5::Group const& group, Block const& block);
    void read_parameters(hdf5::Group const& group, Block const& block);
    void read_metrics(hdf5::Group const& group, Block const& block);
    void read_metrics_in(hdf5::Group const& parent, Block const& block, std::vector<std::string> const& scenarios,
                         bool in_tables = false);
    void read_machines();
    [[nodiscard]] Block read_machine(hdf5::Group const& group, std::string const& name);
    void fill(search::ResultStore& store);
    void check_failures(hdf5::Group const& failures) const;
    void go_to(std::uint64_t first, std::uint64_t count);
    [[nodiscard]] models::Metrics metrics_in(std::size_t i) const;
    [[nodiscard]] space::Task task(std::size_t row) const {
        return {space::PointId{points_[row]}, static_cast<models::Fidelity>(fidelities_[row])};
    }

    hdf5::Group const& root_;
    std::uint64_t rows_ = 0;
    std::vector<std::uint64_t> points_;
    std::vector<std::uint8_t> fidelities_, statuses_;
    models::Parameters parameters_;
    models::MetricList metrics_;
    std::vector<space::MachineColumns> machines_;
    std::vector<std::uint8_t> which_;  ///< machine of each row; empty if there is one architecture only
    std::vector<Values> parameter_columns_;
    std::vector<MetricRows> metric_rows_;
    std::vector<Place> places_;     ///< by metric
    std::size_t rows_at_once_ = 0;  ///< as many as fit into the memory for the wanted metrics
};

}  // namespace pimdse::dse::store
