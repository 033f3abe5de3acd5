#include "models/cim_mesh/layer/counts.hpp"

#include "models/cim_mesh/layer/layer_time.hpp"
#include "tests/unit/models/cim_mesh/layer/random_genes.hpp"

#include <gtest/gtest.h>

/// Held against layers that are laid in any way there is room for.
namespace pimdse::models::cim_mesh::test::layer_lower_bound_test {
namespace {

struct Looked {
    Given const& given;
    PlacedLayer const& layer;
    LayerLowerBound const& min;
    std::string where;

    void cost(StageShape const& less, StageShape const& more, std::string const& what) const {
        ASSERT_EQ(less.kind, more.kind) << where << what;
        for (std::int32_t const fifo : {2, 5, 16}) {
            auto timing = router_timing(given.machine, given.design);
            timing.fifo_flits = fifo;
            for (std::int32_t const flits : {1, 7, 32}) {
                auto const a = closed_cost(given.machine.allowance, timing, less, flits);
                auto const b = closed_cost(given.machine.allowance, timing, more, flits);
                EXPECT_LE(a.first.lower, b.first.lower) << where << what << fifo << " " << flits;
                EXPECT_LE(a.first.value, b.first.value) << where << what << fifo << " " << flits;
                EXPECT_LE(a.further.lower, b.further.lower) << where << what << fifo << " " << flits;
                EXPECT_LE(a.further.value, b.further.value) << where << what << fifo << " " << flits;
            }
        }
    }
    void stages() const {
        ASSERT_EQ(min.fixed().size(), layer.fixed().size()) << where;
        for (std::size_t i = 0; i < min.fixed().size(); ++i)
            cost(min.fixed()[i], layer.fixed()[i], " fixed stage " + std::to_string(i) + " ");
        for (std::int64_t const context : {1, 7, 300}) {
            cost(min.append(), layer.query_gather(), " query gather ");
            cost(min.query(context), layer.owners(context).query, " query ");
            cost(min.sum(context), layer.owners(context).sum, " sum ");
        }
    }
    void counts() const {
        EXPECT_LE(min.fill(), layer.fill()) << where;
        EXPECT_LE(min.fill_links(), layer.fill_links()) << where;
        EXPECT_LE(min.min_columns(), layer.placement().used_cols) << where;
        EXPECT_GE(min.max_columns(), layer.placement().used_cols) << where;
        for (std::int64_t const context : {1, 7, 300}) {
            auto const loads = layer.loads(context);
            EXPECT_LE(min.busiest_router(context), loads.busiest_router) << where;
            EXPECT_LE(min.busiest_link(context), loads.busiest_link) << where;
            EXPECT_GE(min.max_on_a_link(), loads.busiest_link) << where;
            EXPECT_EQ(min.owners(context), layer.program().holder_count(context)) << where;
            EXPECT_EQ(min.keys_per_router(context), layer.program().keys_per_router(context)) << where;
        }
        auto const here = count_mesh(given.machine, given.design, given.parts, layer);
        auto const any = min_counts(given.machine, given.design, given.parts, min);
        ASSERT_EQ(any.max_owners, here.max_owners) << where;
        for (std::int64_t owners = 0; owners <= any.max_owners; owners += 1 + owners / 8) {
            EXPECT_LE(any.holder_routes(owners).mean, here.holder_routes(owners).mean * (1.0 + 1e-12))
                << where << owners;
            EXPECT_LE(any.holder_routes(owners).links, here.holder_routes(owners).links * (1.0 + 1e-12))
                << where << owners;
        }
    }
};

TEST(LayerLowerBound, is_never_above_any_placement) {
    int looked = 0;
    for (char const* model : {"opt-125m", "llama-3.2-1b", "llada-moe-7b-a1b", "qwen2.5-0.5b"}) {
        for (auto const& setting : std::vector<Setting>{{"kv_pool", "layer"},
                                                        {"kv_pool", "colocated"},
                                                        {"kv_pool", "attention"},
                                                        {"mesh_rows", "5"},
                                                        {"mesh_cols", "40"},
                                                        {"crossbar", "512"},
                                                        {"machine", "leap-a"},
                                                        {"mesh_rows", "1"}}) {
            Given const given(Settings{
                {"llm", model}, {"mesh_rows", "16"}, {"mesh_cols", "16"}, {"input", "40"}, {"output", "24"}, setting});
            for (std::uint64_t seed = 0; seed < 24; ++seed) {
                PlacedLayer const layer(given.machine, given.key(random_genes(given, seed)));
                if (!layer.fits()) continue;
                ++looked;
                LayerLowerBound const min(given.machine, layer.program().key());
                Looked const at{given, layer, min, std::string(model) + " " + setting.first + " " + setting.second};
                at.stages();
                at.counts();
            }
        }
    }
    EXPECT_GT(looked, 200);
}

}  // namespace
}  // namespace pimdse::models::cim_mesh::test::layer_lower_bound_test
