#include "models/umdam/request_cost.hpp"

#include "models/umdam/latent.hpp"

#include <algorithm>

namespace pimdse::models::umdam {

using sim::Bounded;

Cost RequestCost::sum(Part first, Part end) const {
    Cost all;
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(end); ++i) all += parts[i];
    return all;
}

Bounded RequestCost::prefill() const { return sum(Part::load, Part::decode_weights).seconds; }
Bounded RequestCost::decode() const { return sum(Part::decode_weights, Part::end).seconds; }
Cost RequestCost::total() const { return {prefill() + decode(), sum(Part::load, Part::end).commands}; }

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

std::vector<PromptSharing> prompt_units(System const& d, bool has_rest, bool shares_rows) {
    auto multiply = open_units(d, Choice::prefill);
    auto const attend = open_units(d, Choice::prompt_attention);
    bool const is_open = multiply.size() > 1;
    if (is_open && shares_rows) multiply.push_back(PhaseUnit::both);
    std::vector<PromptSharing> all;
    for (auto const unit : multiply) {
        bool const all_at_once = unit == PhaseUnit::npu && (!is_open || !has_rest || attend.size() == 1);
        for (auto const attends : all_at_once ? std::vector{PhaseUnit::npu} : attend) all.push_back({unit, attends});
    }
    return all;
}

}  // namespace pimdse::models::umdam
