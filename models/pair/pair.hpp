#pragma once

#include "models/contract/architecture.hpp"

/// Pairs of machines: one architecture computes prompts, another decodes, and a link moves the keys and values of every
/// sequence from one to the other. docs/traffic.md.
namespace pimdse::models::pair {

/// The pair as an architecture, "pair:PREFILL:DECODE". Its parameters are llm, input, output and batch, those of both
/// machines as prefill.NAME and decode.NAME, prefill_machines, decode_machines, and the link. It serves traffic only:
/// `evaluate` gives the common metrics of machines without a request, and `engine` has a handover. A machine without
/// the requested fidelity uses its next coarser one.
[[nodiscard]] Architecture architecture(Architecture const& prefill, Architecture const& decode);

}  // namespace pimdse::models::pair
