#pragma once

#include "models/dplena/constants.hpp"
#include "models/dplena/design.hpp"
#include "models/llm/summed_keys.hpp"

#include <span>
#include <vector>

namespace pimdse::models::dplena {

/// Work and time of one pass of the model, or the sum over several. A pass takes the larger of its cycles on the matrix
/// unit and its bytes over the bandwidth of the HBM, after the launches of its layers.
struct ModelPass {
    sim::Time time;
    double multiplications = 0.0;  ///< multiply-adds without the padding of tiles
    double cycles = 0.0;           ///< of the matrix unit, in whole tiles
    sim::Data bytes;               ///< to and from HBM
    sim::Time compute, transfer;   ///< of the matrix unit and of HBM; they overlap
    sim::Time launches;            ///< of the layers

    ModelPass& operator+=(ModelPass const& other);
    [[nodiscard]] ModelPass times(double n) const;
};

/// What the sequences of a pass ask of attention, indexer and state in a layer of one kind.
struct Attended {
    SummedKeys sums;
    double tiles = 0.0;  ///< multiply-adds in whole tiles
};
/// Multiply-adds without the padding of tiles.
[[nodiscard]] double products_of(LanguageModel const& kind, SummedKeys const& sums);

/// Matrices of a layer of one kind for all positions of a pass.
struct LayerWork {
    double cycles = 0.0, weights = 0.0, multiplications = 0.0;
};

/// Costs of the passes of one model on the machine of a design, whose numbers of sequences and tokens do not matter.
/// The model lives longer.
class PassLaw {
  public:
    PassLaw(Design const& design, MachineConstants const& machine, LanguageModel const& model);

    [[nodiscard]] std::span<LanguageModel const> kinds() const { return alike_layers(*model_); }
    /// Adds `sequences` sequences with this shape, in a layer of a kind.
    void add(double sequences, PassShape const& shape, LanguageModel const& kind, Attended& to) const;
    /// The matrices of a layer of each kind, for `tokens` positions of all sequences together.
    [[nodiscard]] std::vector<LayerWork> layers(double tokens) const;
    /// The pass with the LM head at `heads` positions, whose logits take `logits` bytes of HBM. The others have an
    /// element for each kind.
    [[nodiscard]] ModelPass of(std::span<LayerWork const> layers, std::span<Attended const> attended, double heads,
                               double logits) const;

  private:
    [[nodiscard]] LayerWork layer(std::size_t kind, double tokens) const;

    Design design_;
    LanguageModel const* model_;
    std::vector<std::vector<WeightMatrix>> matrices_;  ///< by kind
    double bytes_of_weight_;
    sim::Data cache_element_;
    sim::Frequency clock_;
    sim::Bandwidth bandwidth_;
};

/// Bytes of a weight with its share of a scale.
[[nodiscard]] double weight_bytes(Design const& design, ModelConstants const& constants);
/// Bytes of the keys and values of `positions` positions in the layers of one kind.
[[nodiscard]] double cache_bytes(LanguageModel const& kind, ModelConstants const& constants, double positions);
/// Bytes in HBM of the logits of `positions` positions; 0 if they go from the LM head to the sampler.
[[nodiscard]] double logit_bytes(Design const& design, LanguageModel const& model, std::int64_t positions);

/// Bandwidth of all channels at the rate of hbm_bus, without refresh.
[[nodiscard]] sim::Bandwidth channel_bandwidth(Design const& design, MachineConstants const& machine);

/// Upper bound of the bandwidth of the pins of all channels, for any `hbm_bus` and without refresh.
[[nodiscard]] sim::Bandwidth pin_bandwidth(Design const& design, MachineConstants const& machine);

}  // namespace pimdse::models::dplena
