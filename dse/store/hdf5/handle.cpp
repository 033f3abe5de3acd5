#include "dse/store/hdf5/handle.hpp"

namespace pimdse::dse::store::hdf5 {

Handle& Handle::operator=(Handle&& other) noexcept {
    if (this != &other) {
        reset();
        id_ = std::exchange(other.id_, -1);
        close_ = other.close_;
    }
    return *this;
}

void Handle::reset() noexcept {
    if (id_ >= 0 && close_ != nullptr) close_(id_);
    id_ = -1;
}

}  // namespace pimdse::dse::store::hdf5
