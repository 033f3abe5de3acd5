#pragma once

#include "models/umdam/costs.hpp"
#include "models/umdam/system.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pimdse::models::umdam {

/// Parts of a request for which a unit is chosen, in the order of the choices. prefill: products with weights;
/// prompt_attention: attention of the tokens whose products the banks compute; head: the LM head of the prefill;
/// decode: products with weights, including the LM head; attention: attention in decode; denoising: steps after the
/// first of a block.
enum class Choice : std::uint8_t { prefill, prompt_attention, head, decode, attention, denoising, end };

/// The unit chosen for each part of a request.
struct Units {
    std::array<PhaseUnit, static_cast<std::size_t>(Choice::end)> of{PhaseUnit::npu, PhaseUnit::npu, PhaseUnit::npu,
                                                                    PhaseUnit::npu, PhaseUnit::npu, PhaseUnit::npu};

    [[nodiscard]] PhaseUnit operator[](Choice choice) const { return of[static_cast<std::size_t>(choice)]; }
    PhaseUnit& operator[](Choice choice) { return of[static_cast<std::size_t>(choice)]; }
    [[nodiscard]] bool in_banks(Choice choice) const { return (*this)[choice] == PhaseUnit::pim; }
    /// Whether both have the same units up to and including this choice.
    [[nodiscard]] bool agree(Units const& other, Choice last) const;
};

/// The units that a point leaves open for a choice; only the NPU where a request has no such part. The parameter
/// `attention` also applies to the prompt.
[[nodiscard]] std::vector<PhaseUnit> open_units(System const& system, Choice choice);

/// Who multiplies the positions of a prompt, and who attends to those that the banks multiply, or that are behind whole
/// blocks of rows of the matrix units.
struct PromptSharing {
    PhaseUnit multiplies = PhaseUnit::npu, attends = PhaseUnit::npu;
};
/// The ways to share a prompt that a point leaves open. `has_rest`: it has positions behind whole blocks;
/// `shares_rows`: the NPU may take whole blocks of rows, and the banks the others.
[[nodiscard]] std::vector<PromptSharing> prompt_units(System const& system, bool has_rest, bool shares_rows);

/// Parts of the time of a phase, in the order in which they happen. They do not overlap.
enum class Part : std::uint8_t {
    load,  ///< of the weights, before the first request after a start
    relayout,
    weights,
    lm_head,
    attention,
    rest_weights,  ///< remaining tokens of a prompt after whole blocks, where the banks multiply only these
    rest_attention,
    kv_write,
    state,  ///< of layers that have one: its transfers and operations on the NPU
    mode_switch,
    vector,
    launches,
    draft,  ///< all that the model takes that proposes tokens, but its load
    end     ///< number of parts
};
inline constexpr auto part_count = static_cast<std::size_t>(Part::end);
inline constexpr std::array<std::string_view, part_count> part_names{
    "load",     "relayout", "weights",     "lm_head", "attention", "rest_weights", "rest_attention",
    "kv_write", "state",    "mode_switch", "vector",  "launches",  "draft"};

/// The cost of a phase of a request.
struct PhaseCost {
    std::array<Cost, part_count> parts;
    /// Time that refresh adds to the products on PIM in decode [s], whichever product it interrupts.
    sim::Bounded refreshed;
    double unsure_behind = 0.0;     ///< width of the interval of the products behind which the NPU works in decode [s]
    double pim_weight_bytes = 0.0;  ///< without padding, all decode steps, once for each vector

    /// All of it as one part.
    [[nodiscard]] static PhaseCost of(Part part, Cost const& cost) {
        PhaseCost phase;
        phase[part] = cost;
        return phase;
    }
    Cost& operator[](Part part) { return parts[static_cast<std::size_t>(part)]; }
    Cost const& operator[](Part part) const { return parts[static_cast<std::size_t>(part)]; }
    [[nodiscard]] Cost all() const { return sum(Part::load); }
    [[nodiscard]] Cost passes() const { return sum(Part::relayout); }  ///< without the load

  private:
    [[nodiscard]] Cost sum(Part from) const;
};

/// The cost of the passes of a model on the given units: until the first token, or of the first step of a block, and of
/// all later ones. A block that follows another one takes another `first`.
struct RequestCost {
    Units units;
    PhaseCost first, rest;
    sim::Bounded npu_bandwidth;      ///< B/s of the prefill's weight stream
    OperationCosts::Sequence banks;  ///< after it

    [[nodiscard]] sim::Bounded prefill() const { return first.all().seconds; }  ///< s, including load and re-layout
    [[nodiscard]] sim::Bounded decode() const { return rest.all().seconds; }    ///< s, all later passes
    [[nodiscard]] Cost total() const;                                           ///< of one block
};

/// The request to the model of a system on the units that serve it fastest: first the units of the prefill are chosen
/// by the time to the first token, then the units of decode by its time. At fidelity cycle the choice is certain.
/// Otherwise the results of every assignment that may be the fastest are returned, the one with the best estimates
/// first.
[[nodiscard]] std::vector<RequestCost> run_request(Prepared const& prepared, System const& system, Fidelity fidelity);

}  // namespace pimdse::models::umdam
