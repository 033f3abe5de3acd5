#pragma once

#include "dse/store/hdf5/group.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

/// A run with more answers than a file should have is written as a master, NAME.h5, which has everything but the rows,
/// and parts in the directory NAME.h5.parts beside it: each a result file of its own with the answers to a range of
/// points. The parts' names contain their digests, so that an earlier master and its parts stay whole until the new
/// master is in place.
namespace pimdse::dse::store::result {

struct Part {
    std::string file;               ///< name in the directory of the parts
    std::uint64_t first_point = 0;  ///< id of its first row
    std::uint64_t rows = 0;
    std::string digest;
};

/// Where the parts of `master` lie.
[[nodiscard]] std::filesystem::path parts_directory(std::filesystem::path const& master);

/// "part-00012-0123456789ab.h5".
[[nodiscard]] std::string part_name(std::size_t number, std::string const& digest);

/// /parts of a master.
void write_parts(hdf5::Group& root, std::span<Part const> parts);
/// None where the file has no parts. Throws StorageError for names that are no part's.
[[nodiscard]] std::vector<Part> read_parts(hdf5::Group const& root);

/// Deletes the parts beside `master` that are not among these, and the directory when nothing is left in it. What
/// cannot be deleted stays.
void remove_other_parts(std::filesystem::path const& master, std::span<Part const> kept);

}  // namespace pimdse::dse::store::result
