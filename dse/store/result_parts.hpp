#pragma once

#include "dse/base/durable_file.hpp"
#include "dse/store/hdf5_file.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

/// A run with more results than a file should have is written as a master file, NAME.h5, which has everything except
/// the rows, and as parts in the directory NAME.h5.parts next to it. Each part is a complete result file with the
/// results of a range of points. The names of parts contain their digests, so that an earlier master and its parts stay
/// complete until the new master is in place.
namespace pimdse::dse::store {

struct Part {
    std::string file;               ///< name in the directory of the parts
    std::uint64_t first_point = 0;  ///< id of its first row
    std::uint64_t rows = 0;
    std::string digest;
};

/// The directory of the parts of `master`.
[[nodiscard]] std::filesystem::path parts_directory(std::filesystem::path const& master);

/// "part-00012-0123456789ab.h5".
[[nodiscard]] std::string part_name(std::size_t number, std::string const& digest);

/// Writes /parts of a master.
void write_parts(hdf5::Group& root, std::span<Part const> parts);
/// Reads /parts; empty if the file has no parts. Throws StorageError for names that are not those of parts.
[[nodiscard]] std::vector<Part> read_parts(hdf5::Group const& root);

/// Deletes the parts of `master` that are not in `kept`, and the directory if it is empty then. Files that cannot be
/// deleted are left.
void remove_other_parts(std::filesystem::path const& master, std::span<Part const> kept);

/// Size of the head of a sealed result file, which HDF5 skips: a line of text, then the length and the CRC-32 of the
/// bytes after the head, and the SHA-256 of the content. The bytes are checked before HDF5 opens the file, because HDF5
/// may crash on a damaged one; the content is checked if a program has stored it in other bytes.
inline constexpr std::size_t seal_head_bytes = 512;

/// SHA-256 of everything that a reader of the file sees (hdf5::Group::add_content).
[[nodiscard]] std::string content_sum(hdf5::Group const& root);

/// Fills in the head of a file in memory, whose first seal_head_bytes are reserved for it. `content`: its
/// content_sum().
void put_seal_head(std::span<std::byte> file, std::string const& content);

/// How a file compares with its head. `none`: it has no head (written by an old version or by another program).
/// `other_bytes`: its bytes differ from what was sealed.
struct Seal {
    enum class State : std::uint8_t { whole, none, other_bytes };
    State state = State::none;
    std::string content;  ///< SHA-256 that the head states; "": none, in files of older versions
    std::string damage;   ///< how the bytes differ, as a phrase
};
[[nodiscard]] Seal check_seal(base::DurableFile const& file);

}  // namespace pimdse::dse::store
