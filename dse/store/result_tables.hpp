#pragma once

#include "dse/search/certificate.hpp"
#include "dse/search/result_store.hpp"
#include "dse/space/columns.hpp"
#include "dse/store/hdf5_file.hpp"

#include <optional>
#include <span>
#include <string_view>

/// The parts of a result file that are no columns over all answers.
namespace pimdse::dse::store::tables {

/// CF's flag_values and flag_meanings: names[i] is what i means.
void describe_flags(store::hdf5::Object& object, std::span<std::string_view const> names);

/// What was read to answer, and its sums.
void write_inputs(store::hdf5::Group& root, space::Columns const& columns);
/// The choices and items of the parameters that have some.
void write_choices(store::hdf5::Group& group, models::Parameters const& parameters);
/// Of those rows that are not ok.
void write_failures(store::hdf5::Group& root, space::Columns const& columns, search::ResultStore const& store,
                    std::span<search::ResultStore::Row const> rows);
void write_rules(store::hdf5::Group& root, search::ResultStore const& store);
/// Where only fronts are kept: the blocks of ids that are done.
void write_blocks(store::hdf5::Group& root, search::ResultStore const& store);
/// The front over the finest answers and how it grew.
void write_front(store::hdf5::Group& root, space::Columns const& columns, search::ResultStore const& store);

// /certificate of a result file: why the front is that of all points where not all were answered at cycle level.

void write_certificate(store::hdf5::Group& root, space::Columns const& columns, search::Certificate const& certificate);
/// None where the file has none. Throws StorageError.
[[nodiscard]] std::optional<search::Certificate> read_certificate(store::hdf5::Group const& root,
                                                                  space::Columns const& columns);

// /open_blocks of a result file: what a run that was stopped knows of blocks of which only the front is kept and which
// are not complete. For --resume alone, so its rows are records as in the journal: length (u32), then the encoded
// part.

/// Writes nothing where no block is open.
void write_open_blocks(store::hdf5::Group& root, search::ResultStore const& store);
/// Adds what is there. Throws CodecError.
void read_open_blocks(store::hdf5::Group const& root, search::ResultStore& store);

}  // namespace pimdse::dse::store::tables
