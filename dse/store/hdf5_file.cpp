#include "dse/store/hdf5_file.hpp"

#include "dse/store/hdf5_calls.hpp"
#include "sim/base/check.hpp"
#include "sim/base/digest.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <bit>
#include <system_error>

namespace pimdse::dse::store::hdf5 {
namespace {

constexpr std::size_t memory_step = std::size_t{16} << 20;
constexpr unsigned index_half = 4;  // half of the places of a node of an index

constexpr std::size_t chunk_bytes = std::size_t{1} << 22;

}  // namespace

File File::build(std::filesystem::path const& path) {
    silence();
    Handle const access = property_list(H5P_FILE_ACCESS);
    checked(path, H5Pset_fapl_core(access.get(), memory_step, false), "write");
    Handle const creation = property_list(H5P_FILE_CREATE);
    checked(path, H5Pset_obj_track_times(creation.get(), false), "write");
    checked(path, H5Pset_userblock(creation.get(), user_block), "write");
    // Every column has an index of its chunks, mostly of one chunk: with the usual 64 places it would take 2 KiB.
    checked(path, H5Pset_istore_k(creation.get(), index_half), "write");
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
    if (found == 0)
        throw sim::InputError("{} is not an HDF5 file (it has no HDF5 signature){}", path.string(),
                              path.extension() == ".toml"
                                  ? fmt::format(". Explore it first: pimdse explore {} -o FILE.h5?", path.string())
                                  : "");
    std::error_code unknown;
    Origin origin{path};
    origin.bytes = std::filesystem::file_size(place, unknown);  // the largest number on failure, that is, no limit
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
    // H5Fget_filesize would count all memory that was allocated.
    auto const size = checked(path, H5Fget_file_image(handle_.get(), nullptr, 0), "write");
    return {*static_cast<std::byte**>(memory), user_block + static_cast<std::size_t>(size)};
}

bool is_ascii(std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char c) { return c < 0x80U; });
}

Group Group::create_group(std::string const& name) {
    Handle const properties = property_list(H5P_GROUP_CREATE);
    check(H5Pset_obj_track_times(properties.get(), false), "write");
    Handle group(H5Gcreate2(handle_.get(), name.c_str(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
                 closing<H5Gclose>);
    check(group.get(), "write");
    return {std::move(group), file_};
}

Group Group::open_group(std::string const& name) const {
    Handle group(H5Gopen2(handle_.get(), name.c_str(), H5P_DEFAULT), closing<H5Gclose>);
    check(group.get(), "read /" + name + " of");
    return {std::move(group), file_};
}

bool Group::has(std::string const& name) const { return H5Lexists(handle_.get(), name.c_str(), H5P_DEFAULT) > 0; }

void Group::link(std::string const& name, std::string const& path) {
    check(H5Lcreate_hard(handle_.get(), path.c_str(), handle_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "write");
}

void Group::add_content(sim::Sha256& into) const {
    std::vector<std::string> names;
    auto const add = [](hid_t, char const* name, H5L_info_t const*, void* list) -> herr_t {
        static_cast<std::vector<std::string>*>(list)->emplace_back(name);
        return 0;
    };
    check(H5Literate(handle_.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), "read");
    add_attributes(into);
    into.add(std::uint64_t{names.size()});
    for (auto const& name : names) {
        Handle const object(H5Oopen(handle_.get(), name.c_str(), H5P_DEFAULT), closing<H5Oclose>);
        auto const kind = H5Iget_type(object.get());
        into.add(name).add(static_cast<std::uint64_t>(kind));
        if (kind == H5I_GROUP) open_group(name).add_content(into);
        if (kind != H5I_DATASET) continue;
        Handle const space(H5Dget_space(object.get()), closing<H5Sclose>);
        open(name, H5Sget_simple_extent_ndims(space.get())).add_content(into);
    }
}

Column Group::create_of_type(std::string const& name, Shape const& shape, Handle::Id type, std::size_t text_length) {
    Handle const properties = property_list(H5P_DATASET_CREATE);
    check(H5Pset_obj_track_times(properties.get(), false), "write");
    // A whole chunk is held in memory, so that long texts get chunks of fewer rows.
    std::size_t const max =
        std::clamp<std::size_t>(chunk_bytes / std::max<std::size_t>(1, text_length), 1, Column::max_chunk_rows);
    hsize_t const rows = std::clamp<hsize_t>(shape.rows, 1, std::bit_floor(max));
    std::array<hsize_t, 2> const chunk{rows, std::clamp<hsize_t>(std::bit_floor(max) / rows, 1, shape.width)};
    check(H5Pset_chunk(properties.get(), shape.rank, chunk.data()), "write");
    check(H5Pset_shuffle(properties.get()), "write");
    check(H5Pset_deflate(properties.get(), 1), "write");
    check(H5Pset_fletcher32(properties.get()), "write");
    // A chunk may not be longer than its column can become; without chunks h5repack cannot filter it.
    std::array<hsize_t, 2> const extent{shape.rows, shape.width}, unlimited{H5S_UNLIMITED, shape.width};
    Handle const space(H5Screate_simple(shape.rank, extent.data(), shape.rows == 0 ? unlimited.data() : nullptr),
                       closing<H5Sclose>);
    Handle column(
        H5Dcreate2(handle_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, properties.get(), H5P_DEFAULT),
        closing<H5Dclose>);
    check(column.get(), "write");
    return {std::move(column), file_, name, shape, text_length};
}

Column Group::create(std::string const& name, Shape const& shape, Type type) {
    return create_of_type(name, shape, ids_of(type).in_file, 0);
}

Column Group::create_text_column(std::string const& name, std::uint64_t rows, std::size_t longest, bool ascii) {
    std::size_t const length = std::max<std::size_t>(1, longest);
    return create_of_type(name, {rows}, text_type(length, ascii).get(), length);
}

Column Group::put_texts(std::string const& name, std::vector<std::string_view> const& texts) {
    if (!std::all_of(texts.begin(), texts.end(), sim::is_utf8)) {
        std::vector<std::string> owned(texts.size());
        std::transform(texts.begin(), texts.end(), owned.begin(), sim::as_utf8);
        return put_texts(name, owned);
    }
    std::size_t longest = 0;
    for (auto const text : texts) longest = std::max(longest, text.size());
    auto column = create_text_column(name, texts.size(), longest, std::ranges::all_of(texts, is_ascii));
    column.write(0, texts);
    return column;
}

Column Group::open(std::string const& name, int rank) const {
    Handle column(H5Dopen2(handle_.get(), name.c_str(), H5P_DEFAULT), closing<H5Dclose>);
    check(column.get(), "read " + name + " of");
    Handle const space(H5Dget_space(column.get()), closing<H5Sclose>);
    Handle const type(H5Dget_type(column.get()), closing<H5Tclose>);
    if (H5Sget_simple_extent_ndims(space.get()) != rank || rank < 1 || rank > 2)
        damaged(fmt::format("{} is not a {}", name, rank == 1 ? "column" : "table"));
    std::array<hsize_t, 2> extent{0, 1};
    check(H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr), "read");
    Column opened(std::move(column), file_, name, {extent[0], extent[1], rank}, H5Tget_size(type.get()));
    opened.check_storage();
    return opened;
}

}  // namespace pimdse::dse::store::hdf5
