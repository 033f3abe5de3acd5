#include "dse/store/hdf5/file.hpp"

#include "dse/store/hdf5/calls.hpp"
#include "sim/base/check.hpp"

#include <fmt/format.h>
#include <system_error>

namespace pimdse::dse::store::hdf5 {
namespace {

constexpr std::size_t memory_step = std::size_t{16} << 20;

}  // namespace

File File::build(std::filesystem::path const& path) {
    silence();
    Handle const access = property_list(H5P_FILE_ACCESS);
    checked(path, H5Pset_fapl_core(access.get(), memory_step, false), "write");
    Handle const creation = property_list(H5P_FILE_CREATE);
    checked(path, H5Pset_obj_track_times(creation.get(), false), "write");
    checked(path, H5Pset_userblock(creation.get(), user_block), "write");
    Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), closing<H5Fclose>);
    checked(path, file.get(), "write");
    return {std::move(file), std::make_shared<Origin const>(Origin{path})};
}

bool is_hdf5(std::filesystem::path const& path) {
    silence();
    auto const found = H5Fis_hdf5(path.c_str());
    H5Eclear2(H5E_DEFAULT);
    return found > 0;
}

File File::open(std::filesystem::path const& path, std::filesystem::path const& place) {
    silence();
    auto const found = H5Fis_hdf5(place.c_str());
    H5Eclear2(H5E_DEFAULT);
    if (found == 0) throw sim::InputError(fmt::format("{} is no HDF5 file (it has no HDF5 signature)", path.string()));
    std::error_code unknown;
    Origin origin{path};
    origin.bytes = std::filesystem::file_size(place, unknown);  // the largest number there is where nobody knows
    Handle const access = property_list(H5P_FILE_ACCESS);
    checked(path, H5Pset_file_locking(access.get(), false, true), "read");
    Handle file(H5Fopen(place.c_str(), H5F_ACC_RDONLY, access.get()), closing<H5Fclose>);
    checked(path, file.get(), "read");
    return {std::move(file), std::make_shared<Origin const>(std::move(origin))};
}

Group File::root() const {
    Handle group(H5Gopen2(handle_.get(), "/", H5P_DEFAULT), closing<H5Gclose>);
    checked(file_->path, group.get(), "read");
    return {std::move(group), file_};
}

std::span<std::byte> File::image() {
    auto const& path = file_->path;
    checked(path, H5Fflush(handle_.get(), H5F_SCOPE_GLOBAL), "write");
    void* memory = nullptr;
    checked(path, H5Fget_vfd_handle(handle_.get(), H5P_DEFAULT, &memory), "write");
    // Not H5Fget_filesize, which counts all that was allocated.
    auto const size = checked(path, H5Fget_file_image(handle_.get(), nullptr, 0), "write");
    return {*static_cast<std::byte**>(memory), user_block + static_cast<std::size_t>(size)};
}

}  // namespace pimdse::dse::store::hdf5
