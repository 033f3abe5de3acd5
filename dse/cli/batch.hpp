#pragma once

#include "dse/cli/asked_point.hpp"

namespace pimdse::dse::cli {

/// Answers lines of JSON from standard input, one line each and in their order, until they end; `base`: what a point
/// has where a line says nothing.
int answer_batch(AskedPoint base, int threads);

}  // namespace pimdse::dse::cli
