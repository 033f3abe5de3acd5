#pragma once

#include "dse/base/durable_file.hpp"
#include "dse/store/hdf5_file.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

/// A run with more answers than a file should have is written as a master, NAME.h5, which has everything but the rows,
/// and parts in the directory NAME.h5.parts beside it: each a result file of its own with the answers to a range of
/// points. The parts' names contain their digests, so that an earlier master and its parts stay whole until the new
/// master is in place.
namespace pimdse::dse::store {

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
void write_parts(store::hdf5::Group& root, std::span<Part const> parts);
/// None where the file has no parts. Throws StorageError for names that are no part's.
[[nodiscard]] std::vector<Part> read_parts(store::hdf5::Group const& root);

/// Deletes the parts beside `master` that are not among these, and the directory when nothing is left in it. What
/// cannot be deleted stays.
void remove_other_parts(std::filesystem::path const& master, std::span<Part const> kept);

/// The first 512 bytes of a sealed result file, which HDF5 skips: a line of text, the length of what follows and its
/// CRC-32. They are checked before HDF5 sees the file, because it may crash on a damaged one.
inline constexpr std::size_t seal_head_bytes = 512;

/// Fills in the head of a file in memory, which begins with room for it.
void put_seal_head(std::span<std::byte> file);

enum class Seal : std::uint8_t { whole, none };
/// Whether the file is what was sealed, or has no head (written before there were heads, or by another program). Throws
/// StorageError where it has one and differs from what was sealed.
[[nodiscard]] Seal check_seal(base::DurableFile const& file);

}  // namespace pimdse::dse::store
