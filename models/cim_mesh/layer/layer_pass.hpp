#pragma once

#include "models/cim_mesh/layer/attended.hpp"
#include "models/cim_mesh/layer/layer_time.hpp"
#include "models/llm/request_passes.hpp"

#include <cstdint>
#include <vector>

namespace pimdse::models::cim_mesh {

/// A pass of one request through a layer: positions that follow each other, of which the last one counts apart. Tokens
/// of a prompt attend to the tokens before them; proposed tokens and denoised positions all attend to equally many
/// keys.
struct LayerPass {
    std::vector<Sample> last;  ///< keys of the last position; of several, the pass is the mean
    double positions = 1.0;    ///< all, a mean number
    double mean_keys = 0.0;    ///< of a position
    bool is_prompt = false;
    std::int64_t cached = 0;  ///< of a prompt: tokens before it
    std::int64_t keys = 0;    ///< of others: keys of every position before the last one

    [[nodiscard]] bool is_alone() const { return positions == 1.0; }
    [[nodiscard]] std::int64_t tokens() const { return static_cast<std::int64_t>(positions); }
};

/// A part of a prompt, behind `cached` tokens.
[[nodiscard]] LayerPass prompt_pass(Design const& design, std::int64_t tokens, std::int64_t cached = 0);
/// Decoded tokens at all contexts from `first` to `last`: the mean over them or, if there are many, over as many of
/// them as `allowance.contexts` says.
[[nodiscard]] LayerPass token_pass(MachineConstants const& machine, Design const& design, std::int64_t first,
                                   std::int64_t last);
/// A pass of this shape for a request to the design.
[[nodiscard]] LayerPass pass_of(MachineConstants const& machine, Design const& design, PassShape const& shape);
/// The first pass of a request, and the mean of all later ones.
[[nodiscard]] LayerPass first_pass(Design const& design);
[[nodiscard]] LayerPass later_pass(MachineConstants const& machine, Design const& design);

/// The parts of a pass.
[[nodiscard]] LayerParts parts_of(LayerPasses const& passes, Design const& design, LayerPass const& pass,
                                  HeldQueries const& held);

}  // namespace pimdse::models::cim_mesh
