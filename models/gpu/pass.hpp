#pragma once

#include "models/gpu/constants.hpp"
#include "models/gpu/design.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pimdse::models::gpu {

/// Parts of a pass, executed one after the other.
enum class PassGroup : std::uint8_t { weights, attention, lm_head, overhead, allreduce, sampling };
inline constexpr std::array<std::string_view, 6> group_names{"weights",  "attention", "lm_head",
                                                             "overhead", "allreduce", "sampling"};

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

/// The same boards with the draft model, which generates token by token. Precondition: there is one.
[[nodiscard]] Design of_draft(Design const& design);

/// Work of the fullest board for one group.
struct BoardWork {
    double operations = 0.0;  ///< FLOP
    double bytes = 0.0;       ///< to and from its memory
    double exchanged = 0.0;   ///< bytes sent to other boards
    double waiting = 0.0;     ///< s, independent of the rates of the board
};
using PassWork = std::array<BoardWork, group_names.size()>;

[[nodiscard]] PassWork work_of(PassShape const& shape, Design const& design, MachineConstants const& machine);

/// Bytes of weights, of keys and values up to the last token and, for diffusion, of the logits of one step, which those
/// of the next step overwrite: on the fullest board, and on that number of such boards.
[[nodiscard]] sim::Data board_footprint(Design const& design, MachineConstants const& machine);
[[nodiscard]] sim::Data footprint(Design const& design, MachineConstants const& machine);

/// Elements of a model on the fullest board under tensor parallelism. Query heads, feed-forward widths and the
/// vocabulary are distributed in order and evenly. Keys and values are on the boards of their queries: a head of keys
/// and values whose queries are on several boards is on each of them, with its projections. Norms, positions, routers,
/// projections of the embedding, the vectors of latent attention with their projections, and biases that are added
/// after a sum are on every board.
class BoardShare {
  public:
    explicit BoardShare(Design const& design) : BoardShare(design, *design.model) {}
    /// The same for one kind of layers of the model (alike_layers).
    BoardShare(Design const& design, LanguageModel const& model) : model_(model), boards_(design.devices) {}

    /// Heads of keys and values; at least one.
    [[nodiscard]] std::int64_t kv_heads() const;
    /// Elements of one copy of a weight matrix of a layer.
    [[nodiscard]] std::int64_t matrix(WeightMatrix const& matrix) const;
    [[nodiscard]] std::int64_t lm_head() const;
    /// Elements of keys and values of one position in one layer.
    [[nodiscard]] std::int64_t cached_position() const {
        return model_.kv_rank > 0 ? kv_elements_per_token(model_) : 2 * kv_width();
    }
    /// All parameters; total_parameters for a single board.
    [[nodiscard]] std::int64_t parameters() const;

  private:
    [[nodiscard]] std::int64_t per_board(std::int64_t count) const;
    [[nodiscard]] std::int64_t kv_width() const { return kv_heads() * model_.head_dimension; }
    /// Biases, norms and routers.
    [[nodiscard]] std::int64_t other_parameters() const;

    LanguageModel const& model_;
    std::int64_t boards_;
};

}  // namespace pimdse::models::gpu
