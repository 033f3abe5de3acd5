#include "dse/cli/kernel_tables.hpp"

#include "sim/base/check.hpp"
#include "sim/base/counting.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <string_view>
#include <utility>

namespace pimdse::dse::cli {
namespace {

using sim::serving::StepWork;
using Counts = std::vector<std::int64_t>;

constexpr std::int64_t usual_tokens = 2048, usual_context = 16384, smallest_length = 16;
constexpr double micro = 1e6;

/// first, 2 first, 4 first ... and `last`.
void add_doubling(Counts& counts, std::int64_t first, std::int64_t last) {
    for (auto count = first; count < last; count *= 2) counts.push_back(count);
    if (last > 0 && (counts.empty() || counts.back() < last)) counts.push_back(last);
}

Counts doubling(std::int64_t first, std::int64_t last) {
    Counts counts{0};
    add_doubling(counts, std::min(first, last), last);
    return counts;
}

/// One by one up to 16, then in steps of about a sixteenth, and `last`.
Counts dense_counts(std::int64_t last) {
    Counts counts;
    for (std::int64_t next = 1; next < last; next += std::max<std::int64_t>(1, next / smallest_length))
        counts.push_back(next);
    counts.push_back(last);
    return counts;
}

/// Steps of an engine.
class Steps {
  public:
    explicit Steps(models::ServiceEngine const& engine) : engine_(engine) {}

    /// Seconds of a step of `tokens` tokens that attend to nothing but themselves, with no LM head: the shorter one of
    /// sequences that begin and of sequences that decode, because a machine may do them on different units.
    [[nodiscard]] double without_attention(std::int64_t tokens) const {
        StepWork prompts, tokens_of_many;
        prompts.chunks.assign(static_cast<std::size_t>(tokens), {1, 0});
        tokens_of_many.contexts.assign(static_cast<std::size_t>(tokens), 1);
        StepWork const together{{{tokens, 0}}, {}, 0};
        return std::min({seconds(prompts), seconds(tokens_of_many), seconds(together)});
    }
    /// Seconds of a step that computes `chunk` positions of a prompt after `cached` ones, and decodes `sequences`
    /// sequences of `context` cached positions.
    [[nodiscard]] double with_attention(std::int64_t chunk, std::int64_t cached, std::int64_t sequences,
                                        std::int64_t context) const {
        StepWork work;
        if (chunk > 0) work.chunks.push_back({chunk, cached});
        work.contexts.assign(static_cast<std::size_t>(sequences), context + 1);
        return seconds(work);
    }
    /// Seconds that the LM head adds for so many sequences.
    [[nodiscard]] double head(std::int64_t sequences) const {
        StepWork work;
        work.contexts.assign(static_cast<std::size_t>(sequences), 1);
        double const without = seconds(work);
        work.heads = sequences;
        return std::max(0.0, seconds(work) - without);
    }

  private:
    [[nodiscard]] double seconds(StepWork const& work) const { return engine_.law.one(work).seconds; }
    models::ServiceEngine const& engine_;
};

/// Rows of a table.
class Table {
  public:
    Table(std::string name, std::string_view head) : file_{std::move(name), std::string(head) + "\n", 0} {}
    /// The last column has a time in s, which is written in microseconds.
    void add(std::string const& keys, double seconds) {
        file_.text += fmt::format("{},{:.6g}\n", keys, micro * std::max(0.0, seconds));
        ++file_.rows;
    }
    KernelTables::File finished() && { return std::move(file_); }

  private:
    KernelTables::File file_;
};

/// Names of the parts of a step in that simulator, and their shares of a layer's time without attention.
std::vector<std::pair<std::string_view, double>> dense_shares(models::LanguageModel const& model) {
    double qkv = 0.0, output = 0.0, up = 0.0, down = 0.0;
    for (auto const& matrix : models::layer_matrices(models::alike_layers(model).front())) {
        double const weights = sim::as_double(matrix.inputs) * sim::as_double(matrix.outputs * matrix.count);
        double& share = matrix.name == "o"                             ? output
                        : matrix.name == "gate" || matrix.name == "up" ? up
                        : matrix.name == "down"                        ? down
                                                                       : qkv;
        share += weights;
    }
    double const all = qkv + output + up + down;
    return {{"act_fn", 0.0},          {"down_proj", down / all},  {"embedding", 0.0},
            {"final_layernorm", 0.0}, {"gate_up_proj", up / all}, {"layernorm", 0.0},
            {"o_proj", output / all}, {"qk_norm", 0.0},           {"qkv_proj", qkv / all},
            {"rotary_emb", 0.0}};
}

KernelTables::File dense_table(Steps const& steps, models::LanguageModel const& model, std::int64_t most) {
    Table table("tp1/dense.csv", "layer,tokens,time_us");
    auto const counts = dense_counts(most);
    std::vector<double> seconds;
    for (auto const count : counts) seconds.push_back(steps.without_attention(count) / sim::as_double(model.layers));
    for (auto const& [name, share] : dense_shares(model)) {
        for (std::size_t i = 0; i < counts.size(); ++i)
            table.add(fmt::format("{},{}", name, counts[i]), share * seconds[i]);
    }
    return std::move(table).finished();
}

KernelTables::File sequence_table(Steps const& steps, std::int64_t most) {
    Table table("tp1/per_sequence.csv", "layer,sequences,time_us");
    for (auto const count : dense_counts(most)) table.add(fmt::format("lm_head,{}", count), steps.head(count));
    for (auto const count : dense_counts(most)) table.add(fmt::format("sampler,{}", count), 0.0);
    return std::move(table).finished();
}

/// The counts of the axes of attention; each begins with 0.
struct AttentionAxes {
    Counts chunks, sequences, lengths;
};

KernelTables::File attention_table(Steps const& steps, models::LanguageModel const& model, AttentionAxes const& axes) {
    Table table("tp1/attention.csv", "prefill_chunk,kv_prefill,n_decode,kv_decode,time_us");
    for (auto const chunk : axes.chunks) {
        for (auto const cached : axes.lengths) {
            for (auto const sequences : axes.sequences) {
                if ((chunk == 0 && cached > 0) || chunk + sequences == 0) continue;
                double const rest = steps.without_attention(chunk + sequences);
                for (auto const context : axes.lengths) {
                    if ((sequences == 0) != (context == 0)) continue;
                    double const seconds = steps.with_attention(chunk, cached, sequences, context) - rest;
                    table.add(fmt::format("{},{},{},{}", chunk, cached, sequences, context),
                              seconds / sim::as_double(model.layers));
                }
            }
        }
    }
    return std::move(table).finished();
}

std::string meta(sim::serving::SchedulerSettings const& settings, models::LanguageModel const& model,
                 std::string const& hardware, std::int64_t tokens, AttentionAxes const& axes) {
    auto text = fmt::format("written_by: pimdse export\ngpu: {0}, simulated\nhardware: {0}\nmodel: {1}\n", hardware,
                            model.name);
    text += "tp_degrees: [1]\nengine_effective:\n  tensor_parallel_size: 1\n";
    text += fmt::format("  block_size: {}\n  max_num_batched_tokens: {}\n  max_num_seqs: {}\n", settings.block_tokens,
                        tokens, settings.max_sequences);
    text += fmt::format("attention_grid:\n  chunks: [{}]\n  n_decode: [{}]\n  kv: [{}]\n", fmt::join(axes.chunks, ", "),
                        fmt::join(axes.sequences, ", "), fmt::join(axes.lengths, ", "));
    return text + "skew_profile:\n  enabled: false\nskew_fit:\n  enabled: false\n";
}

void check(models::ServiceEngine const& engine, models::LanguageModel const& model) {
    if (engine.handover)
        throw sim::InputError("it is a pair of machines, of which LLMServingSim needs the tables of each");
    if (engine.tokens_per_step > 1)
        throw sim::InputError("its sequences yield blocks of tokens, which the tables of LLMServingSim do not have");
    for (auto const& alike : models::alike_layers(model)) {
        if (alike.experts > 0)
            throw sim::InputError(
                fmt::format("{} is a mixture of experts: the tables of LLMServingSim need times over the "
                            "number of chosen experts, which the steps of this machine do not tell "
                            "apart",
                            model.name));
    }
}

}  // namespace

KernelTables kernel_tables(models::ServiceEngine const& engine, sim::serving::SchedulerSettings const& settings,
                           models::LanguageModel const& model, std::string const& hardware) {
    check(engine, model);
    Steps const steps(engine);
    auto const tokens = settings.max_batched_tokens > 0 ? settings.max_batched_tokens : usual_tokens;
    auto const context = std::min(engine.max_context > 0 ? engine.max_context - 1 : usual_context, usual_context);
    AttentionAxes axes{doubling(smallest_length, tokens), {0}, doubling(smallest_length, context)};
    add_doubling(axes.sequences, 1, settings.max_sequences);
    KernelTables tables;
    tables.files.push_back({"meta.yaml", meta(settings, model, hardware, tokens, axes), 0});
    tables.files.push_back(dense_table(steps, model, tokens + settings.max_sequences));
    tables.files.push_back(sequence_table(steps, settings.max_sequences));
    tables.files.push_back(attention_table(steps, model, axes));
    return tables;
}

}  // namespace pimdse::dse::cli
