#include "models/upmem/request.hpp"

#include "models/upmem/plan.hpp"
#include "sim/base/counting.hpp"

#include <algorithm>
#include <utility>

namespace pimdse::models::upmem {

/// Matrices of a layer that are multiplied with the same vectors and share a launch: q, k and v; gate and up.
struct MatrixGroup {
    std::string name;         ///< "q+k+v"
    std::int64_t rows = 0;    ///< results for one position, for the active experts
    std::int64_t inputs = 0;  ///< per row
    /// Number of vectors of this length for one position: every active expert has its own.
    std::int64_t vectors = 1;
    bool ends_block = false;    ///< its results are added to the residual stream
    bool is_attention = false;  ///< queries, keys and values
};

[[nodiscard]] std::vector<MatrixGroup> matrix_groups(LanguageModel const& model);

/// Number of inputs of a row of the LM head.
[[nodiscard]] std::int64_t head_inputs(LanguageModel const& model);

/// All matrices of the design's model once, with one vector.
[[nodiscard]] Plan step_plan(Prepared const& prepared, Design const& design);

namespace {

using sim::as_double;

/// How the cache of a layer is distributed: a unit is one head of keys and values of one sequence. The positions of a
/// unit are spread over `split` DPUs; if there are more units than DPUs, a DPU has `units` whole units.
struct CacheDeal {
    std::int64_t units = 1, split = 1;

    /// Positions in the fullest DPU for a unit of `of_unit` positions.
    [[nodiscard]] std::int64_t positions(std::int64_t of_unit) const;
    /// Positions attended to, summed over queries: the query after the first `before` positions sees itself and those
    /// before it, and so does each of the following `queries` - 1.
    [[nodiscard]] std::int64_t positions_seen(std::int64_t before, std::int64_t queries) const;
};

/// Equal passes of the whole batch through all layers: `queries` new positions of every sequence after the first
/// `before`.
struct AlikePasses {
    std::int64_t before = 0, queries = 1, count = 1;
};

std::int64_t CacheDeal::positions(std::int64_t of_unit) const { return sim::divide_up(of_unit, split); }

/// Among the first n queries, `split` see one position in each DPU, `split` see two, and so on.
std::int64_t CacheDeal::positions_seen(std::int64_t before, std::int64_t queries) const {
    auto const of_first = [&](std::int64_t n) {
        std::int64_t const full = n / split;
        return split * full * (full + 1) / 2 + (n % split) * (full + 1);
    };
    return of_first(before + queries) - of_first(before);
}

CacheDeal cache_deal(Design const& d, LanguageModel const& model) {
    std::int64_t const all = d.batch * model.kv_heads;
    return {sim::divide_up(all, d.dpus), std::max<std::int64_t>(1, d.dpus / all)};
}

/// `count` passes of `queries` positions, the first after `before` positions, in groups that are represented by their
/// mean.
void add_groups(std::vector<AlikePasses>& to, std::int64_t groups, std::int64_t before, std::int64_t queries,
                std::int64_t count) {
    for (std::int64_t g = 0; g < std::min(groups, count); ++g) {
        std::int64_t const used = std::min(groups, count);
        std::int64_t const first = g * count / used, last = (g + 1) * count / used - 1;
        to.push_back({before + queries * ((first + last) / 2), queries, last - first + 1});
    }
}

/// Passes of the prompt, in groups of equal length that are represented by their mean context.
std::vector<AlikePasses> prompt_passes(MachineConstants const& f, Design const& d) {
    std::int64_t const queries = std::clamp<std::int64_t>(f.allowance.call_positions / d.batch, 1, d.input);
    std::vector<AlikePasses> passes;
    add_groups(passes, f.allowance.pass_groups, 0, queries, d.input / queries);
    std::int64_t const rest = d.input % queries;
    if (rest > 0) passes.push_back({d.input - rest, rest, 1});
    return passes;
}

/// Passes of the tokens after the first.
std::vector<AlikePasses> token_passes(MachineConstants const& f, Design const& d) {
    std::vector<AlikePasses> passes;
    add_groups(passes, f.allowance.pass_groups, d.input, 1, d.output - 1);
    return passes;
}

/// Launches of passes, with the data that each sends and the work of the host after it.
class PassPlan {
  public:
    PassPlan(Prepared const& p, Design const& d)
        : p_(p), d_(d), k_(p.kernels[d.kernel]), model_(p.models[d.llm - 1]), deal_(cache_deal(d, model_)) {
        plan_.pipelined = false;
    }

    void add(AlikePasses const& pass) {
        auto const first = plan_.launches.size();
        for (auto const& group : matrix_groups(model_)) {
            add_products(group, pass);
            if (group.is_attention) add_attention(pass);
        }
        plan_.launches.at(first).opens_layer = true;
    }
    /// LM head for the last position of every sequence; the host selects the most likely token.
    void add_head(std::int64_t count) {
        add_product("lm_head", model_.vocabulary, head_inputs(model_), 1, d_.batch, count, 0.0);
    }
    [[nodiscard]] Plan plan() && { return std::move(plan_); }

  private:
    [[nodiscard]] double hidden_of(double positions) const { return positions * as_double(model_.hidden); }

    /// The host processes every result once to scale it; then the residual stream and its norm, or the activation
    /// function.
    [[nodiscard]] double host_behind(MatrixGroup const& group, double positions) const {
        if (group.ends_block) return hidden_of(positions) * (1.0 + p_.machine.norm_operations);
        double const rotated = as_double(model_.query_width() + model_.kv_width());
        if (group.is_attention) return model_.learned_positions ? 0.0 : positions * rotated;
        return positions * as_double(group.rows);
    }

    void add_products(MatrixGroup const& group, AlikePasses const& pass) {
        std::int64_t const positions = pass.queries * d_.batch;
        add_product(group.name, group.rows, group.inputs, group.vectors, positions, model_.layers * pass.count,
                    host_behind(group, as_double(positions)));
    }

    void add_product(std::string const& what, std::int64_t rows, std::int64_t inputs, std::int64_t vectors,
                     std::int64_t positions, std::int64_t count, double host) {
        std::int64_t const mine = positions * sim::divide_up(rows, d_.dpus);
        double const sent = whole_words(as_double(positions * vectors * inputs) * k_.mac_bytes);
        plan_.launches.push_back({what, matrix_task(p_, d_, mine, inputs), 0.0, sent,
                                  whole_words(as_double(mine) * k_.output_bytes), count,
                                  host + as_double(positions) * as_double(rows)});
    }

    /// Scores: a row is a key. Values: a row is the contribution of one position to the result. The kernel is that of
    /// the products, with blocks no longer than a row. The host turns scores into weights and adds the results of the
    /// DPUs of a unit.
    void add_attention(AlikePasses const& pass) {
        std::int64_t const group = model_.heads / model_.kv_heads, width = model_.head_dimension;
        std::int64_t const rows = deal_.units * group * deal_.positions_seen(pass.before, pass.queries);
        double const queries = as_double(deal_.units * group * pass.queries * width);
        double const added = as_double(deal_.units * deal_.positions(pass.queries) * 2 * width);
        double const heads = as_double(d_.batch * model_.heads),
                     keys = as_double(CacheDeal{}.positions_seen(pass.before, pass.queries));
        Design narrow = d_;
        narrow.dma_block = std::min(d_.dma_block, sim::whole_part(whole_words(as_double(width) * k_.mac_bytes)));
        Task const task = matrix_task(p_, narrow, rows, width);
        std::int64_t const count = model_.layers * pass.count;
        plan_.launches.push_back({"scores", task, whole_words((queries + added) * k_.mac_bytes), 0.0,
                                  whole_words(as_double(rows) * k_.output_bytes), count,
                                  heads * keys * p_.machine.softmax_operations});
        plan_.launches.push_back({"values", task, whole_words(as_double(rows) * k_.mac_bytes), 0.0,
                                  whole_words(queries * k_.output_bytes), count,
                                  heads * as_double(pass.queries * width * deal_.split)});
    }

    Prepared const& p_;
    Design const& d_;
    Kernel const& k_;
    LanguageModel const& model_;
    CacheDeal deal_;
    Plan plan_;
};

Plan prompt_plan(Prepared const& p, Design const& d) {
    PassPlan plan(p, d);
    for (auto const& pass : prompt_passes(p.machine, d)) plan.add(pass);
    plan.add_head(1);
    return std::move(plan).plan();
}

Plan token_plan(Prepared const& p, Design const& d) {
    PassPlan plan(p, d);
    for (auto const& pass : token_passes(p.machine, d)) plan.add(pass);
    if (d.output > 1) plan.add_head(d.output - 1);
    return std::move(plan).plan();
}

/// Keys and values up to the last token but one, in the fullest DPU.
double cache_bytes(Design const& d, Kernel const& k, LanguageModel const& model) {
    auto const deal = cache_deal(d, model);
    double const per_layer = as_double(deal.units * deal.positions(d.input + d.output - 1) * 2 * model.head_dimension);
    return as_double(model.layers) * per_layer * k.mac_bytes;
}

void set_residents(std::vector<RequestPart>& parts, double held, double wram) {
    double buffers = 0.0;
    for (auto const& part : parts) {
        for (auto const& launch : part.plan.launches)
            buffers = std::max(buffers, launch.input + launch.shared + launch.output);
    }
    for (auto& part : parts) {
        part.plan.resident = part.plan.resident_bank = held + buffers;
        part.plan.wram = wram;
    }
}

}  // namespace

double host_table_bytes(Prepared const& p, Design const& d) {
    if (!d.is_request()) return 0.0;
    return as_double(lm_head_weights(p.models[d.llm - 1])) * p.kernels[d.kernel].mac_bytes;
}

std::vector<RequestPart> request_parts(Prepared const& p, Design const& d) {
    if (d.llm == 0) return {{"", plan(p, d)}};
    if (!d.is_request()) return {{"", step_plan(p, d)}};
    auto const& k = p.kernels[d.kernel];
    auto const& model = p.models[d.llm - 1];
    std::vector<RequestPart> parts{{"prefill", prompt_plan(p, d)}, {"decode", token_plan(p, d)}};
    parts.back().plan.continues = true;
    set_residents(parts, weight_bytes(k, d, model) + cache_bytes(d, k, model), wram_of(k, d));
    return parts;
}

namespace {

void add_matrix(Plan& plan, Prepared const& p, Design const& d, std::string what, std::int64_t rows,
                std::int64_t inputs, std::int64_t count) {
    auto const& k = p.kernels[d.kernel];
    std::int64_t const mine = sim::divide_up(rows, d.dpus);
    plan.launches.push_back({std::move(what), matrix_task(p, d, mine, inputs), 0.0,
                             whole_words(static_cast<double>(inputs) * k.mac_bytes),
                             static_cast<double>(mine) * k.output_bytes, count});
}

}  // namespace

std::vector<MatrixGroup> matrix_groups(LanguageModel const& model) {
    std::vector<MatrixGroup> groups;
    bool joins = false;
    for (auto const& m : layer_matrices(model)) {
        if (!joins) groups.push_back({"", 0, m.inputs});
        auto& group = groups.back();
        group.name += (joins ? "+" : "") + m.name;
        group.rows += m.outputs * m.active;
        group.vectors = m.name == "down" ? m.active : 1;
        group.ends_block = m.name == "o" || m.name == "down";
        group.is_attention = m.name == "v";
        joins = m.name == "q" || m.name == "k" || m.name == "gate";
    }
    return groups;
}

std::int64_t head_inputs(LanguageModel const& model) { return lm_head_weights(model) / model.vocabulary; }

double weight_bytes(Kernel const& k, Design const& d, LanguageModel const& model) {
    double layer = 0.0;
    for (auto const& m : layer_matrices(model)) {
        layer += static_cast<double>(sim::divide_up(m.outputs * m.count, d.dpus)) * static_cast<double>(m.inputs);
    }
    auto const head = static_cast<double>(sim::divide_up(model.vocabulary, d.dpus) * head_inputs(model));
    return (layer * static_cast<double>(model.layers) + head) * k.mac_bytes;
}

Plan step_plan(Prepared const& p, Design const& d) {
    auto const& k = p.kernels[d.kernel];
    auto const& model = p.models[d.llm - 1];
    Plan result;
    result.pipelined = false;
    for (auto const& group : matrix_groups(model))
        add_matrix(result, p, d, group.name, group.rows, group.inputs, model.layers);
    result.launches.at(0).opens_layer = true;
    add_matrix(result, p, d, "lm_head", model.vocabulary, head_inputs(model), 1);
    double vector = 0.0;
    for (auto const& launch : result.launches) vector = std::max(vector, launch.shared + launch.output);
    result.resident = weight_bytes(k, d, model) + vector;
    result.resident_bank = result.resident;
    result.wram = wram_of(k, d);
    return result;
}

}  // namespace pimdse::models::upmem
