#include "models/upmem/parameters.hpp"

#include "models/contract/key_table.hpp"
#include "models/upmem/result.hpp"
#include "sim/base/counting.hpp"

#include <memory>
#include <optional>
#include <variant>

namespace pimdse::models::upmem {
namespace {

/// A point with its kernel, which may be a file of the user: conditions depend on its contents.
struct KernelPoint {
    Design d;  ///< for a request: with the kernel that computes its products
    Kernel const& k;
    bool reads_block = true;  ///< whether the listing does
    bool pipelined = true;
};
using Table = KeyTable<KernelPoint>;

bool has_no_model(KernelPoint const& u) { return u.d.model == nullptr; }
bool is_no_request(KernelPoint const& u) { return !u.d.is_request(); }

/// A lock only matters where streams overlap. Banks that serve host and DPU at the same time are different hardware.
bool meets_no_lock(KernelPoint const& u) {
    bool const overlaps = u.pipelined && (u.d.streams > 1 || (u.d.lock == Lock::rank_level && u.d.ranks > 1));
    return !overlaps && (u.d.lock == Lock::exclusive || u.d.lock == Lock::rank_level);
}

/// Whether only the share of a DPU matters and not the size of the whole problem.
bool counts_shares(KernelPoint const& u) {
    bool const by_size = u.k.shared_bytes != 0.0 || u.k.shape == WorkShape::search || u.k.shape == WorkShape::layers ||
                         u.k.shape == WorkShape::tiles || u.k.shape == WorkShape::profile;
    return !by_size && (u.d.lock != Lock::rank_level || meets_no_lock(u));
}

Value share_of_all(KernelPoint const& u) {
    return Value::integer(sim::round_up(sim::divide_up(u.d.elements, u.d.dpus), granule(u.k, u.d)) * u.d.dpus);
}

bool moves_nothing(KernelPoint const& u) {
    auto const& k = u.k;
    bool const matrices = k.shape == WorkShape::rows || k.shape == WorkShape::layers || k.shape == WorkShape::tiles;
    bool const bytes = k.input_bytes != 0.0 || k.shared_bytes != 0.0 || k.shared_fixed != 0.0 ||
                       k.output_bytes != 0.0 || k.output_fixed != 0.0;
    return u.d.model == nullptr && !matrices && !bytes && k.input_calls == 1.0 && u.d.loading == Loading::none;
}

/// The program generated for an even kernel has no transfers; a listing may have some.
bool moves_no_blocks(KernelPoint const& u) {
    return u.d.model == nullptr && u.k.shape == WorkShape::even && !u.reads_block;
}

void add_work(Table& table) {
    table.stands_for(
        "kernel", [](KernelPoint const& u) { return Value::choice(u.d.kernel); },
        "the kernel of the products computes a request");
    table.irrelevant("scope", has_no_model, "without a model there is no request");
    table.irrelevant({"input", "output", "batch"}, is_no_request,
                     "the work is one launch of the kernel, or one step of the model");
    table.irrelevant(
        {"acceptance", "draft_llm"}, [](KernelPoint const& u) { return u.d.speculation.draft == 0; },
        "no tokens are proposed");
    table.irrelevant("layer_overhead", has_no_model, "only models have layers");
    table.irrelevant(
        "elements", [](KernelPoint const& u) { return u.d.model != nullptr; },
        "the model determines the size of its matrices");
    table.stands_for(
        "elements", counts_shares, share_of_all,
        "every DPU counts as the fullest one; only for kernels that do not depend on the size of the whole problem");
    table.irrelevant("dma_block", moves_no_blocks,
                     "neither the generated program nor the listing depends on the block");
}

void add_host(Table& table) {
    table.irrelevant("transfer", moves_nothing, "the kernel's file states that nothing is moved");
    table.irrelevant("joint", moves_nothing, "the kernel's file states that nothing is moved");
    table.irrelevant(
        "joint", [](KernelPoint const& u) { return u.k.input_arrays == 1.0; }, "one array needs one transfer");
    table.irrelevant(
        "reduction", [](KernelPoint const& u) { return !u.pipelined || u.d.streams == 1 || !u.k.merges(); },
        "there are no results of several streams that are merged");
    table.irrelevant(
        "results", [](KernelPoint const& u) { return !u.pipelined; }, "only the addresses of streams are chosen");
    table.stands_for(
        "lock", meets_no_lock, [](KernelPoint const&) { return Value::choice(Lock::exclusive); },
        "a lock only matters where streams overlap; banks that serve two at once are different hardware");
}

std::optional<KernelPoint> used(Inputs const& inputs, Point point) {
    auto const& p = inputs.as<Prepared>();
    auto const made = planned(p, point);
    auto const* known = std::get_if<Planned>(&made);
    if (known == nullptr) return std::nullopt;
    auto const kernel = known->design.kernel;
    return KernelPoint{known->design, p.kernels[kernel], p.listing_reads_block[kernel], known->plan.pipelined};
}

std::shared_ptr<Table const> make_table() {
    auto const table = std::make_shared<Table>(parameters());
    add_work(*table);
    add_host(*table);
    return table;
}

std::vector<MonotoneLowerBound> monotone_lower_bounds(Inputs const&) {
    using enum Slope;
    return pairs_of(
        {{{"mram_bandwidth"}, down, {"kernel_cycles", "kernel_time", "total_time", "latency"}},
         {{"offload"}, up, {"total_time", "latency", "energy"}},
         {{"offload"}, flat, {"kernel_cycles", "kernel_time"}},
         {{"attained_share"}, down, {"kernel_time", "total_time", "latency"}},
         {{"attained_share"}, flat, {"kernel_cycles"}},
         {{"layer_overhead"}, up, {"kernel_time", "total_time", "latency"}},
         {{"frequency"}, up, {"kernel_cycles"}},
         {{"mram_bandwidth"}, up, {"area"}},
         {{"dispatch_distance"}, down, {"area"}},
         {{"ranks"}, up, {"area", "memory_area", "idle_power", "cost", "embodied_carbon"}},
         {{"elements", "tasklets", "dpus", "streams", "dma_block", "offload"}, flat, {"area", "memory_area"}}});
}

}  // namespace

std::vector<std::string> constants_without_slopes() {
    // The power of a pipeline is what these leave of a chip's published power; a limit is a power that none draws.
    return {"dram_background", "dram_refresh", "mram_access_at_work", "mram_row", "package_limit", "sram_static"};
}

Proofs proofs() {
    return {{}, key_parts_of(make_table(), used), monotone_lower_bounds, [](Inputs const&) {
                return constants_without_slopes();
            }};
}

}  // namespace pimdse::models::upmem
