#pragma once

#include "dse/store/hdf5/group.hpp"
#include "dse/task/certificate.hpp"
#include "dse/task/columns.hpp"

#include <optional>

/// /certificate of a result file: why the front is that of all points where not all were answered at cycle level.
namespace pimdse::dse::store::result::tables {

void write_certificate(hdf5::Group& root, task::Columns const& columns, task::Certificate const& certificate);
/// None where the file has none. Throws StorageError.
[[nodiscard]] std::optional<task::Certificate> read_certificate(hdf5::Group const& root, task::Columns const& columns);

}  // namespace pimdse::dse::store::result::tables
