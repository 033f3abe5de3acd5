#pragma once

#include "models/cim_mesh/constants.hpp"
#include "models/cim_mesh/layer/partition.hpp"
#include "models/cim_mesh/layer/placement.hpp"
#include "sim/noc/phase.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace pimdse::models::cim_mesh {

/// Routers that may hold keys, in the order in which they are filled. Keeps a reference to the placement.
class Holders {
  public:
    Holders() = default;
    /// All routers of the layer, in the order of the ribbon.
    explicit Holders(Placement const& placement);
    /// The routers of some matrices, column after column, each in the direction of its sum.
    Holders(Placement const& placement, std::span<PlacedMatrix const* const> matrices);

    [[nodiscard]] std::int64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
    /// `count` routers from a place on, cyclically.
    [[nodiscard]] std::vector<Router> from(std::int64_t place, std::size_t count) const;
    [[nodiscard]] Area first(std::int64_t count) const;

  private:
    void add(std::size_t column);
    [[nodiscard]] OutputColumn const& column(std::size_t at) const { return placement_->columns[columns_[at]]; }
    [[nodiscard]] std::size_t find(std::int64_t place) const;
    [[nodiscard]] Router at(std::size_t on, std::int64_t place) const;
    [[nodiscard]] bool turned(OutputColumn const& column) const { return column.backwards && !along_ribbon_; }

    Placement const* placement_ = nullptr;
    bool along_ribbon_ = false;
    std::vector<std::uint32_t> columns_;  // indices into Placement::columns
    std::vector<std::int64_t> ends_;      // number of routers up to the end of each column
};

/// Slices of keys and values spread cyclically over a pool of routers.
class CacheRing {
  public:
    CacheRing(std::int64_t slices, std::int64_t routers) : slices_(slices), routers_(routers) {}

    struct Slot {
        std::int64_t router = 0;  ///< position in the pool
        std::int64_t slot = 0;
    };
    /// The slot of slice `slice` of token `token`: keys are slices 0..kv-1, values kv..2 kv-1.
    [[nodiscard]] Slot place(std::int64_t token, std::int64_t slice) const;
    [[nodiscard]] std::int64_t slices() const { return slices_; }
    [[nodiscard]] std::int64_t routers() const { return routers_; }
    [[nodiscard]] std::int64_t needed(std::int64_t context) const { return slices_ * context; }

  private:
    std::int64_t slices_;
    std::int64_t routers_;
};

/// The KV cache of one layer. A slot holds one slice of one key or value: `crossbar` values of 8 bit. The requests of a
/// batch are stored one after the other; `context` is that of one request.
class KvCache : public CacheRing {
  public:
    KvCache(MachineConstants const& machine, Design const& design, Partition const& partition);

    /// Slots of a router for keys and values: those that live vectors and the scores of one position leave.
    [[nodiscard]] std::int64_t slots_per_router() const { return slots_; }
    /// Slots of the fullest router for the scores of one position at the longest context; 0 if they are not kept.
    [[nodiscard]] std::int64_t score_slots() const { return score_slots_; }
    /// Slots that all requests need, if keys are kept in scratchpads.
    [[nodiscard]] std::int64_t needed_by_all(std::int64_t context) const { return keepers_ * needed(context); }
    /// Slots for the scores of a position where products are in place, which softmax needs together, with two buffers.
    [[nodiscard]] std::int64_t needed_for_scores(std::int64_t context) const;
    [[nodiscard]] std::int64_t capacity() const { return slots_ * routers(); }
    [[nodiscard]] double slot_bytes() const { return slot_bytes_; }

  private:
    std::int64_t slots_;
    std::int64_t score_slots_;
    double slot_bytes_;
    std::int64_t keepers_;
    std::int64_t scores_per_key_, scores_per_slot_;
};

enum class StageKind : std::uint8_t {
    gather,     ///< unicasts to a hub (or to cache slots), which share links
    broadcast,  ///< a hub to all crossbars of a group, vector after vector down one tree
    reduction,  ///< partial sums of all columns at once, or of all cache owners vector after vector
};

/// One communication step of a token in a layer; the next one starts when all messages have arrived.
struct Stage {
    std::string_view name;
    StageKind kind = StageKind::gather;
    sim::noc::Phase phase;  ///< messages of one token
};

/// The communication of one token in one layer with ideal collectives. Every group of matrices has a hub, one of
/// its routers (`hubs`). Vectors are gathered there, broadcast to the group, and summed along the columns, each
/// column by a path with its root in the middle. The query is broadcast to all routers that hold keys, and the
/// attention output is summed over them. `context` is the number of keys in the cache.
class TreeProgram {
  public:
    /// Keeps references to `key` and `placement`. `flits`: flits per vector.
    TreeProgram(LayerKey const& key, Placement const& placement, std::int32_t flits);

    /// The same program with another number of flits per vector.
    [[nodiscard]] TreeProgram carrying(std::int32_t flits) const {
        auto program = *this;
        program.flits_ = flits;
        return program;
    }

    /// All stages in the order of a token.
    [[nodiscard]] std::vector<Stage> stages(std::int64_t context) const;
    /// The stages whose messages are the same at every context.
    [[nodiscard]] std::vector<Stage> fixed_stages() const;
    /// The place in the pool of the next key, and the number of routers that hold keys.
    [[nodiscard]] std::int64_t append_place(std::int64_t context) const;
    [[nodiscard]] std::int64_t holder_count(std::int64_t context) const;
    /// The first context at which every router of the pool holds keys.
    [[nodiscard]] std::int64_t filling_context() const;
    /// The stages that depend on the context are append(), query() and attention_sum(). This one appends to the cache
    /// and gathers the queries.
    [[nodiscard]] Stage append(std::int64_t place) const;
    /// The part of append() that does not depend on the context.
    [[nodiscard]] Stage gather_queries() const;
    /// Routers at which keys and values are computed, by slice.
    [[nodiscard]] std::vector<Router> key_roots() const;
    /// Routers of the next keys and values.
    [[nodiscard]] std::vector<Router> key_places(std::int64_t place, std::size_t slices) const {
        return pool_.from(place, slices);
    }
    /// The query to `owners` routers that hold keys, and the attention output summed over them.
    [[nodiscard]] Stage query(std::int64_t owners) const;
    [[nodiscard]] Stage attention_sum(std::int64_t owners) const;
    [[nodiscard]] std::int32_t flits() const { return flits_; }
    [[nodiscard]] sim::noc::Mesh mesh() const { return placement_->mesh; }
    /// Number of keys (and of values) in the fullest router.
    [[nodiscard]] std::int64_t keys_per_router(std::int64_t context) const;
    /// Routers that may hold keys, in the order in which they are filled.
    [[nodiscard]] Holders const& owners() const { return pool_; }

    struct Group {
        std::vector<PlacedMatrix const*> matrices;  ///< active copies
        Router hub{0, 0};
        Area area;  ///< routers of all its crossbars
    };
    [[nodiscard]] Group const& qkv() const { return qkv_; }
    [[nodiscard]] Group const& o() const { return o_; }
    [[nodiscard]] Group const& up() const { return up_; }
    [[nodiscard]] Group const& down() const { return down_; }
    /// Middles of the columns of a matrix of a group, at which their sums arrive.
    [[nodiscard]] std::vector<Router> roots(Group const& group, std::string_view name) const;
    /// Calls `visit(column)` for the columns of a group that have sums, matrix after matrix.
    template <class Visit>
    void each_sum(Group const& group, Visit const& visit) const {
        for (auto const* matrix : group.matrices) {
            for (std::int64_t col = 0; col < key_->ground.matrices[matrix->tiling].summed; ++col)
                visit(placement_->column(*matrix, col));
        }
    }
    /// The stage that sends the sums of gate to those of up, for their product.
    [[nodiscard]] Stage product() const;
    [[nodiscard]] LayerKey const& key() const { return *key_; }

  private:
    void form_groups();
    [[nodiscard]] std::vector<PlacedMatrix const*> active(std::initializer_list<std::string_view> names) const;
    [[nodiscard]] Router hub_of(Group const& group) const;
    void move_hubs();
    [[nodiscard]] sim::noc::Node node(Router at) const { return placement_->mesh.at(at.row, at.col); }
    [[nodiscard]] Stage gather(std::string_view name, std::vector<Router> const& from, Router hub) const;
    [[nodiscard]] Stage broadcast(std::string_view name, Router hub, Area const& to, std::int64_t vectors) const;
    [[nodiscard]] Stage reduce(std::string_view name, Group const& group) const;
    [[nodiscard]] sim::noc::Tree tree(Router hub, Area const& members) const;

    LayerKey const* key_;
    Placement const* placement_;
    CacheRing cache_;
    std::int32_t flits_;
    Holders pool_;
    Group qkv_, o_, up_, down_;
};

/// Cycles that a saturated link takes for a number of flits in messages of `message` flits: each message holds the
/// output for one more cycle.
[[nodiscard]] constexpr double saturated_cycles(double flits, std::int32_t message) {
    return flits * (static_cast<double>(message) + 1.0) / static_cast<double>(message);
}

/// Number of flits of a vector as wide as a crossbar.
[[nodiscard]] std::int32_t vector_flits(MachineConstants const& machine, Design const& design);

}  // namespace pimdse::models::cim_mesh
