#include "models/contract/cycle_key.hpp"

#include "sim/base/check.hpp"

#include <xxhash.h>

namespace pimdse::models {
namespace {

CycleKey key_of(std::vector<unsigned char> const& bytes) {
    auto const hash = XXH3_128bits(bytes.data(), bytes.size());
    return {hash.high64, hash.low64};
}

}  // namespace

CycleKeyMaker& CycleKeyMaker::append(void const* from, std::size_t count) {
    auto const* first = static_cast<unsigned char const*>(from);
    bytes_.insert(bytes_.end(), first, first + count);
    return *this;
}

CycleKeyMaker& CycleKeyMaker::add(std::string_view text) {
    add(text.size());
    return append(text.data(), text.size());
}

CycleKeyMaker& CycleKeyMaker::add(Value const& value) {
    add(value.kind());
    switch (value.kind()) {
        case Kind::integer:
            return add(value.as_integer());
        case Kind::quantity:
            return add(value.as_quantity());
        case Kind::choice:
            return add(value.as_choice());
        case Kind::flag:
            return add(value.as_flag());
        case Kind::permutation:
            return add(value.as_permutation());
    }
    return *this;
}

CycleKeyMaker& CycleKeyMaker::add_part(CycleKeyMaker const& other, std::size_t part) {
    sim::expects(part < other.parts_.size(), "the part belongs to the key");
    auto const last = part + 1 < other.parts_.size() ? other.parts_[part + 1] : other.bytes_.size();
    return append(other.bytes_.data() + other.parts_[part], last - other.parts_[part]);
}

CycleKey CycleKeyMaker::key(std::size_t left_out) const {
    if (left_out == no_part) return key_of(bytes_);
    sim::expects(left_out < parts_.size(), "the part belongs to the key");
    auto const at = [&](std::size_t i) {
        return bytes_.begin() + static_cast<std::ptrdiff_t>(i < parts_.size() ? parts_[i] : bytes_.size());
    };
    std::vector<unsigned char> rest(bytes_.begin(), at(left_out));
    rest.insert(rest.end(), at(left_out + 1), bytes_.end());
    return key_of(rest);
}

}  // namespace pimdse::models
