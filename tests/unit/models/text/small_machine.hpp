#pragma once

#include "models/text/machine.hpp"
#include "models/text/machine_reader.hpp"
#include "models/text/source_files.hpp"
#include "sim/base/check.hpp"
#include "tests/unit/models/contract/temporary_file.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace pimdse::models::text::test {

/// A machine file with something of every section.
inline constexpr std::string_view small_machine = R"toml(schema = 1
name = "small"
summary = "a roof beside a memory, and a vector unit"
results_version = 3

[format]
products = ["fp16", "int8"]
cache = ["fp16", "8bit"]

[parameter.channels]
default = 8
limits = [1, 64]
resource = true
meaning = "channels of the memory"

[parameter.clock]
default = "1.5 GHz"
limits = ["0.5 GHz", "2 GHz"]
unit = "GHz"
meaning = "clock of the lanes"

[parameter.mode]
choices = ["plain", "fast"]
default = "plain"
meaning = "a choice"

[constant.channel_rate]
value = 64
unit = "GB/s"
source = "a data sheet"

[constant.attained]
value = 0.8
unit = "1"
source = "measured; range 0.7 to 0.9"
assumed = true

[memory.dram]
kind = "rate"
bandwidth = "channels * channel_rate"
share = "attained"
capacity = "channels * 8 GiB"
memory_area = "channels * 20 mm2"

[memory.dram.energy]
dram_array = { value = "4 pJ/bit", source = "a paper", assumed = true }

[compute.cube]
kind = "roof"
rate = { fp16 = "100 TFLOP/s", int8 = "200 TFLOP/s" }
share = 0.7
area = "50 mm2"

[compute.cube.energy]
arithmetic = { fp16 = "0.5 pJ/FLOP", int8 = "0.2 pJ/FLOP" }

[compute.lanes]
kind = "vector"
lanes = "if(mode == fast, 128, 64)"
frequency = "clock"
per_cycle = 2
static_power = "3 W"

[link.cable]
kind = "link"
bandwidth = "25 GB/s"
latency = "2 us"
devices = 4

[number.slow_start]
value = "2 us"
unit = "s"
meaning = "of a layer"

[power]
idle = "20 W"

[run]
overlap = [["cube", "dram"]]
hold = { weights = "dram", kv = "dram" }
"*" = { free = "within what the cube attains" }
"*.weights" = "cube"
"*.attention" = { on = "cube", together = true }
"prefill.attention" = "cube"
"*.softmax" = { on = "lanes", work = 5 }
"*.lm_head" = { on = "cube", repeat = "tokens" }
"*.overhead" = { wait = "slow_start" }

[bounds]
slower = 3

[limit.fast]
holds = "mode == plain or channels >= 2"
reason = "fast lanes need two channels, not {channels}"

[rule.share]
holds = ["attained <= 1", "attained > 0"]
why = "it is a share"

[metric.byte_rate]
value = "dram.bandwidth"
unit = "B/s"
meaning = "of all channels"
better = "higher"

[area]
undivided = { value = "10 mm2", source = "a photograph" }
vector_unit = "part of the undivided die"

[energy]
dram_refresh = "part of idle power"
)toml";

/// The small machine with the first `from` replaced, which must be there.
inline std::string with(std::string_view from, std::string_view to, std::string text = std::string(small_machine)) {
    auto const at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    return text;
}

/// Line of the first place of some text, from 1.
inline std::size_t line_of(std::string_view text, std::string_view part) {
    auto const end = text.begin() + static_cast<std::ptrdiff_t>(std::min(text.find(part), text.size()));
    return 1 + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

/// The machine of a file, without its source files.
inline MachineFile read_file(std::filesystem::path const& file) {
    SourceFiles sources;
    return read_machine(file, sources);
}

/// What is said of a machine file; "" if it is accepted.
inline std::string refusal_of(std::filesystem::path const& file) {
    try {
        (void)CompiledMachine(read_file(file));
    } catch (sim::InputError const& error) {
        return error.what();
    }
    return "";
}

inline std::string refusal(std::string const& text) {
    models::testing::TemporaryFile const file(text);
    return refusal_of(file.path());
}

}  // namespace pimdse::models::text::test
