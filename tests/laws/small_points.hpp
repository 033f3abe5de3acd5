#pragma once

#include "models/contract/architecture.hpp"
#include "models/contract/validation.hpp"
#include "random_point.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Random points of an architecture that are simulated in milliseconds, over models and kernels of a test's own, too.
namespace pimdse::laws {

struct SmallPoints {
    std::vector<std::pair<std::string, std::string>> base;  ///< what random points begin at
    std::map<std::string, std::vector<std::string>> only =
        {};  ///< values of some parameters: of a choice all, of a number half of those drawn
};

inline std::string own(std::string const& file) { return std::string(PIMDSE_TEST_DATA) + "/keys/" + file; }

inline SmallPoints small_points_of(std::string_view architecture) {
    std::vector<std::string> const models{own("tiny.toml"), own("tiny_wider.toml"), own("tiny_diffusion.toml")};
    if (architecture == "umdam")
        return {{{"llm", models[0]}, {"input", "16"}, {"output", "8"}, {"block_length", "4"}, {"steps", "2"}},
                // A first level is feasible if it holds two tiles with their operands: none is near 0.
                {{"llm",
                  {models[0], models[1], models[2], own("tiny_kinds.toml"), own("tiny_latent.toml"),
                   own("tiny_quantized.json"), own("tiny_states.toml")}},
                 {"npu_l1", {"0", "65536", "262144", "1048576"}}}};
    if (architecture == "upmem")
        return {{{"elements", "4096"}, {"input", "8"}, {"output", "4"}},
                {{"llm", {"none", "none", models[0], models[1]}},
                 {"kernel",
                  {"va", "alu1", "mutex", "red", "gemv-int8", "gemv-rows", "bs", "ts", "trns", "mlp", "hst-s", "sel",
                   "micro-add-int32", "va-paper-start", own("passes.toml")}}}};
    if (architecture == "dplena")
        return {{{"llm", models[0]},
                 {"vlen", "128"},
                 {"vocab", "2048"},
                 {"batch", "2"},
                 {"block_length", "8"},
                 {"steps", "2"},
                 {"matrix_depth", "64"},
                 {"matrix_block", "16"},
                 {"generation_length", "16"},
                 {"input", "16"}},
                {{"llm", models},
                 {"v_chunk", {"0", "512", "1024", "2048"}},
                 {"vocab", {"512", "1024", "2048"}},
                 {"block_length", {"1", "8"}},
                 {"steps", {"1", "2"}},
                 {"model_bandwidth", {"0 GB/s", "1 GB/s", "20 GB/s"}}}};
    if (architecture == "cim_mesh")
        return {{{"llm", models[0]},
                 {"input", "32"},
                 {"output", "8"},
                 {"block_length", "4"},
                 {"steps", "2"},
                 {"mesh_rows", "8"},
                 {"mesh_cols", "8"},
                 {"crossbar", "128"}},
                {{"llm", {models[0], models[1], models[2], own("tiny_grouped.toml")}},
                 {"placement", {"packed", "searched", "judged", "genes", "genes", "genes", "genes"}},
                 {"shape", {"bands", "rectangles", "rectangles", "rectangles"}},
                 {"die_link_bits", {"0", "64", "256"}},
                 {"attention_rows", {"0", "1", "2", "4"}},
                 {"up_rows", {"0", "1", "2", "4"}},
                 {"down_rows", {"0", "2", "4", "6", "8"}}}};
    return {{{"llm", models[0]}, {"input", "32"}, {"output", "16"}, {"block_length", "4"}, {"steps", "2"}},
            {{"llm", {models[0], models[1], models[2], own("tiny_quantized.json")}}}};
}

/// Models that propose tokens are as small, on every architecture.
inline SmallPoints small_points(std::string_view architecture) {
    auto points = small_points_of(architecture);
    points.only.insert(
        {{"draft", {"0", "1", "2", "3"}}, {"draft_llm", {"none", own("tiny.toml"), own("tiny_wider.toml")}}});
    return points;
}

/// Draws points and values; see SmallPoints.
class PointDrawer {
  public:
    /// `more`: what random points begin at, and values of parameters, in addition.
    PointDrawer(models::Architecture const& architecture, std::uint64_t seed, std::string const& constants = {},
                SmallPoints const& more = {})
        : parameters_(architecture.parameters()), bits_(seed) {
        auto small = small_points(architecture.name);
        small.base.insert(small.base.end(), more.base.begin(), more.base.end());
        for (auto const& [parameter, texts] : more.only)
            small.only[parameter].insert(small.only[parameter].end(), texts.begin(), texts.end());
        std::erase_if(small.base,
                      [&](auto const& setting) { return models::find_parameter(parameters_, setting.first) < 0; });
        for (auto const& [parameter, texts] : small.only) {
            if (models::find_parameter(parameters_, parameter) < 0) continue;  // of a pair
            auto const at = static_cast<std::size_t>(models::find_parameter(parameters_, parameter));
            for (auto const& text : texts)
                drawn_[at].push_back(models::point_with(parameters_, {{parameter, text}})[at]);
        }
        base_ = models::point_with(parameters_, small.base);
        inputs_ = models::prepare(architecture, parameters_, constants);
    }

    [[nodiscard]] models::Inputs const& inputs() const { return inputs_; }
    [[nodiscard]] std::size_t parameters() const { return parameters_.size(); }
    std::uint64_t below(std::uint64_t n) { return bits_.below(n); }

    /// The base with up to 7 parameters set to values near it; half of the time a quarter of all choices, too, since
    /// conditions are mostly of choices.
    std::vector<models::Value> point() {
        auto point = base_;
        for (auto n = bits_.below(8); n > 0; --n) {
            auto const which = bits_.below(point.size());
            point[which] = near(which, point[which]);
        }
        if (bits_.below(4) == 0) form_group(point);
        bool const more = bits_.below(2) == 0;
        for (std::size_t which = 0; more && which < point.size(); ++which) {
            if (is_choice(parameters_[which]) && bits_.below(4) == 0) point[which] = near(which, point[which]);
        }
        return point;
    }
    /// Any choice, or a number within a factor of 4.
    models::Value near(std::size_t which, models::Value now) {
        constexpr std::array<double, 4> factors{0.25, 0.5, 2.0, 4.0};
        auto const& p = parameters_[which];
        if (auto const found = drawn_.find(which); found != drawn_.end() && (is_choice(p) || bits_.below(2) == 0))
            return found->second[bits_.below(found->second.size())];
        if (p.kind == models::Kind::integer && bits_.below(4) == 0)
            return whole(p, static_cast<double>(now.as_integer()) + (bits_.below(2) == 0 ? 1.0 : -1.0), now);
        double const factor = factors[bits_.below(factors.size())];
        if (p.kind == models::Kind::integer)
            return whole(p, std::max(1.0, static_cast<double>(now.as_integer())) * factor, now);
        if (p.kind == models::Kind::quantity) {
            double const from = now.as_quantity() > 0.0 ? now.as_quantity() : std::max(1e-4, 0.05 * p.upper);
            return real(p, from * factor, now);
        }
        return chosen(p, now);
    }
    /// Any value of the declared range, small and large numbers alike.
    models::Value any(std::size_t which, models::Value now) {
        auto const& p = parameters_[which];
        if (bits_.below(3) == 0) return near(which, now);
        bool const limited = p.lower != 0.0 || p.upper != 0.0;
        double const share = static_cast<double>(bits_.below(1001)) / 1000.0;
        auto const between = [&](double lower, double upper) {
            if (share == 0.0) return lower;
            double const first = lower > 0.0 ? lower : std::min(1.0, 1e-9 * upper);
            return first * std::pow(upper / first, share);
        };
        if (p.kind == models::Kind::integer)
            return whole(p, limited ? between(p.lower, p.upper) : between(1.0, 4096.0), now);
        if (p.kind == models::Kind::quantity) return real(p, between(p.lower, p.upper), now);
        return near(which, now);
    }

    [[nodiscard]] std::string shown(std::vector<models::Value> const& point) const {
        return laws::shown(parameters_, point);
    }
    [[nodiscard]] std::string const& name(std::size_t parameter) const { return parameters_[parameter].name; }

  private:
    /// Sets the parameters of a group to values that fit each other: drawn one by one, they rarely do.
    void form_group(std::vector<models::Value>& point) {
        static constexpr std::array<std::array<std::int64_t, 5>, 6> shapes{
            {{2, 0, 1, 1, 1}, {2, 1, 2, 1, 1}, {2, 1, 2, 1, 2}, {2, 0, 1, 2, 1}, {4, 2, 2, 1, 1}, {4, 2, 1, 2, 1}}};
        auto const& shape = shapes[bits_.below(shapes.size())];
        std::size_t i = 0;
        for (auto const* name : {"devices", "tensor_parallel", "pipeline_parallel", "data_parallel", "micro_batches"}) {
            int const at = models::find_parameter(parameters_, name);
            if (at < 0) return;
            point[static_cast<std::size_t>(at)] = models::Value::integer(shape[i++]);
        }
        auto const batch = static_cast<std::size_t>(models::find_parameter(parameters_, "batch"));
        if (bits_.below(2) == 0) point[batch] = models::Value::integer(4);
    }
    static bool inside(models::Parameter const& p, double value) {
        return (p.lower == 0.0 && p.upper == 0.0) ? value >= 0.0 : value >= p.lower && value <= p.upper;
    }
    static models::Value whole(models::Parameter const& p, double value, models::Value now) {
        return inside(p, std::floor(value)) ? models::Value::integer(static_cast<std::int64_t>(value)) : now;
    }
    static models::Value real(models::Parameter const& p, double value, models::Value now) {
        return inside(p, value) ? models::Value::quantity(value) : now;
    }
    static bool is_choice(models::Parameter const& p) {
        return p.kind != models::Kind::integer && p.kind != models::Kind::quantity;
    }
    models::Value chosen(models::Parameter const& p, models::Value now) {
        if (p.kind == models::Kind::flag) return models::Value::flag(bits_.below(2) == 1);
        if (p.items.size() == 4 && bits_.below(2) == 0) return models::Value::permutation(bits_.below(24));
        auto const value = models::Value::choice(bits_.below(p.choices.size()));
        return built(p, value) ? value : now;
    }

    models::Parameters parameters_;
    std::map<std::size_t, std::vector<models::Value>> drawn_;
    std::vector<models::Value> base_;
    models::Inputs inputs_;
    Bits bits_;
};

}  // namespace pimdse::laws
