#pragma once

#include "models/llm/tensor_entry.hpp"
#include "models/llm/workload.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace pimdse::models {

/// Matrices of one kind in a layer, or outside the layers.
struct TensorPart {
    TensorEntry const* tensor = nullptr;
    std::int64_t copies = 0;  ///< of experts: in one tensor, or one each

    [[nodiscard]] std::int64_t outputs() const { return tensor->shape.at(tensor->shape.size() - 2); }
    [[nodiscard]] std::int64_t inputs() const { return tensor->shape.back(); }
};

/// The tensors of a model by what they are: "q", "experts.up", "embedding", ...
class TensorParts {
  public:
    using Parts = std::map<std::string, TensorPart, std::less<>>;

    /// Throws InputError for a matrix that is not known: the model would be another one without it. The tensors live
    /// longer than this. Layers from `layers` on are not part of generation; 0: all are.
    TensorParts(std::filesystem::path const& file, std::vector<TensorEntry> const& tensors, std::int64_t layers);

    /// Those outside the layers.
    [[nodiscard]] Parts const& ends() const { return ends_; }
    [[nodiscard]] std::vector<Parts> const& layers() const { return layers_; }
    /// Elements of all tensors that are parameters of generation.
    [[nodiscard]] double parameters() const { return parameters_; }
    [[nodiscard]] double of_further_layers() const { return of_further_layers_; }

  private:
    std::vector<Parts> layers_;
    Parts ends_;
    double parameters_ = 0.0, of_further_layers_ = 0.0;
};

/// Heads and states of a model, which no tensor has.
struct HeadNumbers {
    std::vector<std::int64_t> heads, kv_heads;  ///< of each layer, or one number for all; 0: no attention
    std::int64_t head_dimension = 0;
    std::int64_t value_dimension = 0;   ///< of a head of values
    std::int64_t window_dimension = 0;  ///< of the heads of layers with a window, where it differs; or 0
    std::int64_t window_value_dimension = 0;
    std::int64_t experts_active = 0;  ///< 0 without experts
    std::int64_t rope_dimension = 0;  ///< 0 without latent attention
    std::int64_t sharing = 0;         ///< layers at the end that use keys of others
    bool may_lack_values = false;     ///< a layer without a matrix of values takes them from its keys
    Indexer indexer{};                ///< of the layers with matrices of one
    StateMixer state{};               ///< of the layers with matrices of a state
};

/// Sets widths, networks and formats of a model from its tensors; returns its layers one by one. Throws InputError if
/// they do not fit together.
[[nodiscard]] std::vector<LayerKind> shape_of_tensors(std::filesystem::path const& file, TensorParts const& parts,
                                                      HeadNumbers const& heads, LanguageModel& model);

}  // namespace pimdse::models
