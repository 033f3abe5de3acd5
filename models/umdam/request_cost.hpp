#pragma once

#include "models/umdam/costs.hpp"
#include "models/umdam/system.hpp"

#include <array>
#include <cstdint>
#include <string_view>
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

/// What a request spends its time on, in the order it happens. The phases are serial, so they sum to the latency.
enum class Part : std::uint8_t {
    relayout,
    prefill_weights,
    prefill_head,
    prefill_attention,
    prefill_rest_weights,  ///< of the tokens behind whole blocks, where the banks multiply only those
    prefill_rest_attention,
    prefill_kv,
    prefill_switch,
    prefill_vector,
    prefill_launch,
    decode_weights,
    decode_head,
    decode_attention,
    decode_kv,
    decode_switch,
    decode_vector,
    decode_launch,
    decode_relayout,
    end  ///< behind the last one
};
inline constexpr auto part_count = static_cast<std::size_t>(Part::end);
inline constexpr std::array<std::string_view, part_count> part_names{
    "relayout",          "prefill/weights",      "prefill/lm_head",
    "prefill/attention", "prefill/rest_weights", "prefill/rest_attention",
    "prefill/kv_write",  "prefill/mode_switch",  "prefill/vector",
    "prefill/launches",  "decode/weights",       "decode/lm_head",
    "decode/attention",  "decode/kv_write",      "decode/mode_switch",
    "decode/vector",     "decode/launches",      "decode/relayout"};

/// The cost of a whole request that these units serve.
struct RequestCost {
    Units units;
    std::array<Cost, part_count> parts;
    sim::Bounded npu_bandwidth;     ///< B/s of the prefill's weight stream
    sim::Bounded refreshed;         ///< s that refresh adds to the products on PIM in decode, whichever it interrupts
    double pim_weight_bytes = 0.0;  ///< without padding, of all decode steps: once for each vector

    [[nodiscard]] Cost const& at(Part part) const { return parts[static_cast<std::size_t>(part)]; }
    [[nodiscard]] sim::Bounded prefill() const;  ///< s, re-layout included
    [[nodiscard]] sim::Bounded decode() const;   ///< s, all steps
    [[nodiscard]] Commands commands() const;
    /// Of the parts from `first` to before `behind`.
    [[nodiscard]] Commands commands(Part first, Part behind) const;
};

}  // namespace pimdse::models::umdam
