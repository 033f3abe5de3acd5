#pragma once

#include "dse/store/hdf5_object.hpp"

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

/// Helpers for the sources that call HDF5; no other file includes this header.
namespace pimdse::dse::store::hdf5 {

template <herr_t (*close)(hid_t)>
int closing(Handle::Id id) {
    return close(id);
}

/// The HDF5 types of a number in the file (little-endian) and in memory.
struct TypeIds {
    hid_t in_file, in_memory;
};
[[nodiscard]] TypeIds ids_of(Type type);

/// The type of a UTF-8 text of `length` bytes, padded with zeros, or of a variable length (H5T_VARIABLE). `ascii`: it
/// is marked as ASCII, which programs read that know no other texts (Octave).
[[nodiscard]] Handle text_type(std::size_t length, bool ascii = false);
[[nodiscard]] Handle space_of(Shape const& shape);
[[nodiscard]] inline Handle property_list(hid_t kind) { return {H5Pcreate(kind), closing<H5Pclose>}; }

/// Stops HDF5 from printing its errors, in this thread.
void silence();

/// Returns `result`. If it is negative, throws a StorageError "cannot DOING FILE (reason of HDF5)", or bad_alloc if
/// HDF5 got no memory.
Handle::Id checked(std::filesystem::path const& file, Handle::Id result, std::string const& doing);

/// Throws a StorageError: the file is damaged, since no result file contains `what`.
[[noreturn]] void damaged(std::filesystem::path const& file, std::string const& what);

/// Bytes of text that are packed in memory at once.
inline constexpr std::size_t packed_bytes = std::size_t{8} << 20;

/// Whether `count` elements of `size` bytes each take at most `limit` bytes.
[[nodiscard]] bool fits(std::uint64_t count, std::uint64_t size, std::uint64_t limit);

/// The text in a field of `max` bytes, without the zeros that pad it.
[[nodiscard]] std::string until_zero(char const* text, std::size_t max);

}  // namespace pimdse::dse::store::hdf5
