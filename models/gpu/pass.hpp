#pragma once

#include "models/gpu/constants.hpp"
#include "models/gpu/design.hpp"

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

/// What the fullest board holds of a model under tensor parallelism, in elements. Query heads, feed-forward widths and
/// the vocabulary are dealt in order and evenly. Keys and values lie where their queries are: a head of them whose
/// queries several boards have is on each of these, with its projections. Norms, positions, routers, projections of the
/// embedding and biases added behind a sum are on every board.
class BoardShare {
  public:
    explicit BoardShare(Design const& design) : model_(*design.model), boards_(design.devices) {}

    /// Heads of keys and values: one at least.
    [[nodiscard]] std::int64_t kv_heads() const;
    /// One copy of a weight matrix of a layer.
    [[nodiscard]] std::int64_t matrix(WeightMatrix const& matrix) const;
    [[nodiscard]] std::int64_t lm_head() const;
    /// Keys and values of one position in one layer.
    [[nodiscard]] std::int64_t cached_position() const { return 2 * kv_width(); }
    /// All parameters; of a single board total_parameters.
    [[nodiscard]] std::int64_t parameters() const;

  private:
    [[nodiscard]] std::int64_t dealt(std::int64_t count) const;
    [[nodiscard]] std::int64_t kv_width() const { return kv_heads() * model_.head_dimension; }
    /// Biases, norms and router.
    [[nodiscard]] std::int64_t beside_matrices() const;

    LanguageModel const& model_;
    std::int64_t boards_;
};

}  // namespace pimdse::models::gpu
