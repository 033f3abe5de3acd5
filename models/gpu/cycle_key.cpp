#include "models/gpu/cycle_key.hpp"

#include "models/contract/key_table.hpp"
#include "models/gpu/constants.hpp"
#include "models/gpu/parameters.hpp"
#include "models/gpu/pass.hpp"

#include <optional>

namespace pimdse::models::gpu {
namespace {

/// A design with the power limit of its boards and the share of their peak that they attain.
struct LimitedBoards {
    Design d;
    double limit = 0.0, share = 0.0;
};
using Table = KeyTable<LimitedBoards>;

std::optional<LimitedBoards> used(Inputs const& inputs, Point point) {
    auto const& prepared = inputs.as<Prepared>();
    auto const d = read_design(point, prepared);
    auto const& board = prepared.machine.boards[d.device];
    double const measured = board.compute_share[static_cast<std::size_t>(d.precision)];
    return LimitedBoards{d, d.power_limit == 0.0 ? board.max_power.si : d.power_limit,
                         d.attained_share == 0.0 ? measured : d.attained_share};
}

bool reads_a_file_format(Design const& d) {
    return d.stored_as_file() || (d.speculation.has_model() && of_draft(d).stored_as_file());
}

Table make_table() {
    Table table(parameters());
    for (auto const* denoising : {"steps", "block_length", "model_cache"})
        table.irrelevant(
            denoising, [](LimitedBoards const& u) { return u.d.generation == Generation::autoregressive; },
            "autoregressive generation has no denoising steps");
    for (auto const* proposing : {"acceptance", "draft_llm"})
        table.irrelevant(
            proposing, [](LimitedBoards const& u) { return u.d.speculation.draft == 0; }, "no tokens are proposed");
    table.stands_for(
        "weights", [](LimitedBoards const& u) { return !reads_a_file_format(u.d); },
        [](LimitedBoards const& u) { return Value::choice(static_cast<std::size_t>(u.d.precision) + 1); },
        "the format of a model whose file names none");
    table.stands_for(
        "power_limit", [](LimitedBoards const& u) { return Value::quantity(u.limit); },
        "0 stands for the limit of the data sheet in the constants in use");
    return table;
}

using Key = KeyFunctions<LimitedBoards, make_table, used>;

}  // namespace

CycleKey cycle_key(Inputs const& inputs, Point point) { return Key::key(inputs, point); }

KeyParts key_parts() { return Key::parts(); }

std::vector<MonotoneLowerBound> monotone_lower_bounds(Inputs const&) {
    std::vector<MonotoneLowerBound> lower_bounds;
    for (auto const* time : {"ttft", "itl", "latency"}) {
        lower_bounds.push_back({"batch", time, Slope::up});
        lower_bounds.push_back({"power_limit", time, Slope::flat});
    }
    return lower_bounds;
}

}  // namespace pimdse::models::gpu
