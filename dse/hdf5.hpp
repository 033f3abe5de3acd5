#pragma once

#include "dse/storage_error.hpp"

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The only place that holds HDF5 handles: serial C API, every handle owned, every failure a StorageError with the file's
/// name. HDF5's own error printing is silenced while a File is open.
namespace pimdse::dse::hdf5 {

/// Owns one hid_t; closes it with the function for its kind.
class Handle {
  public:
    using Close = herr_t (*)(hid_t);
    Handle() = default;
    Handle(hid_t id, Close close) : id_(id), close_(close) {}
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
    Handle& operator=(Handle&& other) noexcept;
    ~Handle() { reset(); }
    [[nodiscard]] hid_t get() const { return id_; }
    void reset() noexcept;

  private:
    hid_t id_ = H5I_INVALID_HID;
    Close close_ = nullptr;
};

}  // namespace pimdse::dse::hdf5
