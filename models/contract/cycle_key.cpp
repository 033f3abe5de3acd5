#include "models/contract/cycle_key.hpp"

#include <xxhash.h>

namespace pimdse::models {

CycleKeyMaker& CycleKeyMaker::append(void const* from, std::size_t count) {
    auto const* first = static_cast<unsigned char const*>(from);
    bytes_.insert(bytes_.end(), first, first + count);
    return *this;
}

CycleKeyMaker& CycleKeyMaker::add(std::string_view text) {
    add(text.size());
    return append(text.data(), text.size());
}

CycleKey CycleKeyMaker::key() const {
    auto const hash = XXH3_128bits(bytes_.data(), bytes_.size());
    return {hash.high64, hash.low64};
}

}  // namespace pimdse::models
