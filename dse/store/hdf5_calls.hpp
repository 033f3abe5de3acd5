#pragma once

#include "dse/store/hdf5_object.hpp"

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

/// What the sources that call HDF5 share; nobody else includes this.
namespace pimdse::dse::store::hdf5 {

template <herr_t (*close)(hid_t)>
int closing(Handle::Id id) {
    return close(id);
}

struct TypeIds {
    hid_t in_file, in_memory;
};
[[nodiscard]] TypeIds ids_of(Type type);

/// UTF-8 of so many bytes, padded with zeros, or H5T_VARIABLE.
[[nodiscard]] Handle text_type(std::size_t length);
[[nodiscard]] Handle space_of(std::uint64_t rows);
[[nodiscard]] inline Handle property_list(hid_t kind) { return {H5Pcreate(kind), closing<H5Pclose>}; }

/// HDF5 prints nothing by itself from here on.
void silence();

/// Throws a StorageError with HDF5's reason where `result` is negative.
Handle::Id checked(std::filesystem::path const& file, Handle::Id result, std::string const& doing);

/// Throws a StorageError: the file says something that no result file says.
[[noreturn]] void damaged(std::filesystem::path const& file, std::string const& what);

/// Texts that pass through memory at once.
inline constexpr std::size_t packed_bytes = std::size_t{8} << 20;

/// Whether so many elements of this size are no more than `limit` bytes.
[[nodiscard]] bool fits(std::uint64_t count, std::uint64_t size, std::uint64_t limit);

/// A text of a fixed length, which zeros pad.
[[nodiscard]] std::string until_zero(char const* text, std::size_t max);

}  // namespace pimdse::dse::store::hdf5
