#include "models/dplena/parameters.hpp"

#include "models/contract/common_parameters.hpp"
#include "models/contract/language_models.hpp"
#include "models/contract/parameter_table.hpp"
#include "sim/base/counting.hpp"

namespace pimdse::models::dplena {
namespace {

using Table = ParameterTable<Design>;

void add_work(Table& table) {
    table.row<&Design::mode>(
        choice("mode", {"performance", "edge"},
               "performance: all logits of a group of sequences on chip; edge: one chunk of one row at a time"));
    table.row<&Design::scope>(
        choice("scope", {"sampling", "end_to_end"},
               "sampling: the sampling of `steps` steps of one block; end_to_end: a whole generation with llm"));
    table.row<&Design::vlen>(resource(count("vlen", "elements", 2048, {1, 65536}, "lanes of the vector unit")));
    table.row<&Design::batch>(count("batch", "", 16, {1, 4096}, "sequences"));
    table.row<&Design::block_length>(
        count("block_length", "tokens", 32, {1, 65536}, "positions of a block that are denoised together"));
    table.row<&Design::vocab>(
        count("vocab", "elements", 126976, {1, 1048576},
              "logits per position; scope end_to_end takes the model's vocabulary padded to whole vectors"));
    table.row<&Design::steps>(count("steps", "", 1, {1, 4096}, "denoising steps of a block"));
    table.row<&Design::preload>(
        count("preload", "sequences", 1, {1, 4096}, "performance mode: sequences whose logits are on chip at once"));
    table.row<&Design::v_chunk>(
        count("v_chunk", "elements", 0, {0, 1048576}, "edge mode: logits on chip at once; 0 = the whole vocabulary"));
    table.row<&Design::prefetch>(resource(count("prefetch", "vectors", 4, {1, 1024},
                                                "vectors fetched by one H_PREFETCH_V, with a place for their lines")));
}

void add_formats_and_memory(Table& table) {
    table.row<&Design::element>(
        choice("mx_element", {"e4m3", "e5m2", "e3m4", "e2m1", "int8", "int4"}, "element format of the logits in HBM"));
    table.row<&Design::addressing>(
        choice("addressing", {"bytes", "packed"},
               "bytes: one byte an element and one line of scales a vector, as in the authors' code; packed: elements "
               "of their own width, and every line that the scales fill"));
    table.row<&Design::mx_block>(count("mx_block", "elements", 8, {1, 1024}, "elements that share an E8M0 scale"));
    table.row<&Design::channels>(resource(count("channels", "", 16, {1, 64}, "HBM channels of two pseudo-channels")));
    table.row<&Design::bus>(choice(
        "hbm_bus", {"compat", "corrected"}, "corrected",
        "ticks between reads of a pseudo-channel: corrected 2, the burst of the standard; compat 4, the defect of "
        "the simulator that the paper's runs used"));
    table.row<&Design::refresh>(choice(
        "refresh", {"off", "on"}, "on",
        "whether the HBM refreshes (350 of every 3,900 ticks); off: as in the paper's runs, data would be lost"));
    table.row<&Design::accumulator>(choice("accumulator", {"fp16", "bf16", "fp32"}, "fp32",
                                           "format in which the sum of exponentials is kept between vectors"));
    table.row<&Design::exp_lanes>(
        count("exp_lanes", "elements", 0, {0, 65536}, "exponential units; 0 = one per lane of the vector unit"));
}

void add_overlap(Table& table) {
    table.row<&Design::overlap>(
        choice("overlap", {"none", "prefetch", "dual_issue", "fused_head"},
               "none: one instruction at a time, fetches included; prefetch: fetches run beside the work on earlier "
               "blocks; dual_issue: "
               "and scalar beside vector "
               "instructions; fused_head: and logits come from the LM head without a trip through HBM"));
    table.row<&Design::buffers>(resource(count("buffers", "", 1, {1, 64},
                                               "blocks of logits (a preloaded group or a chunk) that have a place on "
                                               "chip; used when overlap is not none, built "
                                               "in any case")));
    table.row(
        count("passes", "", 2, {1, 2},
              "2: maximum first, then the sum; 1: online, the sum is rescaled when the maximum grows"),
        [](Design& d, Value const& v, auto const&) { d.passes = v.as_integer() == 1 ? Passes::one : Passes::two; });
}

void add_generation(Table& table) {
    table.row<&Design::model>(or_own_model(choice("llm", language_model_names(), "llada-8b",
                                                  "the model whose steps surround the sampling (scope end_to_end)")));
    table.row<&Design::cache>(
        choice("model_cache", {"none", "prefix", "dual"}, "dual",
               "none: every step computes all positions; prefix: block and suffix; dual: the block only"));
    table.row<&Design::generation_length>(also_called(
        also_called(count("generation_length", "tokens", 256, {1, 1048576}, "tokens generated per sequence"), "output"),
        "decode"));
    table.row<&Design::prompt>(assumed(also_called(
        count("input", "tokens", 512, {1, 1048576}, "prompt tokens per sequence (scope end_to_end)"), "prefill")));
}

void add_late_comers(Table& table) {
    table.row<&Design::outstanding>(
        resource(count("outstanding", "", 1, {1, 64},
                       "prefetches under way at once; used when overlap is not none, built in any case")));
    table.row<&Design::loop_hardware>(
        choice("loop_hardware", {"off", "on"}, "on: address bumps of the inner loops and prefetches cost nothing"));
    table.row<&Design::matrix_depth>(resource(assumed(
        count("matrix_depth", "elements", 2048, {1, 65536}, "MLEN of the matrix unit: dot-product length per cycle"))));
    table.row<&Design::matrix_block>(resource(assumed(
        count("matrix_block", "elements", 128, {1, 65536}, "BLEN of the matrix unit: rows and columns of a tile"))));
    table.row<&Design::model_bandwidth>(quantity("model_bandwidth", "GB/s", 0.0, {0.0, 1e14},
                                                 "limit of the HBM bandwidth during the model's own steps, at most "
                                                 "what the pins carry; 0: the rate of hbm_bus"));
    table.row<&Design::weight_bits>(assumed(
        count("weight_bits", "", 8, {1, 16}, "bits per weight, to which one scale byte per 32 weights is added")));
    table.row<&Design::sram_limit>(
        assumed(count("sram_limit", "B", 134217728, {1, 1e12}, "largest vector SRAM that may be built")));
}

void add_way_of_generating(Table& table) {
    table.row<&Design::generation>(
        choice("generation", {"diffusion", "autoregressive"},
               "diffusion: blocks are denoised in steps; autoregressive: a block of one token and one step each, after "
               "one pass over the prompt"));
    table.row<&Design::remasking>(choice(
        "remasking", {"low_confidence", "random", "threshold", "factor"},
        "what a step commits: low_confidence, random: as many positions as steps leave; threshold: the best and "
        "all above confidence_threshold; factor: the longest run c_n >= 1 - confidence_factor / (n + 1). The last "
        "two end a block when nothing is masked, after `steps` at most"));
    table.row<&Design::confidence_threshold>(
        assumed(quantity("confidence_threshold", "", 0.9, {0.0, 1.0}, "remasking threshold: least confidence")));
    table.row<&Design::confidence_factor>(
        assumed(quantity("confidence_factor", "", 1.0, {0.0, 1e6}, "remasking factor: larger commits more at once")));
    table.row<&Design::step_logits>(
        choice("step_logits", {"overwrite", "apart"},
               "where the logits of a step lie in HBM: overwrite, in the place of the step before; apart, behind them, "
               "as the test bench of the authors has it"));
    table.row<&Design::attained_share>(attained_share(1.0, "the matrix unit in passes of the model"));
    table.row<&Design::layer_overhead>(layer_overhead(0.0, "passes of the model"));
}

/// In the order in which people see them, and files have them.
Table make_table() {
    Table table;
    add_work(table);
    add_formats_and_memory(table);
    add_overlap(table);
    add_generation(table);
    add_late_comers(table);
    add_way_of_generating(table);
    return table;
}

void resolve_defaults(Design& d, std::int64_t model_vocabulary) {
    bool const whole_row = d.v_chunk == 0 || d.v_chunk == d.vocab;
    if (d.scope == Scope::end_to_end) {
        auto const chunk = whole_row ? d.prefetch * d.vlen : d.v_chunk;
        d.vocab = sim::round_up(model_vocabulary, d.mode == Mode::edge ? chunk : d.vlen);
    }
    d.chunk_is_given = !whole_row;
    if (whole_row) d.v_chunk = d.vocab;
    if (d.exp_lanes == 0) d.exp_lanes = d.vlen;
    if (d.generation == TokenOrder::autoregressive) d.block_length = d.steps = 1;
}

/// Why values that make a request faster may cost neither silicon nor energy.
std::vector<FreeOfCost> const free_of_cost{
    {"mode", "edge reads every chunk twice, even rows that have a place on chip: the program of the authors"},
    {"hbm_bus", "compat is a defect of a simulator, no machine"},
    {"refresh", "off is a defect of a simulator, no machine: data would be lost"},
    {"passes",
     "the online form is an algorithm: it pays with scalar instructions and with rounding (argmax_agreement)"},
    {"mx_block", "larger blocks have fewer scales and are less accurate (argmax_agreement, transfer_overlap)"},
    {"attained_share", "it is a property of programs, no hardware"},
    {"layer_overhead", "it is a property of programs, no hardware"},
    {"model_bandwidth", "it limits a bandwidth that the channels have"}};

}  // namespace

Parameters parameters() { return with_reasons(make_table().parameters(), free_of_cost); }

Design read_design(Point point, std::span<std::int64_t const> model_vocabularies) {
    static auto const table = make_table();
    auto design = table.read(point);
    resolve_defaults(design, model_vocabularies[design.model]);
    return design;
}

}  // namespace pimdse::models::dplena
