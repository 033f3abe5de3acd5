#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"
#include "models/text/model_passes.hpp"

#include <cstddef>

namespace pimdse::models::dplena {

/// Peak rate of the matrix unit, the energy of a multiply-add, and its area.
struct MatrixUnit {
    double rate = 0.0;      ///< 1/s
    sim::Energy operation;  ///< with weights of weight_bits
    sim::Area area;
};
[[nodiscard]] MatrixUnit matrix_unit(Design const& design, MachineConstants const& machine);

/// Bandwidth of all channels at the rate of hbm_bus, without refresh.
[[nodiscard]] sim::Bandwidth channel_bandwidth(Design const& design, MachineConstants const& machine);
/// Upper bound of the bandwidth of the pins of all channels, for any `hbm_bus` and without refresh.
[[nodiscard]] sim::Bandwidth pin_bandwidth(Design const& design, MachineConstants const& machine);

/// Bytes in HBM of a logit of a model; 0 if logits go from the LM head to the sampler.
[[nodiscard]] double logit_bytes(Design const& design);

/// What runs the passes of a model, as components of models/text: the matrix unit, an array of matrix_depth x
/// matrix_block whose tiles have matrix_block rows; the vector unit, which computes what is elementwise;
/// and the HBM. A pass takes the longest of the three, after the launches of its layers.
class Npu {
  public:
    static constexpr std::size_t hbm = 0, matrix = 0, vectors = 1;  ///< positions among memories and among units
    static constexpr std::size_t products = 0, launches = 1, elementwise_rules = 2;  ///< rules: those from it on

    Npu(Design const& design, MachineConstants const& machine);

    [[nodiscard]] text::LlmRequest const& request() const { return request_; }
    [[nodiscard]] double logit() const { return logit_; }
    /// The law of its passes; this lives longer.
    [[nodiscard]] text::CostLaw law() const;
    /// Seconds of the matrix unit, the vector unit and the HBM in passes; they overlap.
    [[nodiscard]] double computing(text::PassCost const& cost) const {
        return cost.busy[matrix] / figures_.units[matrix].attained;
    }
    /// Seconds of the vector unit.
    [[nodiscard]] double elementwise(text::PassCost const& cost) const {
        return cost.operations[vectors] / figures_.units[vectors].peak;
    }
    [[nodiscard]] double transferring(text::PassCost const& cost) const {
        return cost.bytes(hbm) / figures_.memories[hbm].attained;
    }
    /// Seconds that the matrix unit needs for the operations of passes without the padding of tiles.
    [[nodiscard]] double multiplying(text::PassCost const& cost) const {
        return cost.operations[matrix] / figures_.units[matrix].peak;
    }
    /// Bytes that the matrix unit reads of its tiles: a row of both operands per cycle.
    [[nodiscard]] double operand_bytes(text::PassCost const& cost) const {
        return cost.busy[matrix] / figures_.units[matrix].tile;
    }

  private:
    text::LlmRequest request_;
    text::MachineFigures figures_;
    double logit_;
};

/// The passes of a generation, which consists of `blocks` times one full pass, `steps` - 1 cached passes and the
/// sampling of `steps` steps (README.md, End to end).
struct ModelPhase {
    text::PassCost full;    ///< all positions, at the start of a block; autoregressive: the prompt, of both models
    text::PassCost cached;  ///< a later step of a block (prefix caching: mean over the blocks); autoregressive: a
                            ///< token, or proposals and their verification
    text::PassCost rest, per_generation;            ///< all passes after the first one; all
    double blocks = 0.0;                            ///< autoregressive: passes that sample the positions of a block
    double samplings = 0.0;                         ///< in blocks, with those of proposals by a draft model
    double full_passes = 0.0, cached_passes = 0.0;  ///< number of passes of a generation
};

[[nodiscard]] ModelPhase model_phase(Npu const& npu);

/// Bytes that must be resident in HBM: weights, keys and values, logits of one block.
[[nodiscard]] sim::Data resident_bytes(Design const& design, MachineConstants const& machine);
/// Bytes of all channels.
[[nodiscard]] sim::Data hbm_capacity(Design const& design, MachineConstants const& machine);

}  // namespace pimdse::models::dplena
