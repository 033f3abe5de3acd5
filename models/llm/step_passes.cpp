#include "models/llm/step_passes.hpp"

#include "models/llm/state.hpp"
#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

namespace pimdse::models {
namespace {

using sim::as_double;
using sim::serving::StepWork;

/// A sequence of `positions` positions, of which a pass computes so many.
PassShape denoised(std::int64_t queries, std::int64_t positions) {
    auto const all = as_double(positions);
    return {as_double(queries), {all, all}, all};
}

}  // namespace

std::vector<PassShape> prompts_of(StepWork const& work) {
    std::vector<PassShape> shapes;
    for (auto const& chunk : work.chunks) {
        double const first = as_double(chunk.cached) + 1.0, last = as_double(chunk.cached + chunk.tokens);
        shapes.push_back({as_double(chunk.tokens), {first, last}, last});
    }
    return shapes;
}

std::vector<PassShape> first_denoising(ModelRequest const& r, StepWork const& work) {
    sim::expects(work.ahead.size() == work.contexts.size(), "sequences of blocks have an end");
    std::vector<PassShape> shapes;
    for (auto const& chunk : work.chunks) {
        auto const all = chunk.cached + chunk.tokens + chunk.ahead;
        shapes.push_back(denoised(r.cache == PassCache::none ? all : chunk.tokens + chunk.ahead, all));
    }
    for (std::size_t i = 0; i < work.contexts.size(); ++i) {
        auto const all = work.contexts[i] - 1 + work.ahead[i];
        shapes.push_back(denoised(all, all));
    }
    return shapes;
}

std::vector<PassShape> later_denoising(ModelRequest const& r, StepWork const& work) {
    std::vector<PassShape> shapes;
    auto const add = [&](std::int64_t before, std::int64_t ahead) {
        auto const all = before + ahead;
        auto const left = r.cache == PassCache::prefix ? ahead : r.block_length;
        shapes.push_back(denoised(r.cache == PassCache::none ? all : left, all));
    };
    for (auto const& chunk : work.chunks)
        if (chunk.ahead > 0) add(chunk.cached + chunk.tokens, chunk.ahead);
    for (std::size_t i = 0; i < work.contexts.size(); ++i) add(work.contexts[i] - 1, work.ahead[i]);
    return shapes;
}

std::optional<Infeasible> broken_step_rule(ModelRequest const& r) {
    if (r.diffuses() && r.block_length == 1)
        return Infeasible{"traffic", "steps that denoise single tokens are not modelled: block_length of 2 or more"};
    if (r.speculation.draft > 0)
        return Infeasible{"traffic", "steps that verify proposed tokens are not modelled: draft = 0"};
    return std::nullopt;
}

void advance(ModelRequest const& r, StepWork& work) {
    auto const tokens = r.diffuses() ? r.block_length : 1;
    for (auto& context : work.contexts) context += tokens;
    for (auto& positions : work.ahead) positions -= tokens;
}

void set_sequences(ServiceEngine& engine, ModelRequest const& r,
                   std::function<double(LanguageModel const& alike)> const& bytes) {
    engine.position_bytes = 0.0;
    for (auto const& alike : alike_layers(*r.model)) engine.position_bytes += bytes(alike);
    engine.windows = windows_of(*r.model, bytes);
    engine.state_bytes = sequence_state_bytes(*r.model);
    engine.moved = {engine.position_bytes, engine.state_bytes};
    engine.chunk = chunk_of(*r.model);
    engine.max_context = r.model->maximum_context;
    if (!r.diffuses()) return;
    engine.tokens_per_step = r.block_length;
    engine.reserves_output = true;
}

}  // namespace pimdse::models
