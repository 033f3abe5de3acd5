#include "models/llm/shard.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <vector>

namespace pimdse::models {
namespace {

using Reason = std::optional<NotDivisible>;

/// A count that must be divided without rest.
Reason undivided(std::int64_t parts, std::string_view how, std::int64_t count, std::string_view what,
                 LanguageModel const& model) {
    if (count % parts == 0) return std::nullopt;
    return NotDivisible{fmt::format("{} = {} does not divide the {} {} of {}", how, parts, count, what, model.name)};
}

Reason of_tensor(LanguageModel const& m, std::int64_t parts) {
    if (auto reason = undivided(parts, "tensor_parallel", m.heads, "heads", m)) return reason;
    bool const copies = m.kv_rank == 0 && parts > m.kv_heads && parts % m.kv_heads == 0;
    if (m.kv_rank == 0 && !copies) {
        if (auto reason = undivided(parts, "tensor_parallel", m.kv_heads, "heads of keys and values", m)) return reason;
    }
    for (auto const& alike : alike_layers(m)) {
        if (auto reason = undivided(parts, "tensor_parallel", alike.ffn, "columns of the feed-forward network", m))
            return reason;
        if (auto reason = undivided(parts, "tensor_parallel", alike.expert_ffn, "columns of the experts", m))
            return reason;
    }
    return std::nullopt;
}

Reason of_experts(LanguageModel const& m, std::int64_t parts) {
    if (parts == 1) return std::nullopt;
    for (auto const& alike : alike_layers(m)) {
        if (alike.experts == 0) continue;
        if (auto reason = undivided(parts, "expert_parallel", alike.experts, "experts", m)) return reason;
        if (alike.experts / parts < alike.experts_active)
            return NotDivisible{
                fmt::format("expert_parallel = {} leaves {} experts a device, of which a token of {} uses "
                            "{}",
                            parts, alike.experts / parts, m.name, alike.experts_active)};
    }
    auto const layers = alike_layers(m);
    bool const any = std::any_of(layers.begin(), layers.end(), [](auto const& alike) { return alike.experts > 0; });
    if (any) return std::nullopt;
    return NotDivisible{fmt::format("expert_parallel = {}, but {} has no experts", parts, m.name)};
}

Reason of_layers(LanguageModel const& m, std::int64_t parts) {
    for (auto const& alike : alike_layers(m)) {
        auto const what = m.kinds.empty() ? "layers" : "layers of one kind";
        if (auto reason = undivided(parts, "pipeline_parallel", alike.layers, what, m)) return reason;
    }
    return std::nullopt;
}

std::vector<LayerKind> kinds_of(LanguageModel const& model) {
    std::vector<LayerKind> kinds;
    for (auto const& m : alike_layers(model))
        kinds.push_back({m.layers, m.window, m.chunked, m.ffn, m.experts, m.experts_active, m.expert_ffn, m.format});
    return kinds;
}

}  // namespace

std::variant<LanguageModel, NotDivisible> shard_of(LanguageModel const& model, Division const& division,
                                                   PipelineStage stage) {
    sim::expects(division.tensor >= 1 && division.expert >= 1 && division.pipeline >= 1, "numbers of parts");
    if (division.devices() == 1) return model;
    if (auto reason = of_tensor(model, division.tensor)) return *reason;
    if (auto reason = of_experts(model, division.expert)) return *reason;
    if (auto reason = of_layers(model, division.pipeline)) return *reason;
    auto shard = model;
    shard.heads /= division.tensor;
    shard.kv_heads = std::max<std::int64_t>(1, shard.kv_heads / division.tensor);
    auto kinds = kinds_of(model);
    for (auto& kind : kinds) {
        kind.layers /= division.pipeline;
        kind.ffn /= division.tensor;
        kind.expert_ffn /= division.tensor;
        if (kind.experts > 0) kind.experts /= division.expert;
    }
    set_layers(shard, kinds);
    // A stage without a head has one column of it, because a model has a vocabulary.
    shard.vocabulary =
        stage == PipelineStage::last ? sim::divide_up(model.vocabulary, division.tensor) : std::int64_t{1};
    shard.published_parameters = 0.0;
    shard.published_active = 0.0;
    shard.name = fmt::format("{} (1 of {} parts)", model.name, division.devices());
    finish_layers(shard);
    return shard;
}

}  // namespace pimdse::models
