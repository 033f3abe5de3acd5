#include "models/dplena/sampler.hpp"

namespace pimdse::models::dplena {
namespace {

using Part = text::PartLaw;

Design const& of(Part const& part) { return static_cast<SamplerLaw const&>(part).design(); }

/// Whether rows of logits are processed in chunks.
bool has_chunks(Design const& d) {
    return d.mode == Mode::edge || d.overlap == Overlap::fused_head || d.passes == Passes::one;
}

template <auto member>
Value number_of(Part const& part) {
    return Value::integer(of(part).*member);
}

template <auto member, auto choice>
bool is_other(Part const& part) {
    return of(part).*member != choice;
}

}  // namespace

std::vector<text::PartKeyRow> key_rows() {
    text::PartKeyRows rows;
    rows.stands_for("vocab", number_of<&Design::vocab>, "0 stands for the padded vocabulary of the model");
    rows.irrelevant(
        "v_chunk", [](Part const& part) { return !has_chunks(of(part)); },
        "whole rows are on chip and are not processed in chunks");
    rows.stands_for("v_chunk", number_of<&Design::v_chunk>, "0 stands for a whole row");
    rows.stands_for("exp_lanes", number_of<&Design::exp_lanes>, "0 stands for one per lane of the vector unit");
    rows.irrelevant("preload", is_other<&Design::mode, Mode::performance>,
                    "edge mode has one chunk of one row on chip");
    rows.irrelevant("confidence_threshold", is_other<&Design::remasking, Remasking::threshold>,
                    "only remasking threshold reads it");
    rows.irrelevant("confidence_factor", is_other<&Design::remasking, Remasking::factor>,
                    "only remasking factor reads it");
    rows.irrelevant(
        "step_logits", [](Part const& part) { return of(part).steps == 1; }, "there is one step");
    rows.stands_for(
        "topk_entries", [](Part const& part) { return Value::integer(of(part).topk_list()); },
        "0 stands for block_length");
    rows.stands_for("mx_block", number_of<&Design::mx_block>, "BF16 has no scales");
    rows.irrelevant(
        "addressing", [](Part const& part) { return of(part).element == Element::bf16; }, "BF16 has no scales");
    rows.irrelevant(
        "host_fifo_depth", [](Part const& part) { return of(part).host_fifo == 0; }, "there is no FIFO to the host");
    rows.stands_for(
        "chains", [](Part const& part) { return Value::integer(of(part).interleaved_rows()); },
        "only rows that are on chip together are interleaved, where instructions wait for results");
    rows.irrelevant("sram_limit", nullptr, "it only decides whether a point is feasible");
    return rows.rows();
}

std::vector<MonotoneGroup> directions() {
    using enum Slope;
    return {
        {{"outstanding", "host_fifo_depth"}, down, {"latency"}},
        {{"outstanding", "prefetch", "buffers", "chains", "host_fifo", "host_fifo_depth", "channels"}, up, {"area"}},
        {{"channels"}, up, {"memory_area", "cost", "embodied_carbon"}},
        {{"sram_limit"}, flat, {"latency", "energy", "area"}}};
}

std::vector<std::string> constants_without_slopes() {
    // Parts of the published unit that a design may lack; its area, by which its power is divided; and a limit, which
    // is a power that none draws.
    return {"dequantizer_area", "hbm_package_limit",  "index_path_area",
            "topk_entry_area",  "vector_area_offset", "vector_area_per_lane"};
}

}  // namespace pimdse::models::dplena
