"""Messages about command lines, spaces, tables and values."""
import shlex

from bad_input import HEAD
from conftest import ROOT
from messages import case, space

# Command lines
case("line.unknown_verb", "explor", 2, "'explor'", "'explore'")
case("line.unknown_flag", "explore --bugdet 3", 2, "'--bugdet'", "'--budget'")
case("line.shortened_flag", "explore x.toml -o a.h5 --bud 3", 2, "'--bud'", "'--budget'")
case("line.no_output", "explore quick", 2, "-o")
case("line.space_and_output_missing", "explore x.toml", 4, "x.toml")
case("line.unknown_list", "list spacs", 2, "'spacs'", "'spaces'")
case("line.no_architecture", "evaluate", 2, "ARCH")
case("line.too_many_files", "front a b", 2, "'b'", "FILE.h5")
case("line.setting_without_value", "evaluate umdam --set channels", 2, "--set", "channels")
case("line.setting_with_space", "evaluate umdam --set channels 8", 2, "'8'", "--set", "name=value")
case("line.unknown_format", "evaluate umdam --format xml", 2, "xml", "json", "csv")
case("line.no_point", "explain quick.h5", 2, "POINT", files={"quick.h5": None})
case("line.unknown_noc_verb", "noc rplay", 2, "'rplay'", "'replay'")
case("line.no_table", "noc check", 2, "CSV")
case("line.no_space", "flips", 2, "SPACE")
case("line.surplus", "explore quick x.h5", 2, "'x.h5'", "-o FILE.h5")
case("line.unknown_flag_of_program", "-v", 2, "'-v'", "--version")
case("line.result_as_machine", "evaluate a.h5", 2, "--from a.h5 --point ID")
case("line.machine_as_space", "explore gpu -o a.h5", 4, "gpu", "pimdse evaluate gpu", "pimdse list spaces")
case("line.space_as_result", "front s.toml", 3, "s.toml", "pimdse explore s.toml", files={"s.toml": HEAD})
case("line.missing_output", "explore quick", 2, "--output", "-o FILE.h5")
case("layout.unknown_matrix", "layout umdam --matrix query", 2, "'query'", "q", "lm_head")
case("layout.no_matrix", "layout umdam --row 1 --col 2", 2, "--row", "--matrix")
case("layout.row_alone", "layout umdam --matrix q --row 1", 2, "--row", "--col")
case("layout.row_beyond", "layout umdam --model opt-125m --matrix q --row 768 --col 0", 2, "--row", "767", "768")
case("layout.no_tiles", "layout umdam --set baseline=npu_only", 6, "layout", "npu_only")
case("layout.infeasible", "layout umdam --set mapping=conventional", 6, "pim_locality")
case("layout.other_machine", "layout gpu", 2, "gpu", "umdam")
case("line.internal_verb", "evaluate-apart", 2, "evaluate-apart")
for verb, words in {"report": "q.h5", "serve": "quick -o s.h5"}.items():
    case(f"format.unknown_to_{verb}", f"{verb} {words} --format json", 2, "'--format'", verb, "--threads")

# Values of flags
SMALL = {"s.toml": HEAD}
EXPLORE = "explore s.toml -o a.h5"
for name, words in {
    "budget_negative": "--budget -1", "threads_negative": "--threads -5", "threads_too_many": "--threads 1000000",
    "seed_fraction": "--seed 1.5", "time_limit_no_time": "--time-limit abc",
    "time_limit_endless": "--time-limit '1e300 s'",
    "shard_of_nothing": "--shard 0/-1", "shard_beyond": "--shard 3/3",
    "budget_fraction": "--budget 3.5", "time_limit_comma": "--time-limit '1,5 h'",
}.items():
    flag, value = shlex.split(words)
    case(f"flag.{name}", f"{EXPLORE} {words}", 2, flag, value, files=SMALL)
case("flag.where_unrefined", f"{EXPLORE} --where llm", 2, "--where", "--refine FILE.h5?", files=SMALL)
for name, flag, value, *facts in [
    ("fidelity_unknown", "fidelity", "nope", "analytic"), ("objective_unknown", "objectives", "nope"),
    ("strategy_unknown", "strategy", "nope", "sweep"), ("keep_unknown", "keep", "nope", "front"),
    ("strategy_sbol", "strategy", "sbol", "'sobol'"), ("strategy_lhs", "strategy", "lhs", "'sobol'"),
    ("strategy_latin_hypercube", "strategy", "latin_hypercube", "'sobol'"),
    ("strategy_grid", "strategy", "grid", "'sweep'"), ("strategy_nsga", "strategy", "nsga", "'nsga2'"),
    ("strategy_ladr", "strategy", "ladr", "'ladder'"),
]:
    case(f"flag.{name}", f"{EXPLORE} --{flag} {value}", 2, f"--{flag}: ", f"'{value}'", *facts, files=SMALL)
case("flag.objective_min", [*EXPLORE.split(), "--objectives", "min latency"], 2, "--objectives", "'min'", "minimize",
     files=SMALL)
for name, text, meant in [("and", "area <= 1 mm2 && vlen > 64", "'and'"), ("or", "vlen > 64 || vlen < 9", "'or'"),
                          ("at_most", "area =< 1 mm2", "'<='"), ("not", "!(vlen > 64)", "'not'")]:
    case(f"condition.{name}_of_another_language", ["front", "quick.h5", "--where", text], 3, meant,
         files={"quick.h5": None})
case("flag.quick_threads_negative", "quick s.toml --threads -1", 2, "--threads", "'-1'", files=SMALL)
case("flag.relative_nan", "diff a.h5 b.h5 --relative nan", 2, "--relative", "nan")
case("flag.relative_negative", "diff a.h5 b.h5 --relative -1", 2, "--relative", "-1")
case("flag.sample_negative", "verify a.h5 --sample -1", 2, "--sample", "-1")
case("flag.verify_seed_no_number", "verify a.h5 --seed x", 2, "--seed", "'x'")
case("flag.interval_nan", "watch a.h5 --interval nan", 2, "--interval", "nan")
case("flag.interval_negative", "watch a.h5 --interval -1", 2, "--interval", "-1")
case("flag.evaluate_fidelity", "evaluate umdam --fidelity exact", 2, "--fidelity", "'exact'", "analytic", "cycle")
case("flag.assumption_unknown", f"{EXPLORE} --assume node=3nm", 3, "--assume node=3nm", "5nm", files=SMALL)
case("flag.assumption_unknown_to_evaluate", "evaluate umdam --assume node=3nm", 3, "--assume node=3nm", "5nm")
case("flag.scenario_twice_one_name", "evaluate umdam --scenario a=input=3,input=4", 2, "--scenario", "input")
case("flag.scenario_weight", "evaluate umdam --scenario a=weight=-1,llm=opt-125m", 2, "weight", "0")
case("flag.scenario_twice", "evaluate umdam --scenario a=input=3 --scenario a=input=4", 2, "'a'")
case("flag.scenario_no_name", "evaluate umdam --scenario =input=3", 2, "''")
case("flag.scenario_unknown_parameter", "evaluate umdam --scenario a=inptu=3", 2, "inptu", "'input'")
case("flag.scenario_and_set", "evaluate umdam --scenario a=input=3 --set input=4", 2, "--set input")
case("flag.graph_and_format", "evaluate cim_mesh --graph --format json", 2, "--graph", "--format")
case("flag.graph_and_scenario", "evaluate cim_mesh --scenario a=input=3 --graph", 2, "--graph")
case("flag.graph_and_batch", "evaluate cim_mesh --graph --batch", 2, "--graph", "--batch")
case("flag.program_and_format", "evaluate cim_mesh --program --format json", 2, "--program", "--format")
case("flag.program_and_graph", "evaluate cim_mesh --program --graph", 2, "--graph", "--program")
case("flag.program_and_scenario", "evaluate cim_mesh --scenario a=input=3 --program", 2, "--program")
case("flag.program_and_batch", "evaluate cim_mesh --program --batch", 2, "--program", "--batch")
case("flag.program_of_other", "evaluate gpu --program", 3, "gpu", "cim_mesh")
case("value.program_of_serial", "evaluate cim_mesh --program", 3, "serial", "tree")
case("name.link", "links show nvlink9", 2, "nvlink9", "nvlink3")
case("name.topology", "links show nvlink4 --topology torus", 2, "torus", "ring")
case("flag.link_bytes", "links show nvlink4 --bytes 3s", 2, "--bytes", "'3s'")
case("flag.link_devices", "links show nvlink4 --devices 0", 2, "--devices", "'0'")
case("flag.graph_of_other", "evaluate gpu --graph", 3, "gpu", "cim_mesh")
case("flag.scenario_and_trace", "evaluate umdam --scenario a=input=3 --trace t.json", 2, "--trace")
case("flag.scenario_precision", "evaluate umdam --scenario a=precision=many", 2, "precision")

# Files that are not there
space("missing_and_unknown", HEAD + '[parameters]\nllm = "nowhere.toml"\nlora_rnk = 8\n', "s.toml:5", "s.toml:6",
      "'lora_rnk'", "'lora_rank'", mistakes=2)
case("output.no_folder", "explore quick -o no/such/folder/out.h5", 7, "no/such/folder")
case("output.no_result_file", "explore quick -o notes.txt --force", 2, "notes.txt", files={"notes.txt": "mine\n"})
case("output.exists", "explore quick -o quick.h5", 2, "quick.h5", "--resume", "--force", files={"quick.h5": None})

# Spaces
space("unknown_key", HEAD + "objectivs = 1\n", "s.toml:4", "objectivs", "'objectives'")
space("unknown_parameter", HEAD + "[parameters]\nlora_rnk = 8\n", "s.toml:5", "lora_rnk", "'lora_rank'")
space("unit_of_wrong_dimension", HEAD + '[parameters]\nfrequency = "4 GB"\n', "s.toml:5", "frequency", "4 GB")
space("unit_missing", HEAD + "[parameters]\nfrequency = 4\n", "s.toml:5", "frequency", "4")
space("list_empty", HEAD + "[parameters]\nlink_bits = []\n", "s.toml:5", "link_bits")
space("value_twice", HEAD + "[parameters]\nlink_bits = [64, 64]\n", "s.toml:5", "link_bits", "64")
space("no_permutation", 'schema = 1\narchitecture = "umdam"\nobjectives = ["ttft"]\n[parameters]\n'
      'mapping = { permute = ["row", "row"] }\n', "s.toml:5", "mapping", "row")
space("unknown_model", HEAD + '[parameters]\nllm = "llama-9"\n', "s.toml:5", "llm", "llama-9")
space("constraint_unknown_name", HEAD + '[[constraint]]\nname = "x"\nexpr = "latncy < 1 s"\n', "s.toml:6", "latncy",
      "'latency'")
space("not_toml", "schema = = 1\n", "s.toml:1", "TOML")
space("unknown_architecture", 'schema = 1\narchitecture = "cim"\nobjectives = ["latency"]\n', "s.toml:2", "'cim'")
space("unknown_strategy", HEAD + '[search]\nstrategy = "magic"\n', "s.toml:5", "magic")
space("unknown_keep", HEAD + '[search]\nkeep = "frnt"\n', "s.toml:5", "frnt", "'front'")
space("keep_front_random", HEAD + '[search]\nkeep = "front"\nstrategy = "random"\n', "s.toml:5", "'random'", "'sweep'")
space("range_backwards", HEAD + "[parameters]\nmesh_rows = { from = 8, to = 4 }\n", "s.toml:5", "mesh_rows", "'to'",
      "'from'")
space("three_mistakes", HEAD + '[parameters]\nlora_rnk = 8\nlink_bits = []\nfrequency = "4 GB"\n', "s.toml:5",
      "'lora_rank'", "s.toml:6", "link_bits", "s.toml:7", '"4 GB"', mistakes=3)
space("four_values", 'schema = 1\narchitecture = "upmem"\nobjectives = ["latency"]\n[parameters]\n'
      'frequency = ["250,5 MHz", "300 MHz"]\ndpus = [64.0, 128.5]\ntasklets = "8,16"\n'
      '[[constraint]]\nname = "soon"\nexpr = "latency <= 1,5 s"\n', 's.toml:5', '"250.5 MHz"', "s.toml:6", "128.5",
      "s.toml:7", "[8,16]", "s.toml:10", "1.5", mistakes=4)
space("deep_lists", "a = " + "[" * 50_000, "s.toml:1")
space("deep_keys", "a" + ".a" * 200_000 + " = 1", "s.toml:1")
space("deep_signs", HEAD + '[[constraint]]\nname = "x"\nexpr = "' + "-" * 40_000 + '1 < 2"\n', "s.toml:6")
space("deep_nots", HEAD + '[[constraint]]\nname = "x"\nexpr = "' + "not " * 2_000_000 + 'true"\n', "s.toml:6")
for architecture, wrong, meant in [
    ("umdam", "tltt", "ttlt"), ("dplena", "tltt", "latency"), ("dplena", "runtime", "latency"),
    ("umdam", "throughput", "tokens_per_second"), ("umdam", "enrgy", "energy"), ("umdam", "tpot", "time_per_token"),
]:
    space(f"metric_{wrong}_of_{architecture}",
          f'schema = 1\narchitecture = "{architecture}"\nobjectives = ["{wrong}"]\n',
          "s.toml:3", wrong, f"'{meant}'")
for name, objective, *facts in [
    ("sense_unknown", "latency - ttft", "minimize", "maximize"), ("units_differ", "latency + energy", "time", "energy"),
    ("metric_unknown", "latency + enrgy", "'energy'"), ("condition", "latency < 1 s"),
    ("sense_wrong", "maximize latency * energy"), ("no_metric", "2 * 3"),
]:
    space(f"formula_{name}", HEAD.replace("latency", objective), "s.toml:3", objective, *facts)
for name, lines, line, *facts in [
    ("epsilon_of_sweep", 'strategy = "sweep"\nepsilon = 0.1', 9, "epsilon", "'ladder'"),
    ("audit_of_nsga2", 'audit = 5\nstrategy = "nsga2"', 8, "audit", "'ladder'"),
    ("epsilon_too_large", 'strategy = "ladder"\nepsilon = 2', 9, "epsilon", "2"),
    ("keep_front_ladder", 'strategy = "ladder"\nkeep = "front"', 9, "'ladder'", "'sweep'", "keep 'all'"),
]:
    space(name, 'schema = 1\narchitecture = "dplena"\nobjectives = ["latency"]\n\n[parameters]\nvlen = [64, 128]\n'
          f"[search]\n{lines}\n", f"s.toml:{line}: ", *facts)
space("no_cycle_level", (ROOT / "spaces/gpu_batch.toml").read_text(), "'ladder'", "cycle", "gpu", "'sweep'",
      words="explore s.toml -o a.h5 --strategy ladder")

# Tables of the user's own
TABLE = ('schema = 2\narchitecture = "umdam"\nobjectives = ["latency"]\n[parameters]\nweight_bits = [4, 8]\n[table]\n'
         'file = "q.csv"\nkeys = [%s]\nmetrics = { %s }\n')
ACCURACY = TABLE % ('"weight_bits"', 'accuracy = "higher"')


def quality(name, space_text, cells, *facts, **more):
    files = {"s.toml": space_text} if cells is None else {"s.toml": space_text, "q.csv": cells}
    case(f"table.{name}", "explore s.toml -o a.h5", more.pop("code", 3), *facts, files=files, **more)


quality("file_missing", ACCURACY, None, "s.toml:7", "q.csv", code=4)
quality("file_empty", ACCURACY, "", "q.csv", "empty")
quality("no_rows", ACCURACY, "weight_bits,accuracy\n", "q.csv", "no rows")
quality("column_missing", ACCURACY, "weight_bits,accurracy\n4,1\n", "q.csv:1", "accuracy")
quality("no_number", ACCURACY, "weight_bits,accuracy\n4,best\n", "q.csv:2", "'best'")
quality("negative", ACCURACY, "weight_bits,accuracy\n4,-1\n", "q.csv:2", "-1")
quality("rows_twice", ACCURACY, "weight_bits,accuracy\n4,1\n# so\n4,2\n", "q.csv:4", "line 2")
quality("value_impossible", ACCURACY, "weight_bits,accuracy\n3,1\n", "q.csv:2", "weight_bits", "3")
quality("unknown_key", TABLE % ('"weight_bit"', 'accuracy = "higher"'), "weight_bit,accuracy\n4,1\n", "s.toml:6",
        "'weight_bit'", "'weight_bits'")
quality("name_taken", TABLE % ('"weight_bits"', 'latency = "lower"'), "weight_bits,latency\n4,1\n", "s.toml:6",
        "latency")
quality("better_unknown", TABLE % ('"weight_bits"', 'accuracy = "big"'), "weight_bits,accuracy\n4,1\n", "s.toml:9",
        "'big'")
quality("metrics_missing", ACCURACY.rsplit("metrics", 1)[0], "weight_bits\n4\n", "s.toml:6", "'metrics'")
quality("schema_1", ACCURACY.replace("schema = 2", "schema = 1"), "weight_bits,accuracy\n4,1\n", "s.toml:6",
        "schema = 2")

# Values on the command line
for name, words, *facts in [
    ("architecture_unknown", "umdm", "'umdm'", "'umdam'"),
    ("parameter_unknown", "umdam --set chanels=4", "'chanels'", "'channels'"),
    ("model_unknown", "umdam --model opt-7b", "opt-7b"), ("unit_missing", "umdam --set pim_mac_interval=4",
                                                         "pim_mac_interval", "4"),
    ("choice_unknown", "umdam --set baseline=nothing", "baseline", "'nothing'", "relayout"),
]:
    case(f"value.{name}", f"evaluate {words}", 3, *facts)
for name, words, *facts in [
    ("model", "evaluate gpu --model llama-3-80b", "llama-3-80b", "pimdse list models"),
    ("board", "evaluate gpu --set device=b100", "b100", "a100"), ("machine", "evaluate rtx_5090", "rtx_5090"),
    ("timings", "dram replay --dram L5B2 --stream seq:64", "L5B2", "pimdse list dram"),
]:
    case(f"other_thing.{name}", words, 3, *facts)
for name, text, *facts in [
    ("capitals", "frequency=400 MHZ", "'MHZ'", "'MHz'?"), ("milli", "frequency=400 mHz", "'mHz'", "'MHz'?"),
    ("thousands", "frequency=1,024 MHz", '"1024 MHz"'), ("decimals", "frequency=0,125 GHz", '"0.125 GHz"'),
    ("count_of_thousands", "elements=1,024", '"1024"'), ("rate_of_bits", "frequency=400 Mb/s", "bandwidth"),
    ("milli_bytes", "mram_bandwidth=450 mB/s", "'mB'", "'MB'?"),
    ("kilo_bytes", "mram_bandwidth=64 KB/s", "'KB'", "'kB' or 'KiB'?"),
]:
    case(f"unit.{name}", ["evaluate", "upmem", "--set", text], 3, *facts)
for name, words, *facts in [
    ("setting", "explore quick -o a.h5 --set vlen=64 --set prefetch=2 --set vlen=128", "--set", "vlen", "'64'",
     "'128'"),
    ("setting_of_one", "evaluate umdam --set channels=4 --set channels=8", "--set", "channels", "'4'", "'8'"),
    ("model", "evaluate umdam --model opt-125m --set llm=opt-1.3b", "--model", "--set", "llm", "'opt-1.3b'"),
    ("assumption", "evaluate umdam --assume node=5nm --assume node=7nm", "--assume", "node", "'5nm'", "'7nm'"),
    ("flag", "explore quick -o a.h5 --seed 1 --seed 2", "--seed"),
    ("weight", "evaluate umdam --scenario a=llm=opt-125m,weight=1,weight=2", "--scenario", "weight"),
]:
    case(f"twice.{name}", words, 2, *facts)
for name, text, *facts in [
    ("list_of_two", "input=[128,256]", "pimdse explore SPACE --set 'input=[128,256]'"),
    ("list_of_one", "input=[128]", "explore SPACE --set 'input=[128]'"),
    ("two_values", "input=128,256", "128,256", "explore SPACE --set 'input=[128,256]'"),
    ("range", "input={from=1,to=3}", "explore SPACE --set 'input={from=1,to=3}'"),
    ("two_names", "input=128,batch=2", "input", "batch"),
    ("list_of_names", "device=[a100,h100]", "explore SPACE --set 'device=[a100,h100]'"),
    ("names_and_numbers", "device=a100,batch=2", "device", "batch"),
    ("comma_in_quantity", "power_limit=250,5 W", "power_limit", '"250.5 W"'), ("comma", "input=2,0", "input", '"2.0"'),
]:
    case(f"value.{name}", ["evaluate", "gpu", "--set", text], 3, *facts)
for name, text, *facts in [
    ("two_for_a_space", "vlen=64,128", "vlen", "[64,128]"), ("two_names_for_a_space", "vlen=64,batch=2", "vlen",
                                                             "batch"),
    ("fraction", "vlen=256.5", "vlen", "256.5"),
]:
    case(f"value.{name}", ["explore", "quick", "--dry-run", "--set", text], 3, *facts)
case("value.exponent_of_a_unit", "evaluate umdam --set 'npu_flops=0 TFLOP/s*TB22222222'", 3, "'TB22222222'")
case("value.long_unit", ["evaluate", "umdam", "--set", "npu_flops=1 m" + "2" * 80_000], 3, "'m2222")
case("value.too_many_elements", "evaluate upmem --set elements=9223372036854775807", 3, "elements")
MICRO = "evaluate upmem --fidelity cycle --set kernel=micro-add-float --set"
case("value.elements_that_overflow", f"{MICRO} transfer=serial --set elements=9007199254740992", 3, "elements")
case("value.too_many_cycles", f"{MICRO} elements=1000000000000", 3, "DPU")
