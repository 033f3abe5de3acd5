#pragma once

#include "models/gpu/constants.hpp"
#include "models/gpu/design.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
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

// Parts of it that a step of a serving engine shares (step.hpp).

/// Adds the work of the weight matrices `matrices` of the layers of one kind (workload.hpp, layer_matrices) for
/// `tokens` positions.
void add_matrix_work(LanguageModel const& alike, std::span<WeightMatrix const> matrices, double tokens,
                     Design const& design, BoardWork& to);
/// The LM head at `positions` positions.
[[nodiscard]] BoardWork head_work(double positions, Design const& design);
/// Diffusion: the reads of the logits of a block of `sequences` sequences by their sampling.
[[nodiscard]] BoardWork sampling_work(double sequences, Design const& design, MachineConstants const& machine);
/// What a pass reads in the layers of one kind.
struct KeysRead {
    double keys = 0.0;       ///< to which a query attends, on average
    double positions = 0.0;  ///< whose keys and values are read
};
[[nodiscard]] KeysRead keys_read(LanguageModel const& alike, PassShape const& shape);
[[nodiscard]] BoardWork overhead_work(Design const& design);

/// Bytes of keys and values of one position in the layers of one kind.
[[nodiscard]] double position_bytes(LanguageModel const& alike, Design const& design);
/// Bytes of all weights.
[[nodiscard]] double weight_footprint(Design const& design);
/// Diffusion: bytes of the logits of one step of a block of `sequences` sequences; otherwise 0.
[[nodiscard]] double logit_bytes(double sequences, Design const& design, MachineConstants const& machine);

/// Bytes of weights, of keys and values up to the last token and, for diffusion, of the logits of one step, which those
/// of the next step overwrite.
[[nodiscard]] sim::Data footprint(Design const& design, MachineConstants const& machine);

}  // namespace pimdse::models::gpu
