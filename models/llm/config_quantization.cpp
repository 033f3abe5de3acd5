#include "models/llm/config_quantization.hpp"

#include "models/llm/config_modules.hpp"
#include "models/llm/limits.hpp"
#include "sim/base/number_in.hpp"
#include "sim/base/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace pimdse::models {
namespace {

/// A method by which weights are converted, with the name that files have for it.
struct FormatMethod {
    std::string_view name;
    /// Reads the section of a file into rules.
    void (*read)(ConfigReader& file, FormatRules& rules);
};

constexpr int half_scale = 16, single_scale = 32, byte = 8;  ///< bits of a scale

NumberFormat of_bits(double bits, bool floating) {
    NumberFormat f;
    f.bits = bits;
    f.floating = floating;
    return f;
}

/// Products multiply activations that are converted to so many bits.
NumberFormat with_activations(NumberFormat f, double bits, bool floating) {
    f.activation_bits = bits;
    f.activation_floats = floating;
    return f;
}

/// Inputs of a group; 0 for one group of all inputs, which files state as -1.
std::int64_t group_size(ConfigReader& file, std::string_view field, std::int64_t otherwise) {
    return std::max<std::int64_t>(file.number_or(field, -1, max_width, otherwise), 0);
}

double bits_of(ConfigReader& file, std::string_view field, double otherwise) {
    constexpr std::int64_t most = 8;
    return static_cast<double>(file.number_or(field, 1, most, static_cast<std::int64_t>(otherwise)));
}

/// Modules of a list that keep 16 bits.
void keep(ConfigReader& file, std::string_view field, Names meaning, FormatRules& rules) {
    for (auto const& name : file.texts(field)) rules.rules.emplace_back(file, field, name, meaning, NumberFormat{});
}

/// Groups of inputs of an output with a scale and a zero point, also where scales are symmetric.
NumberFormat grouped(ConfigReader& file, NumberFormat const& otherwise) {
    auto f = of_bits(bits_of(file, "bits", bits_of(file, "w_bit", otherwise.bits)), false);
    f.group_inputs = group_size(file, "group_size", group_size(file, "q_group_size", otherwise.group_inputs));
    f.scale_bits = half_scale;
    f.zero_bits = f.bits;
    f.input_bits = otherwise.input_bits;
    return f;
}

NumberFormat usual_groups() {
    constexpr std::int64_t inputs = 128;
    auto f = of_bits(4, false);
    f.group_inputs = inputs;
    return f;
}

/// Every input states its group. `dynamic` has expressions for modules: "-:" before those that are not converted, "+:"
/// before those with other numbers.
void read_gptq(ConfigReader& file, FormatRules& rules) {
    auto usual = usual_groups();
    usual.input_bits = single_scale;
    rules.usual = grouped(file, usual);
    rules.head = file.flag_or("lm_head", false);
    auto dynamic = file.inside("dynamic");
    for (auto const& name : dynamic.names()) {
        bool const out = name.starts_with("-:");
        auto const pattern = "re:" + (out || name.starts_with("+:") ? name.substr(2) : name);
        auto own = dynamic.inside(name);
        rules.rules.emplace_back(file, "dynamic", pattern, Names::exact,
                                 out ? NumberFormat{} : grouped(own, rules.usual));
    }
    keep(file, "modules_to_not_convert", Names::parents, rules);
}

void read_awq(ConfigReader& file, FormatRules& rules) {
    rules.usual = grouped(file, usual_groups());
    keep(file, "modules_to_not_convert", Names::parents, rules);
}

/// As of AWQ. `extra_config` has modules, or expressions, with other numbers; those of more than 8 bits are not
/// converted.
void read_auto_round(ConfigReader& file, FormatRules& rules) {
    constexpr std::int64_t widest = 32;
    rules.usual = grouped(file, usual_groups());
    file.ignore("act_group_size");  // of activations
    if (auto const type = file.text_or("data_type", "int"); type != "int")
        file.mistake("data_type", fmt::format("data_type = \"{}\" is not supported (int is)", sim::clipped(type)));
    auto modules = file.inside("extra_config");
    rules.head = modules.has("lm_head");
    for (auto const& name : modules.names()) {
        auto own = modules.inside(name);
        bool const out = own.number_or("bits", 1, widest, 1) > byte;
        auto const pattern = name.find_first_of("*\\[(") == name.npos ? name : "re:" + name;
        rules.rules.emplace_back(file, "extra_config", pattern, Names::exact,
                                 out ? NumberFormat{} : grouped(own, rules.usual));
    }
}

/// 8 bits: a scale of 32 bits per output. 4 bits: one for 64 weights, which `bnb_4bit_use_double_quant` stores in 8
/// bits, with a scale of 32 bits for 256 of them.
void read_bitsandbytes(ConfigReader& file, FormatRules& rules) {
    constexpr std::int64_t block = 64;
    constexpr int scales_together = 256;
    bool const narrow = file.flag_or("load_in_4bit", false);
    if (narrow == file.flag_or("load_in_8bit", false))
        file.mistake("load_in_8bit", "one of load_in_4bit and load_in_8bit must be true");
    rules.usual = of_bits(narrow ? 4 : 8, false);
    if (!narrow) rules.usual = with_activations(rules.usual, byte, false);
    rules.usual.group_inputs = narrow ? block : 0;
    rules.usual.scale_bits = narrow && file.flag_or("bnb_4bit_use_double_quant", false)
                                 ? byte + double{single_scale} / scales_together
                                 : single_scale;
    keep(file, "llm_int8_skip_modules", Names::parents, rules);
}

/// Blocks of outputs and inputs that share a scale.
bool read_block(ConfigReader& file, std::string_view field, NumberFormat& f) {
    auto const block = file.counts(field, max_width);
    if (block.size() != 2) return false;
    f.group_outputs = block[0];
    f.group_inputs = block[1];
    return true;
}

/// A scale for each block of `weight_block_size` outputs and inputs, or for each matrix.
void read_fp8(ConfigReader& file, FormatRules& rules) {
    auto& f = rules.usual;
    f = with_activations(of_bits(byte, true), byte, true);
    f.group_outputs = 0;
    f.scale_bits = single_scale;
    if (!read_block(file, "weight_block_size", f) && file.has("weight_block_size"))
        file.mistake("weight_block_size", "weight_block_size is not a list of two numbers");
    keep(file, "modules_to_not_convert", Names::parents, rules);
    keep(file, "ignored_layers", Names::parents, rules);
}

/// 8 bits, and a scale of `scale_bits` for each output.
template <bool floating, int scale_bits, bool activations>
void read_outputs(ConfigReader& file, FormatRules& rules) {
    rules.usual = of_bits(byte, floating);
    if (activations) rules.usual = with_activations(rules.usual, byte, floating);
    rules.usual.scale_bits = scale_bits;
    keep(file, "modules_to_not_convert", Names::parents, rules);
}

/// Weights of -1, 0 and 1, four in a byte, and a scale for each matrix; `online` ones are converted as they are read.
void read_bitnet(ConfigReader& file, FormatRules& rules) {
    if (file.text_or("quantization_mode", "offline") == "online") return;
    rules.usual = with_activations(of_bits(2, false), byte, false);
    rules.usual.group_outputs = 0;
    rules.usual.scale_bits = half_scale;
    keep(file, "modules_to_not_convert", Names::parents, rules);
}

/// 4 bits, and a scale of 8 for so many inputs.
NumberFormat small_blocks(std::int64_t inputs) {
    auto f = of_bits(4, true);
    f.group_inputs = inputs;
    f.scale_bits = byte;
    return f;
}
constexpr std::int64_t mx_block = 32, nv_block = 16;

/// Experts only.
void read_mxfp4(ConfigReader& file, FormatRules& rules) {
    rules.usual = small_blocks(mx_block);
    keep(file, "modules_to_not_convert", Names::parents, rules);
    rules.rules.emplace_back(file, "quant_method", R"(re:(?!.*\.experts))", Names::exact, NumberFormat{});
}

/// The groups that `strategy` names.
void read_strategy(ConfigReader& weights, NumberFormat& f) {
    auto const strategy = weights.text_or("strategy", weights.has("group_size") ? "group" : "tensor");
    constexpr std::int64_t usual_group = 128;
    if (strategy == "channel") return;
    if (strategy == "tensor") {
        f.group_outputs = 0;
    } else if (strategy == "group" || strategy == "tensor_group") {
        f.group_inputs = group_size(weights, "group_size", usual_group);
    } else if (strategy != "block" || !read_block(weights, "block_structure", f)) {
        weights.mistake("strategy",
                        fmt::format("strategy = \"{}\" is not supported (these are: tensor, channel, group, "
                                    "tensor_group, and block with block_structure)",
                                    sim::clipped(strategy)));
    }
}

/// What a group of formats stores of its weights. Scales are as wide as activations (16 bits), except in formats whose
/// scales are floats of 8 bits, beside a scale of 32 bits of each matrix in nvfp4.
NumberFormat compressed_weights(ConfigReader& group, std::string const& layout_of_all) {
    if (!group.has("weights")) return {};
    auto weights = group.inside("weights");
    auto f = of_bits(bits_of(weights, "num_bits", byte), weights.text_or("type", "int") == "float");
    if (group.is_on("input_activations")) {
        auto activations = group.inside("input_activations");
        auto const bits = activations.number_or("num_bits", 1, half_scale, byte);
        f = with_activations(f, static_cast<double>(bits), activations.text_or("type", "int") == "float");
    }
    read_strategy(weights, f);
    auto const layout = group.text_or("format", layout_of_all), dtype = weights.text_or("scale_dtype", "");
    bool const narrow = layout.starts_with("nvfp4") || layout.starts_with("mxfp4") ||
                        dtype.find("float8") != dtype.npos || dtype.find("uint8") != dtype.npos;
    f.scale_bits = narrow ? byte : half_scale;
    f.zero_bits = weights.flag_or("symmetric", true) ? 0.0 : f.bits;
    f.input_bits = weights.text_or("actorder", "") == "group" ? single_scale : 0.0;
    f.matrix_bits = layout.starts_with("nvfp4") ? single_scale : 0.0;
    return f;
}

/// Keys and values, with the scales of their groups, as `kv_cache_scheme` or NVIDIA's name says.
void read_cache(ConfigReader& file, FormatRules& rules) {
    if (file.is_on("kv_cache_scheme")) {
        auto scheme = file.inside("kv_cache_scheme");
        auto f = of_bits(bits_of(scheme, "num_bits", byte), scheme.text_or("type", "float") == "float");
        f.group_inputs = group_size(scheme, "group_size", 0);
        f.scale_bits = f.group_inputs > 0 ? half_scale : 0.0;
        rules.cache = f;
        return;
    }
    auto const name = file.text_or("kv_cache_quant_algo", "");
    if (name == "FP8" || name == "INT8")
        rules.cache = of_bits(byte, name == "FP8");
    else if (name == "NVFP4")
        rules.cache = small_blocks(nv_block);
    else if (!name.empty() && name != "NONE")
        file.mistake("kv_cache_quant_algo",
                     fmt::format("kv_cache_quant_algo = \"{}\" is not supported (these are: FP8, INT8, NVFP4)",
                                 sim::clipped(name)));
}

/// Groups of formats, each for its targets: a class ("Linear"), a module, or an expression.
void read_compressed(ConfigReader& file, FormatRules& rules) {
    keep(file, "ignore", Names::exact, rules);
    auto groups = file.inside("config_groups");
    auto const names = groups.names();
    if (names.empty()) file.mistake("config_groups", "config_groups has no groups (a format for its targets)");
    auto const layout = file.text_or("format", "");
    for (auto const& name : names) {
        auto group = groups.inside(name);
        auto const format = compressed_weights(group, layout);
        if (group.texts("targets").empty())
            file.mistake(name, fmt::format("group '{}' has no targets (\"Linear\", modules or expressions)",
                                           sim::clipped(name)));
        for (auto const& target : group.texts("targets")) {
            if (target == "Linear") {
                rules.usual = format;
            } else if (target.find(".") != target.npos || target.starts_with("re:") || target == "lm_head") {
                rules.rules.emplace_back(file, "targets", target, Names::exact, format);
            } else if (target != "Embedding" && target != "Attention") {
                group.mistake("targets", fmt::format("'{}' is neither Linear nor a module nor an expression",
                                                     sim::clipped(target)));
            }
        }
    }
    rules.head = rules.router = true;
    auto sparsity = file.inside("sparsity_config");
    if (auto const kind = sparsity.text_or("format", "dense"); kind != "dense")
        file.mistake("sparsity_config", fmt::format("sparse weights ({}) are not modelled", sim::clipped(kind)));
    file.refuse("transform_config", "rotations of inputs and weights are not modelled");
    read_cache(file, rules);
}

/// What a name of NVIDIA's library says of activations: they are as the weights unless it has other bits behind "A"
/// ("W4A8_AWQ", "W4A8_MXFP4_FP8": floats of 8), or says "weights only".
NumberFormat modelopt_activations(NumberFormat f, std::string const& name) {
    if (name.find("A16") != name.npos || name.ends_with("_WO")) return f;
    if (name.starts_with("W4A8")) return with_activations(f, byte, true);
    return with_activations(f, f.bits, f.floating);
}

/// The formats of NVIDIA's library by their names; scales of whole matrices have 32 bits.
NumberFormat modelopt_format(ConfigReader& file, std::string const& name) {
    constexpr std::int64_t block = 128;
    auto f = of_bits(byte, true);
    auto const of = [&](std::string_view part) { return name.find(part) != name.npos; };
    if (of("NVFP4")) {
        f = small_blocks(group_size(file, "group_size", nv_block));
        f.matrix_bits = single_scale;
    } else if (of("MXFP4") || of("MXFP8")) {
        f = small_blocks(mx_block);
        f.bits = of("MXFP8") ? byte : f.bits;
    } else if (name.starts_with("FP8")) {
        f.scale_bits = single_scale;
        bool const blocks = name.starts_with("FP8_PB") || name.starts_with("FP8_BLOCK");
        if (name == "FP8") f.group_outputs = 0;
        if (blocks) f.group_inputs = f.group_outputs = block;
    } else if (name.starts_with("W4A")) {
        f = of_bits(4, false);
        f.group_inputs = group_size(file, "group_size", block);
        f.scale_bits = half_scale;
        f.input_bits = name.ends_with("AWQ") ? half_scale : 0.0;
    } else if (name.starts_with("W8A8") || name == "INT8" || name == "W8A16") {
        f.floating = false;
        f.scale_bits = single_scale;
    } else {
        file.mistake("quant_algo", fmt::format("quant_algo = \"{}\" is not supported (these are: FP8, NVFP4, MXFP4, "
                                               "W4A16_AWQ, W8A8 and MIXED_PRECISION of them)",
                                               sim::clipped(name)));
    }
    return modelopt_activations(f, name);
}

/// Also of a section that has the object of an hf_quant_config.json in it.
void read_modelopt(ConfigReader& file, FormatRules& rules) {
    if (file.is_on("quantization")) {
        if (file.has("quant_algo"))
            file.mistake("quant_algo",
                         "both 'quant_algo' and the one inside 'quantization' are given. Leave out either?");
        auto inner = file.inside("quantization");
        read_modelopt(inner, rules);
        return inner.refuse_unknown_shapes();
    }
    for (auto const* field : {"ignore", "exclude_modules"}) keep(file, field, Names::wildcards, rules);
    auto const name = file.text_or("quant_algo", "");
    if (name == "MIXED_PRECISION") {
        auto single_layers = file.inside("quantized_layers");
        for (auto const& module : single_layers.names()) {
            auto own = single_layers.inside(module);
            rules.rules.emplace_back(file, "quantized_layers", module, Names::parents,
                                     modelopt_format(own, own.text_or("quant_algo", "")));
        }
    } else if (!name.empty()) {
        rules.usual = modelopt_format(file, name);
    }
    rules.head = rules.router = true;
    read_cache(file, rules);
    if (name.empty() && rules.cache == NumberFormat{} && !file.is_on("kv_cache_quant_algo"))
        file.mistake("quant_algo",
                     "'quant_algo' is missing (FP8, NVFP4 and the like), and so are formats of the cache");
}

/// Groups with a scale and a bias, or blocks of a standard format.
NumberFormat mlx_format(ConfigReader& file, NumberFormat const& otherwise) {
    auto const mode = file.text_or("mode", "affine");
    for (auto const* of_mode : {"bits", "group_size"}) file.ignore(of_mode);
    if (mode == "nvfp4") return small_blocks(nv_block);
    if (mode.starts_with("mxfp")) {
        auto f = small_blocks(mx_block);
        f.bits = mode == "mxfp8" ? byte : f.bits;
        return f;
    }
    if (mode != "affine") file.mistake("mode", fmt::format("mode = \"{}\" is not supported", sim::clipped(mode)));
    auto f = grouped(file, otherwise);
    f.zero_bits = half_scale;
    return f;
}

/// All matrices and the embedding. A key of a module has numbers of its own, or false.
void read_mlx(ConfigReader& file, FormatRules& rules) {
    constexpr std::int64_t inputs = 64;
    auto usual = usual_groups();
    usual.group_inputs = inputs;
    rules.usual = mlx_format(file, usual);
    rules.head = rules.embedding = rules.router = true;
    for (auto const& name : file.names()) {
        auto const* value = file.value(name);
        bool const of_module = value->is_object() || value->is_boolean();
        if (!of_module) continue;
        if (value->is_boolean()) {
            if (!value->get<bool>()) rules.rules.emplace_back(file, name, name, Names::exact, NumberFormat{});
            continue;
        }
        auto own = file.inside(name);
        rules.rules.emplace_back(file, name, name, Names::exact, mlx_format(own, rules.usual));
    }
}

/// The numbers of a type of AMD's library: a kind and bits, as "fp8_e4m3" and "uint4". Nothing if it is not known.
std::optional<ProductFormat> quark_type(std::string const& type) {
    auto const kind = type.substr(0, type.find_first_of("0123456789"));
    auto const bits = sim::number_in<int>(type.substr(kind.size(), type.find('_') - kind.size()));
    bool const known = (kind == "fp" || kind == "int" || kind == "uint") && bits && *bits > 1 && *bits <= byte;
    return known ? std::optional(ProductFormat{static_cast<double>(*bits), kind == "fp"}) : std::nullopt;
}

bool is_wide(std::string const& type) { return type.empty() || type.find("float") != type.npos; }

/// What a specification says of weights.
NumberFormat quark_format(ConfigReader& part, std::string_view of) {
    auto spec = part.inside(of);
    auto const type = spec.text_or("dtype", ""), scheme = spec.text_or("qscheme", "per_tensor");
    if (is_wide(type)) return {};
    auto const known = quark_type(type);
    auto const numbers = known.value_or(ProductFormat{byte, false});
    auto f = of_bits(numbers.bits, numbers.floating);
    if (scheme == "per_tensor") f.group_outputs = 0;
    if (scheme == "per_group") f.group_inputs = group_size(spec, "group_size", mx_block);
    if (!known || (scheme != "per_channel" && scheme != "per_tensor" && scheme != "per_group"))
        spec.mistake("dtype", fmt::format("dtype = \"{}\" with qscheme = \"{}\" is not supported (these are: fp8_e4m3, "
                                          "fp4, int8, int4 and the like, per_tensor, per_channel and per_group)",
                                          sim::clipped(type), sim::clipped(scheme)));
    f.scale_bits = spec.has("scale_format") && scheme == "per_group" ? byte : half_scale;
    f.zero_bits = f.floating || spec.flag_or("symmetric", true) ? 0.0 : f.bits;
    return f;
}

/// The formats of a matrix and of what it is multiplied by.
NumberFormat quark_product(ConfigReader& part) {
    auto const weights = quark_format(part, "weight");
    if (!part.is_on("input_tensors") || weights == NumberFormat{}) return weights;
    auto spec = part.inside("input_tensors");
    auto const type = spec.text_or("dtype", "");
    if (is_wide(type)) return weights;
    auto const activations = quark_type(type);
    if (!activations)
        spec.mistake("dtype", fmt::format("dtype = \"{}\" of activations is not supported (these are: fp8_e4m3, fp4, "
                                          "int8 and the like)",
                                          sim::clipped(type)));
    return activations ? with_activations(weights, activations->bits, activations->floating) : weights;
}

/// One specification for all, and others by names of modules. Outputs of matrices of keys are what the cache stores.
void read_quark(ConfigReader& file, FormatRules& rules) {
    auto usual = file.inside("global_quant_config");
    keep(file, "exclude", Names::wildcards, rules);
    for (auto const* field : {"layer_quant_config", "kv_cache_quant_config"}) {
        auto modules = file.inside(field);
        for (auto const& name : modules.names()) {
            auto own = modules.inside(name);
            rules.rules.emplace_back(file, field, name, Names::wildcards, quark_product(own));
            if (name.ends_with("k_proj")) rules.cache = of_bits(quark_format(own, "output_tensors").bits, true);
        }
    }
    rules.usual = quark_product(usual);
    rules.head = rules.router = true;
}

constexpr std::array methods{
    FormatMethod{"auto-round", read_auto_round},
    FormatMethod{"awq", read_awq},
    FormatMethod{"bitnet", read_bitnet},
    FormatMethod{"bitsandbytes", read_bitsandbytes},
    FormatMethod{"compressed-tensors", read_compressed},
    FormatMethod{"eetq", read_outputs<false, half_scale, false>},
    FormatMethod{"fbgemm_fp8", read_outputs<true, single_scale, true>},
    FormatMethod{"fp8", read_fp8},
    FormatMethod{"gptq", read_gptq},
    FormatMethod{"mlx", read_mlx},
    FormatMethod{"modelopt", read_modelopt},
    FormatMethod{"mxfp4", read_mxfp4},
    FormatMethod{"quark", read_quark},
};

/// Experts of a checkpoint in fp8 that are in a format of their own: the name of it in DeepSeek-V4, and in MiMo-V2.6.
void read_expert_format(ConfigReader& file, FormatRules& rules) {
    constexpr std::array<std::array<std::string_view, 2>, 2> names{{{"expert_dtype", "fp4"}, {"store_dtype", "mxfp4"}}};
    for (auto const& [field, narrow] : names) {
        if (!file.has(field)) continue;
        auto const name = file.text_or(field, "fp8");
        if (name == narrow)
            rules.rules.emplace_back(
                file, field, R"(re:.*\.experts\.)", Names::exact,
                with_activations(small_blocks(group_size(file, "mxfp4_block_size", mx_block)), byte, true));
        else if (name != "fp8")
            file.mistake(
                field, fmt::format("{} = \"{}\" is not supported ({} and fp8 are)", field, sim::clipped(name), narrow));
    }
}

/// Bits of a parameter that is not converted.
double plain_bits(ConfigReader& file, ConfigReader& around) {
    for (auto* reader : {&file, &around}) {
        auto const dtype = reader->text_or("dtype", reader->text_or("torch_dtype", ""));
        if (dtype.ends_with("float64")) return 64;
        if (dtype.ends_with("float32") || dtype == "float") return 32;
        if (dtype.find("float8") != dtype.npos) return 8;
        if (!dtype.empty()) break;
    }
    return 16;
}

/// The object that states formats, and where it is.
struct Section {
    ConfigReader reader;
    std::string field;
};

std::optional<Section> section_of(ConfigReader& file, ConfigReader& around) {
    for (auto* outer : {&file, &around}) {
        for (auto const* field : {"quantization_config", "compression_config", "quantization"}) {
            if (!outer->is_on(field)) continue;
            for (auto const* same : {"quantization_config", "compression_config", "quantization"}) outer->ignore(same);
            return Section{outer->inside(field), field};
        }
    }
    return std::nullopt;
}

/// The name of a method without that of its author ("intel/auto-round") and of the kernels that compute with it
/// ("awq_marlin"); "modelopt_fp4" states its formats as "modelopt" does.
std::string without_kernels(std::string name) {
    constexpr std::string_view kernels = "_marlin", library = "modelopt";
    name.erase(0, name.rfind('/') + 1);
    if (name.ends_with(kernels)) name.resize(name.size() - kernels.size());
    return name.starts_with(library) ? std::string(library) : name;
}

/// The method that a section names, or whose keys it has.
std::string method_of(Section& section, bool of_mlx) {
    auto& reader = section.reader;
    auto name = reader.text_or("quant_method", "");
    if (!name.empty()) return without_kernels(std::move(name));
    if (reader.has("load_in_8bit") || reader.has("load_in_4bit")) return "bitsandbytes";
    if (reader.has("quant_algo")) return "modelopt";
    if (reader.has("config_groups")) return "compressed-tensors";
    return of_mlx && reader.has("bits") ? "mlx" : "";
}

void read_section(ConfigReader& outer, Section section, bool of_mlx, ConfigFamily const& family, LanguageModel& model,
                  std::vector<LayerKind>& layers) {
    if (section.reader.names().empty()) return;
    auto const name = method_of(section, of_mlx);
    auto const found = std::ranges::find(methods, name, &FormatMethod::name);
    if (found != methods.end()) {
        FormatRules rules;
        rules.method = name;
        found->read(section.reader, rules);
        if (name == "fp8")
            for (auto* place : {&outer, &section.reader}) read_expert_format(*place, rules);
        for (auto const& plain : family.of_shape("plain"))
            rules.rules.emplace_back(outer, "model_type", plain.get<std::string>(), Names::parents, NumberFormat{});
        if (rules.usual != NumberFormat{} || !rules.rules.empty() || rules.cache != NumberFormat{})
            set_formats(section.reader, family, rules, model, layers);
        // A published config.json has what it has; a model file is written by hand.
        if (outer.file().extension() == ".toml")
            section.reader.refuse_unknown_fields();
        else
            section.reader.refuse_unknown_shapes();
        return;
    }
    std::vector<std::string> names;
    for (auto const& method : methods) names.emplace_back(method.name);
    if (name.empty())
        outer.mistake(section.field, fmt::format("'quant_method' is missing (one of {})", fmt::join(names, ", ")));
    else
        section.reader.mistake("quant_method", fmt::format("quant_method = \"{}\" is not supported.{}",
                                                           sim::clipped(name), sim::suggestion(name, names)));
}

}  // namespace

void read_quantization(ConfigReader& file, ConfigReader& around, ConfigFamily const& family, LanguageModel& model,
                       std::vector<LayerKind>& layers) {
    model.plain_bits = plain_bits(file, around);
    bool const of_mlx = file.is_on("quantization") || around.is_on("quantization");
    if (auto section = section_of(file, around)) {
        read_section(file, std::move(*section), of_mlx, family, model, layers);
        return;
    }
    auto const beside = file.file().parent_path() / "hf_quant_config.json";
    std::error_code error;
    if (file.file().filename() != "config.json" || !std::filesystem::exists(beside, error)) return;
    auto other = file.other(beside);
    model.remarks.push_back(fmt::format("formats of weights as in {}", beside.string()));
    read_section(other, {other.inside("quantization"), "quantization"}, false, family, model, layers);
}

}  // namespace pimdse::models
