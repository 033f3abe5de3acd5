#pragma once

#include "models/contract/metric.hpp"
#include "models/contract/parameter.hpp"
#include "sim/base/quantity_text.hpp"

#include <toml++/impl/forward_declarations.h>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::dse::space {

/// A metric of a table, and the size of its unit in SI.
struct TableColumn {
    models::Metric metric;  ///< `unit` is SI
    std::string unit{};     ///< as written; cells are numbers of it
    sim::Unit size{};
};

/// What a space says of a table of the user's own: a CSV file whose rows give metrics for values of keys.
struct TableHead {
    std::string file;                  ///< absolute path
    std::string machine;               ///< the machine that it is about; "": all machines of the space
    std::vector<std::string> keys;     ///< parameters, or `machine` for the name of a machine
    std::vector<TableColumn> columns;  ///< its metrics
};

/// A row of a table: texts of its keys in the order of the head, and its metrics in SI, which are not negative.
struct TableRow {
    std::vector<std::string> keys;
    std::vector<double> metrics;
    std::int64_t line = 0;
};

/// A table that was read. Immutable.
struct MetricTable {
    TableHead head;
    std::string text;  ///< of the file
    std::vector<TableRow> rows;

    /// The name of the file without its folder, as it is called in sentences.
    [[nodiscard]] std::string name() const;
};

/// The rule of points for which a table has no row.
inline constexpr std::string_view table_rule = "table";

/// The table with this head in the text of its file. Throws InputError with every mistake (file, line).
[[nodiscard]] MetricTable read_metric_table(TableHead head, std::string text);

/// A table as one machine uses it: each row as values of parameters. Texts of an open choice that are not among the
/// choices of its parameter belong to no point; their rows are left out.
class MachineTable {
  public:
    /// A row with values of the machine's parameters.
    struct Row {
        std::vector<models::Value> keys;  ///< in the order of keys()
        std::vector<double> metrics;      ///< in the order of the head's columns
    };

    /// `names_machines`: the key `machine` is the name of a machine even if a parameter has this name. Throws
    /// InputError with every mistake: a key that is not a parameter, a value that its parameter cannot have, two rows
    /// with the same values.
    MachineTable(std::shared_ptr<MetricTable const> table, std::string machine, bool names_machines,
                 models::Parameters const& parameters);
    /// The same table for other choices of the same parameters. Throws InputError.
    [[nodiscard]] MachineTable with(models::Parameters const& parameters) const {
        return {table_, machine_, names_machines_, parameters};
    }

    [[nodiscard]] MetricTable const& table() const { return *table_; }
    /// Positions of the parameters that are keys.
    [[nodiscard]] std::vector<std::size_t> const& keys() const { return keys_; }
    [[nodiscard]] std::vector<Row> const& rows() const { return rows_; }
    /// The row of a point; nullptr if there is none.
    [[nodiscard]] Row const* row_of(models::Point point) const;
    /// "accuracy.csv has no row with weight_bits = 3, llm = llama-3-8b": for a point without a row.
    [[nodiscard]] std::string why_missing(models::Parameters const& parameters, models::Point point) const;

  private:
    std::shared_ptr<MetricTable const> table_;
    std::string machine_;
    bool names_machines_ = false;
    std::vector<std::size_t> keys_;
    bool has_machine_key_ = false;
    std::vector<Row> rows_;  ///< by values of keys, ascending
};

/// A column of a table. Throws InputError if `better` is neither "higher" nor "lower", or the unit is unknown.
[[nodiscard]] TableColumn table_column(std::string name, std::string_view better, std::string unit,
                                       std::string_view file);

/// The metrics of a table, in order.
[[nodiscard]] models::MetricList metrics_of(TableHead const& head);

/// A [table] of a space file.
struct WrittenTable {
    TableHead head;
    std::string where;                           ///< file and line of the table
    std::shared_ptr<MetricTable const> content;  ///< nullptr if there were mistakes in its file
};

/// The tables of a space file: one [table], or several [[table]].
struct WrittenTables {
    std::vector<WrittenTable> list;
    bool complete = true;  ///< false: some metrics are not known, because of mistakes
};

/// Reads the tables of a space file named `file`, to whose folder their paths are relative, and the files that they
/// name. Adds every mistake (file, line) to `mistakes`.
[[nodiscard]] WrittenTables read_tables(toml::table const& content, std::filesystem::path const& file,
                                        std::vector<std::string>& mistakes);

/// Sentences about names of a table's metrics that a machine has already, as metrics or parameters.
[[nodiscard]] std::vector<std::string> taken_names(TableHead const& head, models::MetricList const& metrics,
                                                   models::Parameters const& parameters);

}  // namespace pimdse::dse::space
