#include "models/llm/shard.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace pimdse::models {
namespace {

using Reason = std::optional<NotDivisible>;

/// A count that must be divided without rest.
Reason undivided(std::int64_t parts, std::string_view how, std::int64_t count, std::string_view what,
                 LanguageModel const& model) {
    if (count % parts == 0) return std::nullopt;
    return NotDivisible{fmt::format("{} = {} does not divide the {} {} of {}", how, parts, count, what, model.name)};
}

/// Heads of which several devices may have the same one.
Reason undivided_heads(std::int64_t parts, std::int64_t heads, std::string_view what, LanguageModel const& model) {
    bool const copies = parts > heads && heads > 0 && parts % heads == 0;
    return copies ? std::nullopt : undivided(parts, "tensor_parallel", heads, what, model);
}

Reason of_tensor_in(LanguageModel const& alike, std::int64_t parts, LanguageModel const& m) {
    if (alike.attends) {
        if (auto reason = undivided(parts, "tensor_parallel", alike.heads, "heads", m)) return reason;
        if (auto reason = undivided(parts, "tensor_parallel", m.output_groups, "groups of the output", m))
            return reason;
        if (m.kv_rank == 0)
            if (auto reason = undivided_heads(parts, alike.kv_heads, "heads of keys and values", m)) return reason;
    }
    if (auto reason = undivided(parts, "tensor_parallel", alike.state.heads, "heads of a state", m)) return reason;
    if (auto reason = undivided_heads(parts, alike.state.key_heads, "heads of keys of a state", m)) return reason;
    if (auto reason = undivided(parts, "tensor_parallel", alike.ffn, "columns of the feed-forward network", m))
        return reason;
    return undivided(parts, "tensor_parallel", alike.expert_ffn, "columns of the experts", m);
}

Reason of_tensor(LanguageModel const& m, std::int64_t parts) {
    for (auto const& alike : alike_layers(m))
        if (auto reason = of_tensor_in(alike, parts, m)) return reason;
    return std::nullopt;
}

Reason of_experts(LanguageModel const& m, std::int64_t parts) {
    if (parts == 1) return std::nullopt;
    for (auto const& alike : alike_layers(m)) {
        if (alike.experts == 0) continue;
        if (auto reason = undivided(parts, "expert_parallel", alike.experts, "experts", m)) return reason;
    }
    auto const layers = alike_layers(m);
    bool const any = std::any_of(layers.begin(), layers.end(), [](auto const& alike) { return alike.experts > 0; });
    if (any) return std::nullopt;
    return NotDivisible{fmt::format("expert_parallel = {}, but {} has no experts", parts, m.name)};
}

Reason of_layers(LanguageModel const& m, std::int64_t parts) {
    if (parts == 1) return std::nullopt;
    if (parts > m.layers)
        return NotDivisible{fmt::format("pipeline_parallel = {} exceeds the {} layers of {} (every stage has one)",
                                        parts, m.layers, m.name)};
    for (auto const& alike : alike_layers(m))
        if (alike.shares_keys)
            return NotDivisible{fmt::format(
                "pipeline_parallel = {} separates layers of {} from those whose keys they share", parts, m.name)};
    return std::nullopt;
}

std::vector<LayerKind> kinds_of(LanguageModel const& model) {
    std::vector<LayerKind> kinds;
    for (auto const& m : alike_layers(model)) kinds.push_back(m);
    return kinds;
}

/// Layers of each kind in a stage.
std::vector<std::int64_t> layers_in(LanguageModel const& m, std::vector<std::int64_t> const& stages,
                                    std::int64_t stage) {
    auto const own = stages.begin() + static_cast<std::ptrdiff_t>(stage);
    if (m.kinds.empty()) return {*own};
    std::vector<std::int64_t> layers(m.kinds.size(), 0);
    auto const first = m.order.begin() + std::accumulate(stages.begin(), own, std::ptrdiff_t{0});
    std::for_each(first, first + static_cast<std::ptrdiff_t>(*own), [&](auto kind) { ++layers[kind]; });
    return layers;
}

/// Kinds of the layers of a device.
std::vector<LayerKind> layers_of_device(LanguageModel const& model, Division const& division, std::int64_t stage) {
    auto kinds = kinds_of(model);
    for (auto& kind : kinds) {
        kind.heads /= division.tensor;
        kind.kv_heads = std::max<std::int64_t>(1, kind.kv_heads / division.tensor);
        kind.state.heads /= division.tensor;
        if (kind.state.key_heads > 0)
            kind.state.key_heads = std::max<std::int64_t>(1, kind.state.key_heads / division.tensor);
        kind.ffn /= division.tensor;
        kind.expert_ffn /= division.tensor;
        if (kind.experts > 0) kind.experts /= division.expert;
    }
    auto const layers = layers_in(model, layers_of_stages(model.layers, division.pipeline), stage);
    for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i].layers = layers[i];
    std::erase_if(kinds, [](LayerKind const& kind) { return kind.layers == 0; });
    return kinds;
}

}  // namespace

std::vector<std::int64_t> layers_of_stages(std::int64_t layers, std::int64_t stages) {
    sim::expects(stages >= 1 && layers >= stages, "every stage has a layer");
    std::vector<std::int64_t> all(static_cast<std::size_t>(stages), layers / stages);
    for (auto left = layers % stages; left > 0; --left) ++all[static_cast<std::size_t>(stages - 1 - left)];
    return all;
}

std::vector<EqualStages> stages_before_last(LanguageModel const& model, std::int64_t stages) {
    auto const layers = layers_of_stages(model.layers, stages);
    std::map<std::vector<std::int64_t>, std::size_t> known;
    std::vector<EqualStages> all;
    for (std::int64_t stage = 0; stage + 1 < stages; ++stage) {
        auto const [place, is_new] = known.try_emplace(layers_in(model, layers, stage), all.size());
        if (is_new) all.push_back({stage, 0});
        ++all[place->second].stages;
    }
    return all;
}

std::variant<LanguageModel, NotDivisible> shard_of(LanguageModel const& model, Division const& division,
                                                   std::int64_t stage) {
    sim::expects(division.tensor >= 1 && division.expert >= 1 && division.pipeline >= 1, "numbers of parts");
    sim::expects(stage >= 0 && stage < division.pipeline, "a stage of the pipeline");
    auto shard = model;
    shard.joined_devices = division.joined;
    if (division.parts() == 1) return shard;
    if (auto reason = of_tensor(model, division.tensor)) return *reason;
    if (auto reason = of_experts(model, division.expert)) return *reason;
    if (auto reason = of_layers(model, division.pipeline)) return *reason;
    shard.expert_devices = division.expert;
    shard.output_groups /= division.tensor;
    set_layers(shard, layers_of_device(model, division, stage));
    // A stage without a head has one column of it, because a model has a vocabulary.
    if (model.layer_vocabulary == 0) shard.layer_vocabulary = model.vocabulary;
    shard.layer_vocabulary = sim::divide_up(shard.layer_vocabulary, division.tensor);
    bool const has_head = stage + 1 == division.pipeline;
    shard.vocabulary = has_head ? sim::divide_up(model.vocabulary, division.tensor) : std::int64_t{1};
    if (!has_head) shard.other_model_parameters = shard.unread_parameters = 0;
    shard.published_parameters = 0.0;
    shard.published_active = 0.0;
    shard.name = fmt::format("{} (1 of {} parts)", model.name, division.parts());
    finish_layers(shard);
    return shard;
}

}  // namespace pimdse::models
