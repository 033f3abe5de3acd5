#pragma once

#include "dse/answers/result_store.hpp"
#include "dse/store/hdf5/group.hpp"

/// /open_blocks of a result file: what a run that was stopped knows of blocks of which only the front is kept and which
/// are not complete. For --resume alone, so its rows are records as in the journal: length (u32), then the encoded
/// part.
namespace pimdse::dse::store::result::tables {

/// Writes nothing where no block is open.
void write_open_blocks(hdf5::Group& root, answers::ResultStore const& store);
/// Adds what is there. Throws CodecError.
void read_open_blocks(hdf5::Group const& root, answers::ResultStore& store);

}  // namespace pimdse::dse::store::result::tables
