#include "dse/store/hdf5_calls.hpp"

#include "sim/base/file_error.hpp"

#include <algorithm>
#include <array>
#include <new>

namespace pimdse::dse::store::hdf5 {
namespace {

static_assert(sizeof(hid_t) == sizeof(Handle::Id));

/// The reason on HDF5's error stack, from the function where the error occurred.
struct Reason {
    std::string text = "unknown reason";
    bool no_memory = false;
};

Reason reason() {
    Reason found;
    auto const keep_last = [](unsigned, H5E_error2_t const* error, void* into) -> herr_t {
        auto& reason = *static_cast<Reason*>(into);
        if (error->desc != nullptr) reason.text = error->desc;
        reason.no_memory = error->min_num == H5E_NOSPACE || error->min_num == H5E_CANTALLOC;
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, keep_last, &found);
    H5Eclear2(H5E_DEFAULT);
    return found;
}

}  // namespace

TypeIds ids_of(Type type) {
    switch (type) {
        case Type::u8:
            return {H5T_STD_U8LE, H5T_NATIVE_UINT8};
        case Type::i32:
            return {H5T_STD_I32LE, H5T_NATIVE_INT32};
        case Type::i64:
            return {H5T_STD_I64LE, H5T_NATIVE_INT64};
        case Type::u64:
            return {H5T_STD_U64LE, H5T_NATIVE_UINT64};
        case Type::f64:
            return {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE};
    }
    return {H5I_INVALID_HID, H5I_INVALID_HID};
}

Handle::Id checked(std::filesystem::path const& file, Handle::Id result, std::string const& doing) {
    if (result >= 0) return result;
    auto const why = reason();
    if (why.no_memory) throw std::bad_alloc();
    throw sim::StorageError(file, "cannot {} {} ({})", doing, file.string(), why.text);
}

void damaged(std::filesystem::path const& file, std::string const& what) {
    throw sim::StorageError(file, "{} is damaged ({})", file.string(), what);
}

Handle space_of(Shape const& shape) {
    std::array<hsize_t, 2> const extent{shape.rows, shape.width};
    return {H5Screate_simple(shape.rank, extent.data(), nullptr), closing<H5Sclose>};
}

Handle text_type(std::size_t length, bool ascii) {
    Handle type(H5Tcopy(H5T_C_S1), closing<H5Tclose>);
    H5Tset_size(type.get(), length);
    H5Tset_cset(type.get(), ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8);
    H5Tset_strpad(type.get(), length == H5T_VARIABLE ? H5T_STR_NULLTERM : H5T_STR_NULLPAD);
    return type;
}

void silence() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

bool fits(std::uint64_t count, std::uint64_t size, std::uint64_t limit) { return size == 0 || count <= limit / size; }

std::string until_zero(char const* text, std::size_t max) { return {text, std::find(text, text + max, '\0')}; }

}  // namespace pimdse::dse::store::hdf5
