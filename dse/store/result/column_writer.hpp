#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/store/hdf5/chunk_writer.hpp"
#include "dse/store/hdf5/group.hpp"
#include "dse/store/result/timeline.hpp"
#include "dse/task/columns.hpp"
#include "dse/task/machine_name.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::store::result {

/// Writes the columns of a file: what has a row per answer, or a row per answer of one machine.
class ColumnWriter {
  public:
    using Row = answers::ResultStore::Row;

    /// All must live as long; rows ascend by id.
    ColumnWriter(hdf5::Group& root, task::Columns const& columns, answers::ResultStore const& store,
                 std::span<Row const> rows, int threads)
        : root_(root), columns_(columns), store_(store), rows_(rows), chunks_(threads) {}

    /// Ids, fidelities and statuses; from then on columns are attached to the ids.
    void write_index();
    /// Parameters and metrics, of the machines after those of all.
    void write_answers();
    /// Not attached: the scale lists whatever hangs on it, so equal runs would differ outside /timing.
    void write_timing(std::vector<Moment> const& progress);

  private:
    /// What is written of some rows: all of them, or those of one machine of several.
    struct Block {
        hdf5::Group& group;
        std::string path;  ///< of the group
        std::span<Row const> rows;
        std::string_view machine;  ///< "" = what all rows have
        [[nodiscard]] bool has(std::string_view name) const { return task::machine_and_name(name).first == machine; }
    };

    void attach(hdf5::Column& column, std::span<Row const> rows) const;
    template <class T, class Get>
    hdf5::Column put(hdf5::Group& group, std::string const& name, std::span<Row const> rows, Get const& get);
    void write_answers(Block const& block);
    void write_machines();
    [[nodiscard]] std::span<Row const> rows_of(task::MachineColumns const& machine) const;
    [[nodiscard]] std::vector<std::size_t> parameters_of(Block const& block) const;
    void write_parameters(Block const& block);
    void put_points(std::span<Row const> rows, std::span<std::size_t const> which, std::span<hdf5::RawRows> into) const;
    void write_metrics(Block const& block);
    void write_metrics_of(std::string const& scenario, Block const& block, hdf5::Group& parent,
                          std::string const& path);
    void write_metric(models::Metric const& metric, std::size_t m, std::span<Row const> rows, hdf5::Group& group,
                      hdf5::Group& bounds, std::string const& path);

    hdf5::Group& root_;
    task::Columns const& columns_;
    answers::ResultStore const& store_;
    std::span<Row const> rows_;
    std::unique_ptr<hdf5::Column> scale_;
    hdf5::ChunkWriter chunks_;
};

}  // namespace pimdse::dse::store::result
