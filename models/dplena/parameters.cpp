#include "models/dplena/design.hpp"
#include "models/files.hpp"
#include "models/parameter_builders.hpp"
#include "sim/counting.hpp"

namespace pimdse::models::dplena {

Parameters parameters() {
    return {
        choice("mode", {"performance", "edge"},
               "performance: all logits of a group of sequences on chip; edge: one chunk of one row at a time"),
        choice("scope", {"sampling", "end_to_end"},
               "sampling: the sampling of `steps` steps of one block; end_to_end: a whole generation with llm"),
        count("vlen", "elements", 2048, {1, 65536}, "lanes of the vector unit"),
        count("batch", "", 16, {1, 4096}, "sequences"),
        count("block_length", "tokens", 32, {1, 65536}, "positions of a block that are denoised together"),
        count("vocab", "elements", 126976, {1, 1048576},
              "logits per position; scope end_to_end takes the model's vocabulary padded to whole vectors"),
        count("steps", "", 1, {1, 4096}, "denoising steps of a block"),
        count("preload", "sequences", 1, {1, 4096}, "performance mode: sequences whose logits are on chip at once"),
        count("v_chunk", "elements", 0, {0, 1048576}, "edge mode: logits on chip at once; 0 = the whole vocabulary"),
        count("prefetch", "vectors", 4, {1, 1024}, "vectors fetched by one H_PREFETCH_V"),
        choice("mx_element", {"e4m3", "e5m2", "e3m4", "e2m1", "int8", "int4"},
               "element format of the logits in HBM; addressed as one byte each whatever its width"),
        count("mx_block", "elements", 8, {1, 1024}, "elements that share an E8M0 scale"),
        count("channels", "", 16, {1, 64}, "HBM channels of two pseudo-channels"),
        choice("hbm_bus", {"compat", "corrected"}, "ticks between reads of a pseudo-channel: compat 4, as the paper's runs; corrected 2"),
        choice("refresh", {"off", "on"}, "whether the HBM refreshes (350 of every 3,900 ticks)"),
        choice("accumulator", {"fp16", "bf16", "fp32"}, "fp32", "format in which the sum of exponentials is kept between vectors"),
        count("exp_lanes", "elements", 0, {0, 65536}, "exponential units; 0 = one per lane of the vector unit"),
        choice("overlap", {"none", "prefetch", "dual_issue", "fused_head"},
               "none: one instruction at a time, fetches included; prefetch: fetches run beside the work on earlier blocks; dual_issue: "
               "and scalar beside vector "
               "instructions; fused_head: and logits come from the LM head without a trip through HBM"),
        count("buffers", "", 1, {1, 64},
              "blocks of logits (a preloaded group or a chunk) that have a place on chip; used when overlap is not none"),
        count("passes", "", 2, {1, 2}, "2: maximum first, then the sum; 1: online, the sum is rescaled when the maximum grows"),
        choice("llm", language_model_names(), "llada-8b", "the model whose steps surround the sampling (scope end_to_end)"),
        choice("model_cache", {"none", "prefix", "dual"}, "dual",
               "none: every step computes all positions; prefix: block and suffix; dual: the block only"),
        also_called(also_called(count("generation_length", "tokens", 256, {1, 1048576}, "tokens generated per sequence"), "output"),
                    "decode"),
        assumed(also_called(count("input", "tokens", 512, {1, 1048576}, "prompt tokens per sequence (scope end_to_end)"), "prefill")),
        count("outstanding", "", 1, {1, 64}, "prefetches under way at once; used when overlap is not none"),
        choice("loop_hardware", {"off", "on"}, "on: address bumps of the inner loops and prefetches cost nothing"),
        assumed(count("matrix_depth", "elements", 2048, {1, 65536}, "MLEN of the matrix unit: dot-product length per cycle")),
        assumed(count("matrix_block", "elements", 128, {1, 65536}, "BLEN of the matrix unit: rows and columns of a tile")),
        assumed(quantity("model_bandwidth", "GB/s", 512e9, {1e9, 1e14},
                         "HBM bandwidth during the model's own steps (16 channels at the corrected rate)")),
        assumed(count("weight_bits", "", 8, {1, 16}, "bits per weight, to which one scale byte per 32 weights is added")),
        assumed(count("sram_limit", "B", 134217728, {1, 1e12}, "largest vector SRAM that may be built")),
    };
}

namespace {

/// Reads values in declared order.
class Reader {
  public:
    explicit Reader(Point point) : point_(point) {}
    std::int64_t whole() { return point_[at_++].as_integer(); }
    std::size_t index() { return point_[at_++].as_choice(); }
    double quantity() { return point_[at_++].as_quantity(); }
    template <class E>
    E choice() {
        return static_cast<E>(index());
    }

  private:
    Point point_;
    std::size_t at_ = 0;
};

void resolve_defaults(Design& d, std::int64_t model_vocabulary) {
    bool const whole_row = d.v_chunk == 0 || d.v_chunk == d.vocab;
    if (d.scope == Scope::end_to_end) {
        auto const chunk = whole_row ? d.prefetch * d.vlen : d.v_chunk;
        d.vocab = sim::round_up(model_vocabulary, d.mode == Mode::edge ? chunk : d.vlen);
    }
    d.chunk_is_given = !whole_row;
    if (whole_row) d.v_chunk = d.vocab;
    if (d.exp_lanes == 0) d.exp_lanes = d.vlen;
}

}  // namespace

Design read_design(Point point, std::span<std::int64_t const> model_vocabularies) {
    Reader in(point);
    Design d;
    d.mode = in.choice<Mode>();
    d.scope = in.choice<Scope>();
    for (auto* field : {&d.vlen, &d.batch, &d.block_length, &d.vocab, &d.steps, &d.preload, &d.v_chunk, &d.prefetch}) *field = in.whole();
    d.element = in.choice<Element>();
    d.mx_block = in.whole();
    d.channels = in.whole();
    d.bus = in.choice<Bus>();
    d.refresh = in.choice<Refresh>();
    d.accumulator = in.choice<Accumulator>();
    d.exp_lanes = in.whole();
    d.overlap = in.choice<Overlap>();
    d.buffers = in.whole();
    d.passes = in.whole() == 1 ? Passes::one : Passes::two;
    d.model = in.index();
    d.cache = in.choice<ModelCache>();
    d.generation_length = in.whole();
    d.prompt = in.whole();
    d.outstanding = in.whole();
    d.loop_hardware = in.choice<LoopHardware>();
    d.matrix_depth = in.whole();
    d.matrix_block = in.whole();
    d.model_bandwidth = in.quantity();
    d.weight_bits = in.whole();
    d.sram_limit = in.whole();
    resolve_defaults(d, model_vocabularies[d.model]);
    return d;
}

}  // namespace pimdse::models::dplena
