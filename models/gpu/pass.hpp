#pragma once

#include "models/gpu/constants.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pimdse::models::gpu {

/// What a pass is made of, one after the other.
enum class PassGroup : std::uint8_t { weights, attention, lm_head, overhead, allreduce, sampling };
inline constexpr std::array<std::string_view, 6> group_names{"weights",  "attention", "lm_head",
                                                             "overhead", "allreduce", "sampling"};

/// One pass of the model over every sequence of the batch; all per sequence.
struct PassShape {
    double queries = 0.0;  ///< positions that are computed
    double keys = 0.0;     ///< positions that one of them attends to, in the mean
    double cached = 0.0;   ///< positions whose keys and values are read
    double heads = 0.0;    ///< positions that the LM head runs on
};

[[nodiscard]] PassShape prompt_pass(Design const& design);
/// The `steps` passes after the prompt's, each at its mean: all that they cost is linear in the context.
[[nodiscard]] PassShape token_pass(Design const& design, double steps);
/// A denoising step that computes `queries` positions of each sequence.
[[nodiscard]] PassShape denoising_pass(Design const& design, double queries);

/// What the fullest board does for a group.
struct BoardWork {
    double operations = 0.0;  ///< FLOP
    double bytes = 0.0;       ///< to and from its memory
    double exchanged = 0.0;   ///< bytes it sends to other boards
    double waiting = 0.0;     ///< s, whatever the board can do
};
using PassWork = std::array<BoardWork, group_names.size()>;

[[nodiscard]] PassWork work_of(PassShape const& shape, Design const& design, MachineConstants const& machine);

/// Bytes of weights, of keys and values up to the last token and, of diffusion, of one step's logits, which those of
/// the next one overwrite: of the fullest board, and of as many such boards as there are.
[[nodiscard]] sim::Data board_footprint(Design const& design, MachineConstants const& machine);
[[nodiscard]] sim::Data footprint(Design const& design, MachineConstants const& machine);

}  // namespace pimdse::models::gpu
