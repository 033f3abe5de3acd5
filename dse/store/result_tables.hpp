#pragma once

#include "dse/search/certificate.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/columns.hpp"
#include "dse/store/hdf5_file.hpp"

#include <optional>
#include <span>
#include <string_view>

/// The groups of a result file other than those with one row per result.
namespace pimdse::dse::store::tables {

/// Writes the attributes flag_values and flag_meanings of the CF conventions: value i means names[i].
void describe_flags(hdf5::Object& object, std::span<std::string_view const> names);

/// The ids of points in the groups of a file, other than `point_id` of its root: readers of netCDF take a column that
/// has the name of a dimension of a group above it for this dimension. Files before version 0.3 call them `point_id`,
/// too.
inline constexpr char const* points_of_group = "point";
/// What a group calls them.
[[nodiscard]] std::string name_of_points(hdf5::Group const& group);

/// The input files of the results, with their SHA-256.
void write_inputs(hdf5::Group& root, space::Columns const& columns);
/// Writes nothing if no machine was read from a file of the user's own.
void write_machine_files(hdf5::Group& root, space::Columns const& columns);
/// The choices and items of the parameters that have any.
void write_choices(hdf5::Group& group, models::Parameters const& parameters);
/// The reasons of those rows whose status is not ok.
void write_failures(hdf5::Group& root, space::Columns const& columns, search::ResultStore const& store,
                    std::span<search::Row const> rows);
void write_rules(hdf5::Group& root, search::ResultStore const& store);
/// The complete blocks of ids, if only fronts are kept.
void write_blocks(hdf5::Group& root, search::ResultStore const& store);
/// The front of the results of the finest fidelity, and its growth.
void write_front(hdf5::Group& root, space::Columns const& columns, search::ResultStore const& store);
/// The growth of the front in its group, if it is there.
void read_history(hdf5::Group const& front, search::FrontHistory& into);

// /certificate of a result file: the proof that the front is that of all points if not all were evaluated at cycle
// level.

void write_certificate(hdf5::Group& root, space::Columns const& columns, search::Certificate const& certificate);
/// nullopt if the file has no certificate. Throws StorageError.
[[nodiscard]] std::optional<search::Certificate> read_certificate(hdf5::Group const& root,
                                                                  space::Columns const& columns);

// /open_blocks of a result file: the evaluated parts of blocks that a stopped run did not complete, if only fronts are
// kept. Only --resume reads them, so the rows are records as in the journal: length (u32), then the encoded part.

/// Writes nothing if no block is open.
void write_open_blocks(hdf5::Group& root, search::ResultStore const& store);
/// Adds the parts in the file to the store. Throws StorageError.
void read_open_blocks(hdf5::Group const& root, search::ResultStore& store);

}  // namespace pimdse::dse::store::tables
