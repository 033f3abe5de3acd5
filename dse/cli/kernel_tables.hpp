#pragma once

#include "models/contract/service_engine.hpp"
#include "models/llm/workload.hpp"
#include "sim/serving/scheduler.hpp"

#include <string>
#include <vector>

namespace pimdse::dse::cli {

/// The law of an engine's steps as the tables that LLMServingSim 2 reads for a machine and a model: times of the parts
/// of a step, over the tokens of the step, over its sequences, and over prompts and contexts. Between the rows that
/// simulator interpolates. Its folder for a machine, a model and a number format has meta.yaml and tp1/.
struct KernelTables {
    struct File {
        std::string name;  ///< "tp1/dense.csv"
        std::string text;
        std::size_t rows = 0;  ///< 0: no table
    };
    std::vector<File> files;
};

/// The tables of one engine. The time of a step at the rows, added up as the simulator does, is that of the law (to six
/// digits, plus 1 ns for each part without a time of its own, which it sets for 0): a step of n tokens without
/// attention stands under `dense`, what attention adds to it under `attention`. The law does not tell the matrices of a
/// layer apart, so `dense` is shared out by their weights. `hardware` names the machine. Throws InputError for what
/// these tables cannot say: a mixture of experts, and sequences that yield blocks of tokens.
[[nodiscard]] KernelTables kernel_tables(models::ServiceEngine const& engine,
                                         sim::serving::SchedulerSettings const& settings,
                                         models::LanguageModel const& model, std::string const& hardware);

}  // namespace pimdse::dse::cli
