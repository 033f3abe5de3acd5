#pragma once

#include "models/umdam/written_mapping.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::models::umdam::testing {

using Setting = std::vector<std::pair<std::string, std::string>>;

inline std::string printed(Setting const& setting) {
    std::string text;
    for (auto const& [name, value] : setting) text += "--set '" + name + "=" + value + "' ";
    return text;
}

/// A model of the tests' own.
inline std::string own_model(std::string const& file) { return std::string(PIMDSE_TEST_DATA) + "/keys/" + file; }

/// Points with every parameter drawn anew; small models and short outputs, so that the cycle level ends soon. The same
/// seed gives the same points on every platform.
class RandomSetting {
  public:
    explicit RandomSetting(std::uint64_t seed) : random_(seed) {}

    Setting next() {
        Setting s;
        for (auto const& [name, values] : choices()) s.emplace_back(name, values[below(values.size())]);
        s.emplace_back("input", std::to_string(skewed(1, 400)));
        s.emplace_back("output", std::to_string(skewed(1, 12)));
        s.emplace_back("queue_depth", std::to_string(skewed(1, 128)));
        s.emplace_back("npu_flops", std::to_string(skewed(1, 64)) + " TFLOP/s");
        s.emplace_back("pim_mac_interval", std::to_string(1000 + below(7001)) + " ps");
        s.emplace_back("global_buffer_elements", std::to_string(16 * skewed(1, 400)));
        s.emplace_back("coll_bits", std::to_string(static_cast<int>(below(8)) - 1));
        if (below(4) != 0) s.emplace_back("mapping", mapping());
        auto const is = [&](char const* name, char const* value) {
            return std::ranges::find(s, std::pair<std::string, std::string>(name, value)) != s.end();
        };
        if (!is("weight_bits", "16") && is("double_buffer", "true")) s.emplace_back("products", "int8");
        return s;
    }

  private:
    static std::vector<std::pair<std::string, std::vector<std::string>>> const& choices() {
        static std::vector<std::pair<std::string, std::vector<std::string>>> const table{
            {"llm",
             {"opt-125m", "opt-125m", own_model("tiny_wider.toml"), own_model("tiny_kinds.toml"),
              own_model("tiny_latent.toml"), own_model("tiny_states.toml"), "opt-350m"}},
            {"lm_head", {"skip", "skip", "skip", "skip", "auto", "npu", "pim"}},
            {"prefill_unit", {"npu", "npu", "auto", "auto", "pim"}},
            {"decode_unit", {"pim", "pim", "auto", "auto", "npu"}},
            {"pim_vectors", {"1", "1", "2", "3", "8"}},
            {"baseline",
             {"umdam", "umdam", "umdam", "relayout", "duplicate", "fused", "no_interleave", "facil", "npu_only",
              "column_in_bank", "pimnast"}},
            {"tile_width", {"0", "0", "0", "0", "0", "0", "0", "0", "0", "0", "0", "0", "8", "32", "128", "256"}},
            {"tile_order",
             {"column", "column", "column", "column", "column", "column", "column", "column", "row", "morton"}},
            {"weight_bits", {"16", "16", "16", "8", "4"}},
            {"weight_load", {"none", "none", "none", "once"}},
            {"dram", {"L5J", "L5J", "L5A", "L5B"}},
            {"channels", {"1", "2", "4", "8", "16"}},
            {"ranks", {"1", "1", "1", "2", "4"}},
            {"bank_groups", {"1", "2", "4", "4"}},
            {"banks", {"2", "4", "4", "8"}},
            {"row_bytes", {"512", "1024", "2048", "2048", "4096", "8192"}},
            {"density", {"8", "16", "32"}},
            {"scheduler", {"frfcfs", "frfcfs-rowhit"}},
            {"engines", {"1", "1", "1", "2", "4", "7"}},
            {"npu_buffer", {"1 MiB", "2 MiB", "8 MiB", "32 MiB"}},
            {"npu_l1", {"0", "0", "512 KiB", "1 MiB"}},
            {"double_buffer", {"true", "false"}},
            {"loop_order", {"kseg", "nat", "res"}},
            {"activation", {"all", "four", "single"}},
            {"attention", {"pim", "pim", "auto", "npu"}},
            {"refresh", {"all_bank", "all_bank", "none"}},
            {"batch", {"1", "1", "2", "3"}},
            {"count_first", {"true", "false"}},
            {"ignore_capacity", {"true", "true", "false"}},
            {"split_k", {"true", "false"}},
            {"row_pad", {"true", "false", "false"}},
            {"staging", {"layer", "model"}},
            {"concurrency", {"exclusive", "scheduled", "partition", "dual_row_buffer"}},
            {"mac_command", {"all", "all", "all", "single"}}};
        return table;
    }

    std::uint64_t below(std::uint64_t n) { return random_() % n; }

    /// Any order of size as likely as the next.
    std::uint64_t skewed(std::uint64_t lower, std::uint64_t upper) {
        double const share = static_cast<double>(below(1000)) / 999.0;
        return static_cast<std::uint64_t>(std::llround(
            static_cast<double>(lower) * std::pow(static_cast<double>(upper) / static_cast<double>(lower), share)));
    }

    /// Mostly orders with the row on top, some with a ColL or a hash of their own.
    std::string mapping() {
        auto items = field_items();
        for (std::size_t i = items.size() - 1, first = below(3) == 0 ? 0 : 1; i > first; --i)
            std::swap(items[i], items[first + below(i - first + 1)]);
        std::string text;
        for (auto const& item : items) {
            text += text.empty() ? item : "-" + item;
            if (item == "coll" && below(2) == 0) text += std::to_string(below(5));
        }
        static std::vector<std::string> const hashes{"x.ba.ro.0.1", "x.bg.ro.2.1", "x.ch.ro.3.1",
                                                     "x.ba.ro.6.1", "x.ba.co.0.1", "x.bg.ba.0.1"};
        if (below(3) == 0) text += " " + hashes[below(hashes.size())];
        return text;
    }

    std::mt19937_64 random_;
};

}  // namespace pimdse::models::umdam::testing
