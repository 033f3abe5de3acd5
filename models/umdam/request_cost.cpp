#include "models/umdam/request_cost.hpp"

#include "models/umdam/latent.hpp"

#include <algorithm>

namespace pimdse::models::umdam {

using sim::Bounded;

Bounded RequestCost::prefill() const {
    Bounded sum;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Part::decode_weights); ++i) sum += parts[i].seconds;
    return sum;
}

Bounded RequestCost::decode() const {
    Bounded sum;
    for (auto i = static_cast<std::size_t>(Part::decode_weights); i < part_count; ++i) sum += parts[i].seconds;
    return sum;
}

Commands RequestCost::commands(Part first, Part end) const {
    Commands sum;
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(end); ++i) sum += parts[i].commands;
    return sum;
}

Commands RequestCost::commands() const { return commands(Part::load, Part::end); }

namespace {

/// A skipped head counts as the NPU's, which then has no work.
PhaseUnit unit_of(LmHead head) {
    if (head == LmHead::automatic) return PhaseUnit::automatic;
    return head == LmHead::pim ? PhaseUnit::pim : PhaseUnit::npu;
}

PhaseUnit requested_unit(Design const& d, Choice choice) {
    switch (choice) {
        case Choice::prefill:
            return d.prefill_unit;
        case Choice::head:
            return unit_of(d.lm_head);
        case Choice::decode:
            return d.decode_unit;
        case Choice::prompt_attention:
        case Choice::attention:
            return d.attention;
        default:
            return d.denoising;
    }
}

}  // namespace

bool Units::agree(Units const& other, Choice last) const {
    auto const count = static_cast<std::ptrdiff_t>(last) + 1;
    return std::equal(of.begin(), of.begin() + count, other.of.begin());
}

std::vector<PhaseUnit> open_units(System const& d, Choice choice) {
    bool const has_part = (choice == Choice::denoising) == d.design.diffuses();
    if (!has_part || !d.uses_pim()) return {PhaseUnit::npu};
    bool const attends = choice == Choice::prompt_attention || choice == Choice::attention;
    if (attends && has_latent_attention(*d.model)) return {PhaseUnit::npu};
    auto const unit = requested_unit(d.design, choice);
    if (unit == PhaseUnit::automatic) return {PhaseUnit::npu, PhaseUnit::pim};
    return {unit};
}

}  // namespace pimdse::models::umdam
