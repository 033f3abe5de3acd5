#include "models/catalogue.hpp"
#include "models/contract/constants.hpp"
#include "sim/base/quantity_text.hpp"
#include "small_points.hpp"
#include "tests/support/campaign.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>

/// Points of equal cycle keys have equal metrics, bit for bit; and the points that are compared would show it if a key
/// left anything out. The campaign tries many more of both.
namespace pimdse::laws::keys_test {
namespace {

using models::Architecture;
using models::Fidelity;
using models::Metrics;
using models::no_declaration;
using Values = std::vector<models::Value>;

using tests::in_campaign;

struct Pair {
    Values a, b;
};

/// A key that leaves out a part, or takes a declaration to hold everywhere.
struct Mutant {
    std::size_t parameter = 0;
    std::size_t widened = no_declaration;
};

bool same_number(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

bool same_estimates(Metrics const& a, Metrics const& b) {
    return std::ranges::equal(a, b, [](auto const& x, auto const& y) {
        return same_number(x.value, y.value) && same_number(x.lower, y.lower) && same_number(x.upper, y.upper);
    });
}

/// A file in which half of the architecture's constants with a fraction are up to one percent smaller. Allowances stay:
/// no own file may change them.
std::string other_constants(Architecture const& architecture, std::uint64_t seed) {
    std::string changed;
    Bits bits(seed);
    auto const shipped = models::constants_of(architecture);
    for (auto const& [name, constant] : shipped.all()) {
        double const value = constant.si / sim::parse_unit(constant.unit.empty() ? "1" : constant.unit).in_si;
        if (std::abs(value - std::round(value)) < 1e-9) continue;
        double const smaller = bits.below(2) == 0 ? 0.0 : 0.01 * static_cast<double>(bits.below(1001)) / 1000.0;
        if (smaller > 0.0)
            changed += fmt::format("[{}]\nvalue = {:.9g}\nunit = \"{}\"\nsource = \"drawn\"\n", name,
                                   value * (1.0 - smaller), constant.unit);
    }
    auto const file =
        std::filesystem::path(::testing::TempDir()) / fmt::format("{}_{}_{}.toml", architecture.name, seed, ::getpid());
    std::ofstream(file) << changed;
    return file.string();
}

class Keys : public ::testing::TestWithParam<Architecture const*> {
  protected:
    void SetUp() override {
        ASSERT_NE(architecture().proofs.cycle_key, nullptr);
        ASSERT_NE(parts().make, nullptr);
        declarations_ = parts().declarations();
    }

    Architecture const& architecture() const { return *GetParam(); }
    models::KeyParts const& parts() const { return architecture().proofs.key_parts; }
    models::Inputs const& inputs() const { return drawer_.inputs(); }
    models::CycleKey key(Values const& point) const { return architecture().proofs.cycle_key(inputs(), point); }

    bool feasible(Values const& point) const {
        return std::holds_alternative<Metrics>(architecture().evaluate(inputs(), point, Fidelity::analytic));
    }
    /// Whether both are feasible at the finest fidelity, and what they are there is the same; nothing if neither is.
    std::optional<bool> same_at_finest(Pair const& pair) const {
        auto const finest = architecture().fidelities.back();
        auto const a = architecture().evaluate(inputs(), pair.a, finest);
        auto const b = architecture().evaluate(inputs(), pair.b, finest);
        auto const *x = std::get_if<Metrics>(&a), *y = std::get_if<Metrics>(&b);
        if (x == nullptr && y == nullptr) return std::nullopt;
        return x != nullptr && y != nullptr && same_estimates(*x, *y);
    }
    std::string shown(Pair const& pair) const { return drawer_.shown(pair.a) + " and " + drawer_.shown(pair.b); }

    std::size_t parameter_of(std::size_t declaration) const {
        return static_cast<std::size_t>(
            models::find_parameter(inputs().parameters, declarations_[declaration].parameter));
    }

    /// Points that differ in this parameter, and sometimes in another, and that `wanted` accepts; nothing after many
    /// tries.
    std::optional<Pair> draw(std::size_t parameter, bool whole_range, std::function<bool(Pair const&)> const& wanted) {
        for (int tries = 200000; tries > 0; --tries) {
            Pair pair{drawer_.point(), {}};
            pair.b = pair.a;
            auto const change = [&](std::size_t which) {
                pair.b[which] = whole_range ? drawer_.any(which, pair.b[which]) : drawer_.near(which, pair.b[which]);
            };
            change(parameter);
            if (pair.a == pair.b) continue;
            if (drawer_.below(2) == 0) change(drawer_.below(drawer_.parameters()));
            if (wanted(pair) && feasible(pair.a) && feasible(pair.b)) return pair;
        }
        return std::nullopt;
    }
    /// A share that is set to be exactly the measured one, which no draw is.
    bool is_met_at_one_value(std::size_t declaration) const {
        return architecture().name == "gpu" && declarations_[declaration].parameter == "attained_share";
    }

    /// A pair of equal keys because of this declaration.
    std::optional<Pair> draw_equal(std::size_t declaration) {
        auto const parameter = parameter_of(declaration);
        return draw(parameter, true, [&](Pair const& pair) {
            return pair.a[parameter] != pair.b[parameter] && key(pair.a) == key(pair.b) &&
                   parts().deciding(inputs(), pair.a)[parameter] == declaration;
        });
    }

    models::CycleKey key_of(Mutant const& mutant, Values const& point) const {
        auto const maker = parts().make(inputs(), point, mutant.widened);
        return mutant.widened == no_declaration ? maker.key(mutant.parameter) : maker.key();
    }
    std::vector<Mutant> mutants() const {
        std::vector<Mutant> all;
        for (std::size_t p = 0; p < inputs().parameters.size(); ++p) all.push_back({p, no_declaration});
        for (std::size_t i = 0; i < declarations_.size(); ++i) {
            if (!declarations_[i].always) all.push_back({parameter_of(i), i});
        }
        return all;
    }
    std::string name_of(Mutant const& mutant) const {
        std::string const name = drawer_.name(mutant.parameter);
        return mutant.widened == no_declaration ? name
                                                : name + ": " + std::string(declarations_[mutant.widened].because);
    }
    /// Compares pairs whose keys the mutant makes equal, until one is not.
    struct Tried {
        int pairs = 0;
        bool noticed = false;
    };
    Tried try_mutant(Mutant const& mutant, int max) {
        Tried tried;
        while (tried.pairs < max && !tried.noticed) {
            auto const pair = draw(mutant.parameter, false, [&](Pair const& p) {
                return key_of(mutant, p.a) == key_of(mutant, p.b) && key(p.a) != key(p.b);
            });
            if (!pair) break;
            ++tried.pairs;
            tried.noticed = same_at_finest(*pair) == false;
        }
        return tried;
    }

    PointDrawer drawer_{architecture(), 20261125};
    std::vector<models::KeyDeclaration> declarations_;
};

TEST_P(Keys, are_what_their_parts_are) {
    for (int n = 0; n < 200; ++n) {
        auto const point = drawer_.point();
        auto const maker = parts().make(inputs(), point, no_declaration);
        EXPECT_EQ(maker.key(), key(point)) << drawer_.shown(point);
        EXPECT_EQ(maker.parts(), inputs().parameters.size());
    }
}

TEST_P(Keys, are_equal_only_where_metrics_are_and_every_declaration_is_met) {
    std::size_t const wanted = in_campaign() ? 240 : 20;
    std::size_t const of_each = (wanted + declarations_.size() - 1) / declarations_.size();
    std::size_t compared = 0;
    tests::Turns turns(4);
    for (std::size_t i = 0; i < declarations_.size(); ++i) {
        if (!turns.next()) continue;
        for (std::size_t n = 0; n < of_each && !is_met_at_one_value(i); ++n) {
            auto const pair = draw_equal(i);
            ASSERT_TRUE(pair) << declarations_[i].parameter << ": " << declarations_[i].because;
            auto const same = same_at_finest(*pair);
            if (same) ++compared;
            EXPECT_NE(same, false) << shown(*pair) << ": " << declarations_[i].because;
        }
    }
    EXPECT_GE(compared, in_campaign() ? 200U : 5U);
}

/// Equal keys under constants of the user's own: no declaration rests on the shipped ones.
TEST_P(Keys, hold_with_other_constants) {
    int files = 0;
    for (std::uint64_t seed = 1; seed <= 40 && files < (in_campaign() ? 5 : 1); ++seed) {
        try {
            drawer_ = PointDrawer(architecture(), seed, other_constants(architecture(), seed));
        } catch (sim::InputError const&) {
            continue;  // not every set of constants is one of a machine
        }
        ++files;
        tests::Turns turns(4);
        for (std::size_t i = 0; i < declarations_.size(); ++i) {
            if (!turns.next() || is_met_at_one_value(i)) continue;
            auto const pair = draw_equal(i);
            ASSERT_TRUE(pair) << declarations_[i].parameter << ": " << declarations_[i].because;
            EXPECT_NE(same_at_finest(*pair), false) << shown(*pair) << ": " << declarations_[i].because;
        }
    }
    EXPECT_GT(files, 0);
}

/// Mutants that change no key on their own: whatever else must differ, or stand, so that only this part does is told by
/// another part, too.
std::vector<std::string> redundant_of_architecture(std::string_view architecture) {
    if (architecture == "umdam") {
        // The widths of a mapping's fields are in its text, rules of feasibility are in no key, and what only one way
        // of generating uses is marked as such.
        return {"channels", "ranks",           "bank_groups", "banks",     "row_bytes",
                "density",  "ignore_capacity", "split_k",     "generation"};
    }
    // Requests and their parameters are marked as such.
    if (architecture == "upmem") return {"scope", "scope: without a model there is no request"};
    // So are modes, scopes and kinds of generation.
    if (architecture == "dplena")
        return {"mode", "scope", "sram_limit", "generation",
                // the positions of a pass are the block that is sampled
                "draft"};
    // Crossbars hold no second model, so that draft_llm is a rule.
    if (architecture == "cim_mesh")
        return {"generation", "shape", "shape: only placement = genes reads it", "draft_llm"};
    if (architecture == "gpu") return {"generation"};
    return {};
}

/// Of the number of devices and its divisions, each follows from the others.
std::vector<std::string> redundant(std::string_view architecture) {
    auto all = redundant_of_architecture(architecture);
    for (auto const* name : {"devices", "tensor_parallel", "pipeline_parallel", "expert_parallel", "data_parallel",
                             "tensor_parallel: 0 stands for the devices that the other divisions leave"})
        all.emplace_back(name);
    return all;
}

TEST_P(Keys, miss_nothing_that_a_mutant_leaves_out) {
    auto const all = mutants();
    auto const known = redundant(architecture().name);
    std::size_t const every = in_campaign() ? 1 : 16;
    for (std::size_t i = drawer_.below(every); i < all.size(); i += every) {
        auto const name = name_of(all[i]);
        bool const is_redundant = std::ranges::find(known, name) != known.end();
        if (is_redundant && !in_campaign()) continue;
        auto const tried = try_mutant(all[i], is_redundant ? 5 : 60);
        EXPECT_EQ(tried.noticed, !is_redundant) << name << ": " << tried.pairs << " pairs whose keys it makes equal";
    }
}

std::vector<Architecture const*> everyone() {
    std::vector<Architecture const*> all;
    for (auto const& architecture : models::catalogue()) all.push_back(&architecture);
    return all;
}

/// A machine that is never asked for an operator alone has no row for it: no point would meet it.
TEST_P(Keys, say_what_an_operator_alone_leaves_out_where_one_may_be_asked_for) {
    auto const is_of_alone = [](models::KeyDeclaration const& row) {
        return row.because.find("operator alone") != std::string_view::npos;
    };
    EXPECT_EQ(std::ranges::any_of(declarations_, is_of_alone), architecture().name == "dplena");
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Keys, ::testing::ValuesIn(everyone()),
                         [](auto const& param) { return std::string(param.param->name); });

}  // namespace
}  // namespace pimdse::laws::keys_test
