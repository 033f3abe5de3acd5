#pragma once

#include "random_point.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pimdse::laws {

/// A rule of [run] as it was drawn.
struct DrawnRule {
    std::string pattern, on;
    bool free = false, together = false, per_token = false;
    std::string other{};     ///< a second unit, if passes choose between both
    bool by_energy = false;  ///< passes choose what takes less energy, not less time
    bool masked = false;     ///< scores that a causal mask hides are computed as well
    std::string then{};      ///< a second unit, which works after the first
    std::string beside{};    ///< pattern of the rule whose roof its operators share
};

/// A machine file that is valid, whatever it describes: 1 to 3 memories with a bandwidth or a timing set, perhaps a
/// tier or a buffer; 1 to 3 roofs, vector units and arrays, units in the banks of a memory that has them, and every
/// fifth a sampler with laws in C++; numbers that are expressions of parameters and constants, a power limit, sets of
/// components that overlap, a link, rules for both phases or for each. Every fifth is a family with two variants; of
/// every seventh, a mesh takes all passes, and of some others, ranks of DPUs, or an NPU with banks that multiply.
class RandomMachine {
  public:
    explicit RandomMachine(std::uint64_t seed)
        : bits_(seed * 104729 + 11), name_(fmt::format("drawn_{}", seed)), is_mesh_(seed % 7 == 5) {
        has_sampler_ = seed % 5 == 1 && !is_mesh_;
        is_dpu_ = seed % 11 == 3 && !is_mesh_ && !has_sampler_;
        is_npu_ = seed % 13 == 4 && !is_mesh_ && !has_sampler_ && !is_dpu_;
        is_family_ = chance(20);
        write_head();
        write_parameters();
        write_constants();
        memories_ = 1 + bits_.below(3);
        units_ = 1 + bits_.below(3);
        for (std::uint64_t m = 0; m < memories_; ++m) write_memory(m);
        for (std::uint64_t u = 0; u < units_; ++u) write_unit(u);
        write_bank_units();
        if (is_mesh_) write_mesh();
        if (is_dpu_) write_dpus();
        if (is_npu_) write_npu_with_banks();
        if (has_sampler_) write_sampler();
        if (chance(15)) write_tier();
        write_power();
        line("[link.cable]\nkind = \"link\"\nbandwidth = \"10 GB/s\"\ndevices = 1\n");
        write_run();
        if (chance(50)) line("[bounds]\nslower = {}\n", pick({"1", "1.5", "4"}));
        if (chance(30) && has("channels"))
            line("[limit.few]\nholds = \"channels >= 3 or {}\"\nreason = \"{{channels}} channels are few\"\n",
                 has("boost") ? "boost" : "hardware_view > 0");
        if (chance(30))
            line("[metric.stream]\nvalue = \"{}\"\nunit = \"B/s\"\nmeaning = \"m\"\nbetter = \"higher\"\n",
                 has_simulated_first_ ? "mem0.channels * mem0.share * 10 GB/s" : "mem0.bandwidth * mem0.share");
        line("[area]\nundivided = {{ value = \"{} mm2\", source = \"drawn\" }}\n", 1 + bits_.below(500));
    }

    [[nodiscard]] std::string const& name() const { return name_; }
    [[nodiscard]] std::string const& text() const { return text_; }
    /// Names and texts of variants, which lie beside the machine's file.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> const& variants() const { return variants_; }
    [[nodiscard]] std::vector<DrawnRule> const& rules() const { return rules_; }
    [[nodiscard]] std::vector<std::vector<std::string>> const& overlap() const { return overlap_; }
    [[nodiscard]] bool has_power_limit() const { return has_limit_; }
    /// Whether a unit reads its operands through a buffer, or an array packs heads of attention: its bytes and tiles
    /// depend on a search.
    [[nodiscard]] bool has_searched_tiles() const { return has_searched_tiles_; }
    [[nodiscard]] bool has_sampler() const { return has_sampler_; }
    [[nodiscard]] bool has_bank_units() const { return !bank_memory_.empty(); }
    [[nodiscard]] bool has_dpus() const { return is_dpu_; }
    [[nodiscard]] bool has_npu_with_banks() const { return is_npu_; }
    /// Whether a part takes whole passes.
    [[nodiscard]] bool takes_passes() const { return is_mesh_ || is_dpu_ || is_npu_; }
    [[nodiscard]] bool has_parts() const { return has_sampler_ || takes_passes(); }
    /// Whether attention may take steps as contexts grow: by tiles of an array, rows and bursts of banks, or in a part.
    [[nodiscard]] bool has_steps() const { return has_bank_units() || has_arrays_ || takes_passes(); }
    /// Whether passes choose between two units by what this measures.
    [[nodiscard]] bool chooses_by(bool energy) const {
        for (auto const& rule : rules_)
            if (!rule.other.empty() && rule.by_energy == energy) return true;
        return false;
    }
    /// Whether passes choose who attends: tokens of a batch do it once, those of a service in each step.
    [[nodiscard]] bool chooses_who_attends() const {
        for (auto const& rule : rules_)
            if (!rule.other.empty() && rule.pattern.find("attention") != std::string::npos) return true;
        return false;
    }
    /// The machine with one rate, of a memory or a unit, doubled; there are `rates()` of them.
    [[nodiscard]] std::size_t rates() const { return rate_lines_.size(); }
    [[nodiscard]] std::string with_rate_doubled(std::size_t rate) const {
        auto const& [before, after] = rate_lines_[rate];
        auto text = text_;
        return text.replace(text.find(before), before.size(), after);
    }
    [[nodiscard]] std::string const& rate(std::size_t at) const { return rate_lines_[at].first; }

  private:
    bool chance(std::uint64_t percent) { return bits_.below(100) < percent; }
    std::string pick(std::vector<std::string> const& of) { return of[bits_.below(of.size())]; }
    bool has(std::string const& parameter) const { return parameters_.contains(parameter); }
    template <class... Parts>
    void line(fmt::format_string<Parts...> format, Parts&&... parts) {
        text_ += fmt::format(format, std::forward<Parts>(parts)...);
    }
    double between(double lower, double upper) {
        return lower + (upper - lower) * static_cast<double>(bits_.below(1000)) / 1000.0;
    }

    void write_head() {
        line("schema = 1\nname = \"{}\"\nsummary = \"drawn\"\n[format]\n", name_);
        formats_ = {"fp16"};
        if (chance(60)) formats_.emplace_back("int8");
        if (chance(30)) formats_.emplace_back("fp8");
        if (is_mesh_ || is_dpu_) formats_ = {"int8"};
        if (is_npu_) formats_ = {"fp16"};
        line("products = [\"{}\"]\n", fmt::join(formats_, "\", \""));
        if (chance(60) && !is_npu_) line("cache = [\"fp16\", \"8bit\"]\n");
        if (chance(30)) line("logit = \"{} B\"\n", pick({"2", "4", "8"}));
    }

    void add_parameter(std::string const& name, std::string const& keys) {
        if (!chance(75)) return;
        parameters_.insert(name);
        line("[parameter.{}]\n{}meaning = \"drawn\"\n", name, keys);
    }

    void write_parameters() {
        add_parameter("channels", "default = 8\nlimits = [1, 64]\nresource = true\n");
        add_parameter("clock", "default = \"1 GHz\"\nlimits = [\"0.2 GHz\", \"3 GHz\"]\nunit = \"GHz\"\n");
        add_parameter("factor", "default = 0.5\nlimits = [0.1, 1]\n");
        add_parameter("pause", "default = \"1 us\"\nlimits = [0, 50]\nunit = \"us\"\n");
        add_parameter("boost", "default = false\n");
        add_parameter("grade", "choices = [\"a\", \"b\", \"c\"]\n");
        if (!is_family_) return;
        line("[parameter.board]\nfiles = [\"{0}_one.toml\", \"{0}_two.toml\"]\nmeaning = \"drawn\"\n", name_);
        for (std::string const which : {"one", "two"}) {
            auto const board = name_ + "_" + which;
            variants_.emplace_back(board + ".toml",
                                   fmt::format("schema = 1\nbase = \"{}.toml\"\nname = \"{}\"\nsummary = \"drawn\"\n"
                                               "[constant.own]\nvalue = {:.3f}\nunit = \"1\"\nsource = \"drawn\"\n",
                                               name_, board, between(0.3, 1.0)));
        }
    }

    void write_constants() {
        line("[constant.share]\nvalue = {:.3f}\nunit = \"1\"\nsource = \"drawn\"\nassumed = true\n", between(0.2, 0.9));
        if (!is_family_) line("[constant.own]\nvalue = {:.3f}\nunit = \"1\"\nsource = \"drawn\"\n", between(0.3, 1.0));
        line("[constant.per_bit]\nvalue = 0.3\nunit = \"pJ/bit\"\nsource = \"every machine\"\n");
        line("[constant.die]\nvalue = 2\nunit = \"mm2\"\nsource = \"every machine\"\n");
        // Something reads each constant, whatever is drawn.
        line("[number.every_constant]\nvalue = \"share * own * per_bit / per_bit * die / die\"\nunit = \"1\"\n");
    }

    /// About so many of a unit, as an expression.
    std::string expression(double value, std::string const& unit, int depth = 2) {
        auto const plain = fmt::format("{:.4g} {}", value * between(0.7, 1.4), unit);
        auto const below_it = [&] { return expression(value, unit, depth - 1); };
        if (depth == 0) return plain;
        switch (bits_.below(12)) {
            case 0:
                return has("channels") ? fmt::format("channels * {:.4g} {}", value / 8.0, unit) : plain;
            case 1:
                return has("clock") ? fmt::format("clock / 1 GHz * ({})", below_it()) : plain;
            case 2:
                return has("factor") ? fmt::format("(0.5 + factor) * ({})", below_it()) : plain;
            case 3:
                return has("boost") ? fmt::format("if(boost, {}, {})", below_it(), below_it()) : plain;
            case 4:
                return has("grade") ? fmt::format("if(grade == b, {}, {})", below_it(), below_it()) : plain;
            case 5:
                return fmt::format("min({}, {})", below_it(), below_it());
            case 6:
                return fmt::format("max({}, {})", below_it(), below_it());
            case 7:
                return has("channels") ? fmt::format("ceil(channels / 3) * {:.4g} {}", value / 3.0, unit) : plain;
            case 8:
                return fmt::format("own * ({})", below_it());
            case 9:
                return has("clock") ? fmt::format("{} - (3 GHz - clock) / 6 GHz * ({})", plain, plain) : plain;
            default:
                return plain;
        }
    }
    std::string part() {
        return has("factor") ? pick({"share", "0.8", "factor", "min(1, factor + 0.3)", "share * own"})
                             : pick({"share", "0.8", "1", "share * own"});
    }

    void write_rate(std::string const& component, std::string const& key, std::string const& value) {
        auto const comment = fmt::format(" # {}.{}\n", component, key);
        auto const before = fmt::format("{} = \"{}\"{}", key, value, comment);
        text_ += before;
        rate_lines_.emplace_back(before, fmt::format("{} = \"2 * ({})\"{}", key, value, comment));
    }

    void write_die(std::string const& component) {
        if (chance(50)) line("area = \"{} + die\" # {}\n", expression(40.0, "mm2", 1), component);
        if (chance(40)) line("static_power = \"{}\"\n", expression(4.0, "W", 1));
    }

    void write_memory(std::uint64_t m) {
        auto const name = fmt::format("mem{}", m);
        bool const simulated = chance(35);
        has_simulated_first_ = has_simulated_first_ || (m == 0 && simulated);
        line("[memory.{}]\nkind = \"{}\"\n", name, simulated ? "dram" : "rate");
        if (simulated) {
            auto const timing = pick({"D4_3200", "lpddr5x_8533", "lpddr5x_9600_pim", "gddr6_aim", "hbm2_pim"});
            line("timing = \"{}\"\nchannels = \"{}\"\n", timing, has("channels") ? "2 * channels" : "16");
            if (timing != "D4_3200" && timing != "lpddr5x_8533" && chance(70)) bank_memory_ = name;
        } else {
            write_rate(name, "bandwidth", expression(between(50.0, 3000.0), "GB/s"));
            if (chance(30)) write_rate(name, "write_bandwidth", expression(between(50.0, 3000.0), "GB/s", 1));
        }
        if (chance(60)) line("share = \"{}\"\n", part());
        if (chance(30)) line("clock_share = {:.2f}\n", between(0.0, 1.0));
        line("capacity = \"{} GiB\"\nmemory_area = \"{} mm2\"\n", 20 + bits_.below(400), 1 + bits_.below(900));
        if (chance(50)) line("usable = 0.9\n");
        if (chance(20)) line("working_power = \"{}\"\n", expression(2.0, "W", 1));
        write_die(name);
        if (simulated && chance(50)) return;  // energies of the timing set
        line("[memory.{}.energy]\n", name);
        for (auto const* row : {"dram_array", "dram_interface", "sram", "interconnect"})
            if (chance(50)) line("{} = \"{} + per_bit\"\n", row, expression(between(0.1, 5.0), "pJ/bit", 1));
    }

    void write_tier() {
        if (has_buffer_ || memories_ == 3) return;
        line("[memory.far]\nkind = \"tier\"\ncapacity = \"{} GiB\"\ncost = \"2 USD/GiB\"\n", 64 + bits_.below(512));
        line("bandwidth = \"{}\"\n", expression(between(10.0, 100.0), "GB/s", 1));
        if (chance(50)) line("static_power = \"{}\"\n", expression(3.0, "W", 1));
    }

    /// A buffer beside the arrays: one at most, as a machine has at most four memories.
    void write_buffer() {
        line("[memory.buffer]\nkind = \"rate\"\ncapacity = \"{} MiB\"\n", 1 + bits_.below(16));
        if (chance(50)) line("bandwidth = \"{}\"\n", expression(between(2000.0, 20000.0), "GB/s", 1));
        line("[memory.buffer.energy]\nsram = \"{}\"\n", expression(0.3, "pJ/bit", 1));
    }

    void write_array(std::string const& name) {
        line("rows = {}\ncolumns = {}\n", 8 << bits_.below(5), 8 << bits_.below(5));
        line("count = \"{}\"\n", has("channels") ? "channels" : "4");
        if (chance(50)) line("fill = {}\n", bits_.below(100));
        bool const is_tiled = chance(40);
        if (is_tiled) line("tile = {}\n", 1 << bits_.below(6));
        if (is_tiled && chance(30) && !packs_heads_) {
            line("packed = 1\n");
            has_searched_tiles_ = packs_heads_ = true;
        }
        if (chance(30) && memories_ < 4) {
            line("buffer = \"buffer\"\n");
            has_buffer_ = has_searched_tiles_ = true;
        }
        write_rate(name, "frequency", has("clock") ? "clock" : "1.2 GHz");
    }

    void write_unit(std::uint64_t u) {
        auto const name = fmt::format("unit{}", u);
        auto const kind = u == 0 ? "roof" : pick({"roof", "vector", "array", "array"});
        line("[compute.{}]\nkind = \"{}\"\n", name, kind);
        if (kind == "roof") {
            if (!packs_heads_ && chance(25)) {  // one unit fills tiles of queries
                line("tile = {}\n", 2 << bits_.below(6));
                packs_heads_ = true;
            }
            if (chance(15)) {
                line("tile_buffer = \"{} KiB\"\n", 16 << bits_.below(10));
                has_tile_buffer_ = has_searched_tiles_ = true;
            }
            write_rate(name, "rate", expression(between(1.0, 400.0), "TFLOP/s"));
        } else if (kind == "array") {
            has_arrays_ = true;
            write_array(name);
        } else {
            line("lanes = \"{}\"\nper_cycle = {}\n", has("channels") ? "channels * 64" : "512", 1 + bits_.below(4));
            write_rate(name, "frequency", has("clock") ? "clock" : "1.2 GHz");
        }
        if (chance(60)) line("share = \"{}\"\n", part());
        write_die(name);
        if (chance(80))
            line("[compute.{}.energy]\narithmetic = \"{}\"\n", name, expression(between(0.05, 2.0), "pJ/FLOP", 1));
    }

    void write_bank_units() {
        if (has_buffer_) write_buffer();
        if (!has_bank_units()) return;
        line("[compute.banks]\nkind = \"bank_pim\"\nmemory = \"{}\"\n", bank_memory_);
        if (chance(20)) line("value_channels = 8\n");
        if (chance(20)) line("standby_share = \"{}\"\n", part());
        write_die("banks");
    }

    /// Its keys are numbers of parameters and constants as those of any unit.
    void write_mesh() {
        line("[compute.tiles]\nkind = \"mesh\"\nschedule = \"{}\"\n", pick({"serial", "tree"}));
        line("mesh_rows = \"{}\"\n", has("channels") ? "16 + channels" : "32");
        line("frequency = \"{}\"\n", has("clock") ? "clock" : "0.8 GHz");
        line("scratchpad = \"{} KiB\"\n", 64 << bits_.below(3));
        if (chance(50)) line("link_bits = \"{} bit\"\n", 32 << bits_.below(3));
        if (chance(50)) line("layer_overhead = \"{}\"\n", has("pause") ? "pause" : "1 us");
        if (chance(50)) line("parallel_columns = {}\n", 1 << bits_.below(9));
        if (chance(30)) line("area = \"die\"\nstatic_power = \"{}\"\n", expression(2.0, "W", 1));
    }

    void write_dpus() {
        line("[compute.tiles]\nkind = \"dpu\"\nranks = 40\n");
        line("dpus = \"{}\"\n", has("channels") ? "2048 + channels" : "2048");
        line("frequency = \"{}\"\n", has("clock") ? "300 MHz + clock / 20" : "0.4 GHz");
        if (chance(50)) line("tasklets = {}\n", 1 + bits_.below(16));
        if (chance(50)) line("layer_overhead = \"{}\"\n", has("pause") ? "pause" : "1 us");
        if (chance(50)) line("parameters = [\"loading\"]\n");
        if (chance(30)) line("transfer = \"{}\"\nmram_bandwidth = \"500 MB/s\"\n", pick({"parallel", "serial"}));
        if (chance(30)) line("area = \"die\"\nstatic_power = \"{}\"\n", expression(2.0, "W", 1));
    }

    void write_npu_with_banks() {
        line("[compute.tiles]\nkind = \"pim_npu\"\nchannels = \"{}\"\nranks = 4\n",
             has("channels") ? "min(64, 4 * channels)" : "32");
        line("npu_flops = \"{}\"\n", has("clock") ? "clock / 1 GHz * 16 TFLOP/s" : "8 TFLOP/s");
        line("attention = \"{}\"\n", pick({"auto", "npu", "pim"}));
        line("concurrency = \"{}\"\n", pick({"exclusive", "partition", "dual_row_buffer", "scheduled"}));
        if (chance(50)) line("baseline = \"{}\"\n", pick({"relayout", "duplicate", "npu_only", "pimnast"}));
        if (chance(50)) line("decode_unit = \"{}\"\nprefill_unit = \"auto\"\n", pick({"npu", "pim"}));
        if (chance(50)) line("layer_overhead = \"{}\"\n", has("pause") ? "pause" : "1 us");
        if (chance(30)) line("weight_load = \"once\"\n");
        if (chance(50)) line("parameters = [\"refresh\", \"pim_vectors\"]\n");
        if (chance(30)) line("area = \"die\"\nstatic_power = \"{}\"\n", expression(2.0, "W", 1));
    }

    /// A part with laws in C++: keys that are numbers, texts, parameters and defaults.
    void write_sampler() {
        line("[compute.sampler]\nkind = \"sampler\"\nparameters = [\"refresh\", \"confidence_threshold\"]\n");
        line("vlen = \"{}\"\nmode = \"{}\"\n", has("channels") ? "64 * channels" : "512",
             pick({"performance", "edge"}));
        if (has("channels")) line("channels = \"channels\"\n");
        if (chance(30)) line("temperature = 0.7\n");
        if (chance(30)) line("overlap = \"prefetch\"\nbuffers = 2\n");
        if (chance(30)) line("remasking = \"threshold\"\n");
        write_die("sampler");
    }

    void write_power() {
        has_limit_ = chance(35);
        line("[power]\nidle = \"{}\"\n", expression(between(5.0, 60.0), "W", 1));
        if (!has_limit_) return;
        line("limit = \"power.idle + {}\"\n", expression(between(30.0, 300.0), "W", 1));
        if (chance(70)) line("voltage_floor = {:.2f}\nlowest_clock = {:.2f}\n", between(0.2, 1.0), between(0.1, 1.0));
    }

    /// A vector unit; "": there is none.
    std::string vector_unit() {
        auto const at = text_.find("kind = \"vector\"");
        if (at == std::string::npos) return "";
        auto const name = text_.rfind("[compute.", at) + std::string("[compute.").size();
        return text_.substr(name, text_.find(']', name) - name);
    }
    /// Whether all products by weights are computed together on one unit that is no vector unit.
    bool shares_roof() {
        return rules_.size() > 1 && rules_[1].together && rules_[1].other.empty() && !rules_[1].free &&
               rules_[1].on != vector_unit() && !rules_[1].on.empty();
    }
    std::string a_unit() { return fmt::format("unit{}", bits_.below(units_)); }

    void add_rule(std::string const& pattern, bool multiplies) {
        DrawnRule rule{pattern, "", false, chance(30), multiplies && chance(8)};
        auto const kind = bits_.below(10);
        std::string keys;
        if (kind < 7 || pattern == "*.weights") {
            rule.on = multiplies && has_bank_units() && chance(25) ? "banks" : a_unit();
            keys = fmt::format("on = \"{}\"", rule.on);
            bool const attends = pattern.find("attention") != std::string::npos;
            bool const may_choose =
                attends || pattern.find("weights") != std::string::npos || pattern.ends_with("lm_head");
            auto other = has_bank_units() && chance(50) ? std::string("banks")
                         : attends                      ? std::string("unit0")
                                                        : a_unit();
            if (may_choose && other != rule.on && chance(60)) {
                rule.other = std::move(other);
                rule.by_energy = chance(25);
                keys = fmt::format("on = [\"{}\", \"{}\"], choose = \"{}\"", rule.on, rule.other,
                                   rule.by_energy ? "energy" : "time");
            }
            if (!multiplies || chance(10)) keys += fmt::format(", work = {}", bits_.below(6));
            if (chance(15)) keys += fmt::format(", reads = {}", pick({"1.5", "2", "3"}));
            if (rule.per_token) keys += ", repeat = \"tokens\"";
            if (chance(15)) keys += fmt::format(", wait = \"{}\", sends = \"3 kB\"", has("pause") ? "pause" : "2 us");
            rule.masked = attends && chance(25);
            if (rule.masked) keys += ", masked = true";
            if (!has_tile_buffer_ && chance(15)) keys += ", moves = \"2 B\"";
            if (pattern.size() % 4 == 0) keys += ", kernel = \"5 us\", task = \"0.1 us\"";
        } else if (kind < 9) {
            keys = fmt::format("wait = \"{}\"", has("pause") ? "pause / 2" : "1 us");
        } else {
            rule.free = true;
            keys = "free = \"drawn\"";
        }
        if (auto const vectors = vector_unit(); pattern == "*.softmax" && !vectors.empty() && shares_roof()) {
            rule = {pattern, vectors, false, true, false};
            rule.beside = rules_[1].pattern;
            line("\"{}\" = {{ on = \"{}\", work = {}, beside = \"{}\" }}\n", pattern, vectors, bits_.below(6),
                 rule.beside);
            rules_.push_back(rule);
            return;
        }
        if (!multiplies && rule.other.empty() && !rule.free && chance(15)) {
            rule.then = a_unit();
            rule.together = false;
            line("\"{}\" = [{{ {} }}, {{ on = \"{}\", work = {} }}]\n", pattern, keys, rule.then, 1 + bits_.below(5));
            rules_.push_back(rule);
            return;
        }
        if (rule.together && !rule.free) keys += ", together = true";
        line("\"{}\" = {{ {} }}\n", pattern, keys);
        rules_.push_back(rule);
    }

    void write_run() {
        line("[run]\n");
        auto const names = [&](std::uint64_t from) {
            std::vector<std::string> set;
            for (std::uint64_t m = 0; m < memories_; ++m)
                if (chance(60)) set.push_back(fmt::format("mem{}", m));
            for (std::uint64_t u = from; u < units_; ++u)
                if (chance(60)) set.push_back(fmt::format("unit{}", u));
            return set;
        };
        for (auto sets = bits_.below(3); sets > 0; --sets)
            if (auto set = names(0); set.size() > 1) overlap_.push_back(std::move(set));
        std::vector<std::string> shown;
        for (auto const& set : overlap_) shown.push_back(fmt::format("[\"{}\"]", fmt::join(set, "\", \"")));
        line("overlap = [{}]\n", fmt::join(shown, ", "));
        line("hold = {{ weights = \"mem{}\", kv = \"mem{}\"", bits_.below(memories_), bits_.below(memories_));
        if (!has_tile_buffer_ && chance(30)) line(", activations = \"mem{}\"", bits_.below(memories_));
        if (chance(15)) line(", stage = \"mem{}\"", bits_.below(memories_));
        if (chance(15)) line(", repeated = \"mem{}\"", bits_.below(memories_));
        line(" }}\n");
        if (takes_passes()) {
            line("\"*\" = \"tiles\"\n");
            rules_.push_back({"*", "tiles"});
            return;
        }
        add_rule("*", false);
        add_rule("*.weights", true);
        for (auto const* pattern : {"*.attention", "*.lm_head", "prefill.weights", "decode.attention",
                                    "prefill.attention.scores", "weights.down", "decode.lm_head"})
            if (chance(45)) add_rule(pattern, true);
        for (auto const* pattern : {"*.softmax", "*.norm", "*.overhead", "*.sampling", "prefill.*", "decode.softmax"})
            if (pattern != std::string_view("*.sampling") || !has_sampler_)
                if (chance(45)) add_rule(pattern, false);
        if (!has_sampler_) return;
        line("\"*.sampling\" = {{ on = \"sampler\", wait = \"2 us\" }}\n");
        rules_.push_back({"*.sampling", "sampler"});
    }

    Bits bits_;
    std::string name_, text_;
    bool is_mesh_, is_dpu_ = false, is_npu_ = false;  ///< a part takes whole passes
    bool is_family_ = false, has_limit_ = false, has_buffer_ = false, has_searched_tiles_ = false,
         has_simulated_first_ = false, has_arrays_ = false, has_tile_buffer_ = false, packs_heads_ = false,
         has_sampler_ = false;
    std::string bank_memory_;  ///< "": no units in banks
    std::uint64_t memories_ = 0, units_ = 0;
    std::vector<std::string> formats_;
    std::set<std::string> parameters_;
    std::vector<std::pair<std::string, std::string>> variants_;
    std::vector<std::pair<std::string, std::string>> rate_lines_;
    std::vector<DrawnRule> rules_;
    std::vector<std::vector<std::string>> overlap_;
};

}  // namespace pimdse::laws
