#pragma once

#include "models/umdam/system.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace pimdse::models::umdam {

/// What a unit is chosen for, in the order in which it is. Prefill: products with weights; prompt_attention: of tokens
/// whose products the banks do; head: the LM head of the prefill; decode: products with weights, LM head included;
/// attention: of decode; denoising: steps behind the first of a block.
enum class Choice : std::uint8_t { prefill, prompt_attention, head, decode, attention, denoising, end };

/// Which unit does what in a request, nothing left open.
struct Units {
    std::array<PhaseUnit, static_cast<std::size_t>(Choice::end)> of{PhaseUnit::npu, PhaseUnit::npu, PhaseUnit::npu,
                                                                    PhaseUnit::npu, PhaseUnit::npu, PhaseUnit::npu};

    [[nodiscard]] PhaseUnit operator[](Choice choice) const { return of[static_cast<std::size_t>(choice)]; }
    PhaseUnit& operator[](Choice choice) { return of[static_cast<std::size_t>(choice)]; }
    [[nodiscard]] bool in_banks(Choice choice) const { return (*this)[choice] == PhaseUnit::pim; }
    /// Whether both agree up to this choice.
    [[nodiscard]] bool agree(Units const& other, Choice last) const;
};

/// The units that a point leaves open for a choice; the NPU alone where a request has no such part. `attention` is for
/// the prompt, too.
[[nodiscard]] std::vector<PhaseUnit> open_units(System const& system, Choice choice);

}  // namespace pimdse::models::umdam
