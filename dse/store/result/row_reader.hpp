#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/store/hdf5/group.hpp"
#include "dse/store/result/metric_rows.hpp"
#include "dse/store/result/value_column.hpp"
#include "dse/task/columns.hpp"
#include "models/contract/architecture.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::dse::store::result {

/// The answers of one file: the columns that have a row per answer. What is inconsistent in them is damage.
class RowReader {
  public:
    /// Reads everything but the answers; `root` must live as long. Throws StorageError and InputError, as read().
    explicit RowReader(hdf5::Group const& root);

    [[nodiscard]] models::Parameters const& parameters() const { return parameters_; }
    [[nodiscard]] models::MetricList const& metrics() const { return metrics_; }
    [[nodiscard]] std::uint64_t rows() const { return rows_; }
    /// Of a space of several machines, else none.
    [[nodiscard]] std::vector<task::MachineColumns> const& machines() const { return machines_; }
    /// From now on metrics that are not wanted are not read: they are NaN. One entry per metric.
    void read_only(std::vector<bool> wanted) { wanted_ = std::move(wanted); }

    /// Appends the answers to `store` and, per parameter, their values to `values`.
    void read(answers::ResultStore& store, std::vector<ValueColumn>& values);
    /// Puts the metrics of the tasks that are here beside them.
    void find_metrics(std::map<task::Task, models::Metrics>& of);

  private:
    /// Rows that a group has something of: all, or those of one machine.
    struct Block {
        std::string machine;
        std::uint64_t first = 0, rows = 0;
    };
    /// A parameter, and the rows its column is of.
    struct Values {
        hdf5::Column column;
        std::uint64_t first = 0;
    };

    [[noreturn]] void damaged(std::string const& what) const { root_.damaged(what); }
    [[nodiscard]] hdf5::Column opened_column(hdf5::Group const& group, std::string const& name) const;
    [[nodiscard]] hdf5::Column opened_column(hdf5::Group const& group, std::string const& name,
                                             std::uint64_t rows) const;
    template <class T>
    [[nodiscard]] std::vector<T> column(hdf5::Group const& group, std::string const& name) const;
    void read_index();
    void check_ids() const;
    [[nodiscard]] std::vector<std::string> names_of(hdf5::Group const& group, bool formulas = false) const;
    void read_columns(hdf5::Group const& group, Block const& block);
    void read_parameters(hdf5::Group const& group, Block const& block);
    void read_metrics(hdf5::Group const& group, Block const& block);
    void read_metrics_in(hdf5::Group const& parent, Block const& block, std::string const& scenario);
    void read_machines();
    [[nodiscard]] Block read_machine(hdf5::Group const& group, std::string const& name);
    void read_which_machine(ValueColumn& into) const;
    void fill(answers::ResultStore& store);
    void check_failures(hdf5::Group const& failures) const;
    void go_to(std::uint64_t first, std::uint64_t count);
    [[nodiscard]] models::Metrics metrics_in(std::size_t i) const;
    [[nodiscard]] task::Task task(std::size_t row) const {
        return {task::PointId{points_[row]}, static_cast<models::Fidelity>(fidelities_[row])};
    }

    hdf5::Group const& root_;
    std::uint64_t rows_ = 0;
    std::vector<std::uint64_t> points_;
    std::vector<std::uint8_t> fidelities_, statuses_;
    models::Parameters parameters_;
    models::MetricList metrics_;
    std::vector<task::MachineColumns> machines_;
    std::vector<std::uint8_t> which_;  ///< per row, the machine; none where there is one architecture only
    std::vector<Values> parameter_columns_;
    std::vector<MetricRows> metric_rows_;
    std::vector<bool> wanted_;
};

}  // namespace pimdse::dse::store::result
