#pragma once

#include "models/gpu/constants.hpp"
#include "models/gpu/design.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pimdse::models::gpu {

/// Parts of a pass, executed one after the other.
enum class PassGroup : std::uint8_t { weights, attention, lm_head, overhead, sampling };
inline constexpr std::array<std::string_view, 5> group_names{"weights", "attention", "lm_head", "overhead", "sampling"};

/// Shape of one pass of the model over every sequence of the batch; all numbers are per sequence.
struct PassShape {
    double queries = 0.0;   ///< positions that are computed
    ContextRange contexts;  ///< their numbers; denoising: the number of all positions, to which each of them attends
    double cached = 0.0;    ///< positions whose keys and values are read where attention has no window
    double heads = 0.0;     ///< positions for which the LM head is computed
    bool decodes =
        false;  ///< the positions follow each other at the end of the context: a window bounds what they read
};

[[nodiscard]] PassShape prompt_pass(Design const& design);
/// Mean shape of passes after the prompt: their cost is linear in the keys, so the mean is exact without windows.
[[nodiscard]] PassShape token_pass(TokenPasses const& passes);
/// A denoising step that computes `queries` positions of each sequence.
[[nodiscard]] PassShape denoising_pass(Design const& design, double queries);

/// The same board with the draft model, which generates token by token. Precondition: there is one.
[[nodiscard]] Design of_draft(Design const& design);

/// Work for one group.
struct BoardWork {
    double operations = 0.0;  ///< FLOP
    double bytes = 0.0;       ///< to and from its memory
    double waiting = 0.0;     ///< s, independent of the rates of the board
};
using PassWork = std::array<BoardWork, group_names.size()>;

[[nodiscard]] PassWork work_of(PassShape const& shape, Design const& design, MachineConstants const& machine);

/// Bytes of weights, of keys and values up to the last token and, for diffusion, of the logits of one step, which those
/// of the next step overwrite.
[[nodiscard]] sim::Data footprint(Design const& design, MachineConstants const& machine);

}  // namespace pimdse::models::gpu
