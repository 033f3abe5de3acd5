#include "sim/dram/mapping/bit_order.hpp"

#include "sim/base/check.hpp"

#include <fmt/format.h>

namespace pimdse::sim::dram {
namespace {

constexpr int most_address_bits = 48;

class Masks {
  public:
    explicit Masks(int offset_bits) : at_(offset_bits) {}

    void add(FieldBits const& bits) {
        if (at_ + bits.count > most_address_bits)
            throw InputError(fmt::format("{} {} bits above bit {} go beyond {} address bits", bits.count,
                                         short_name(bits.field), at_, most_address_bits));
        for (int i = 0; i < bits.count; ++i) of(bits.field).push_back(std::uint64_t{1} << at_++);
    }

    void add(FieldXor const& term) {
        auto& into = of(term.into);
        auto const from = of(term.from);
        for (int i = 0; i < term.count && static_cast<std::size_t>(term.shift + i) < from.size(); ++i) {
            if (static_cast<std::size_t>(i) >= into.size())
                throw InputError(fmt::format("mapping token '{}' writes bit {} of a field of {} bits", text_of(term), i,
                                             into.size()));
            into[static_cast<std::size_t>(i)] ^= from[static_cast<std::size_t>(term.shift + i)];
        }
    }

    [[nodiscard]] Mapping::Masks const& all() const { return masks_; }

  private:
    std::vector<std::uint64_t>& of(Field field) { return masks_[static_cast<std::size_t>(field)]; }

    Mapping::Masks masks_;
    int at_;
};

}  // namespace

int width_of(BitOrder const& order, Field field) {
    int width = 0;
    for (auto const& part : order.parts) {
        if (auto const* bits = std::get_if<FieldBits>(&part); bits != nullptr && bits->field == field)
            width += bits->count;
    }
    return width;
}

std::string text_of(FieldXor const& term) {
    return fmt::format("x.{}.{}.{}.{}", short_name(term.into), short_name(term.from), term.shift, term.count);
}

std::string text_of(BitOrder const& order) {
    auto text = fmt::format("of{}", order.offset_bits);
    for (auto const& part : order.parts) {
        text += ' ';
        if (auto const* bits = std::get_if<FieldBits>(&part))
            text += fmt::format("{}{}", short_name(bits->field), bits->count);
        else
            text += text_of(std::get<FieldXor>(part));
    }
    return text;
}

Mapping make_mapping(BitOrder const& order, Organisation const& organisation) {
    Masks masks(order.offset_bits);
    for (auto const& part : order.parts) std::visit([&](auto const& p) { masks.add(p); }, part);
    return Mapping::from_masks(masks.all(), order.offset_bits, organisation, text_of(order));
}

}  // namespace pimdse::sim::dram
