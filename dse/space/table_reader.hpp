#pragma once

#include "dse/space/metric_table.hpp"

#include <toml++/impl/forward_declarations.h>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace pimdse::dse::space {

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
