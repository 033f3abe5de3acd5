"""Messages about files of data, simulators, result files, machines and designs."""
from bad_input import HEAD
from conftest import ROOT, UPMEM_CLOCKS, UPMEM_STREAMS
from joint_space import JOINT, REQUESTS
from ladder_bench import BOXED
from messages import case, space, table
from small_bench import HEAD as JOURNAL_HEAD, journal, result

EXPLORE = "explore s.toml -o a.h5"

# Files of data
VA = "evaluate upmem"
LISTED = "evaluate upmem --fidelity cycle --set preset=upimulator-cpp --set elements=4096"
for name, file, old, new, words, *facts in [
    ("experts", "llm/llada-moe-7b-a1b.toml", r"^experts\s*=.*", "experts = 1e18",
     "evaluate cim_mesh --set llm=llada-moe-7b-a1b", "'experts'"),
    ("hidden", "llm/opt-6.7b.toml", r"^hidden\s*=.*", "hidden = 1e308", "evaluate umdam --set llm=opt-6.7b",
     "'hidden'"),
    ("layers", "llm/opt-6.7b.toml", r"^layers\s*=.*", "layers = inf", "evaluate umdam --set llm=opt-6.7b", "'layers'"),
    ("reads", "upmem/kernels/va.toml", r"^reads\s*=\s*\{ value = \d+", "reads = { value = 1e18", VA, "'reads'", "1e+18",
     "0..64"),
    ("bytes_negative", "upmem/kernels/va.toml", r"^input_bytes\s*=\s*\{ value = \d+", "input_bytes = { value = -8", VA,
     "'input_bytes'"),
    ("bytes_inf", "upmem/kernels/va.toml", r"^mram_bytes *= \{ value = \d+", "mram_bytes = { value = inf", VA, "inf"),
    ("constant_nan", "upmem/constants.toml", r"^(start_cycles *= \{ value = )\d+", r"\1nan", VA, "nan"),
    ("constant_too_large", "upmem/constants.toml", r"^(t_rcd *= \{ value = )\d+", r"\g<1>1e308", VA, "t_rcd"),
    ("timing_too_large", "dram/L5J.toml", r"^nRC\s.*", "nRC = 1e308", "dram replay --dram L5J --stream seq:8", "'nRC'"),
    ("transfer_odd", "upmem/kernels/va.s", r"^\tldma r5, r6, 0\n", "\tadd r6, r6, 4\n\tldma r5, r6, 0\n",
     LISTED, "va.s:29", "8"),
    ("transfer_long", "upmem/kernels/va.s", r"^\tldma r5, r6, 0\n", "\tldma r5, r6, 300\n", LISTED, "va.s:28", "300",
     "'ldma'"),
    ("load_odd", "upmem/kernels/va.s", r"^\tlw r3, r1, 0\n", "\tlw r3, r1, 2\n", LISTED, "va.s:45", "4"),
    ("endless", "upmem/kernels/va.s", r"^\tjump r23\n", "\tadd r3, r3, 1, true, .Lvx\n", LISTED, "va.s:53", "cycles"),
    ("tasklet_too_many", "upmem/kernels/va.s", r"^\tmove r21, r23\n", "\tmove r21, r23\n\tboot zero, 30\n",
     LISTED, "va.s:6", "30"),
]:
    place = f"models/{file}:" if file.endswith(".toml") else "va.s:"
    case(f"data.{name}", words, 3, place, *facts, data=(file, old, new))

# DRAM
DRAM = "dram replay --dram L5J"
STREAM = f"{DRAM} --stream seq:4096"
for flag, value in {"window": -1, "density": -1, "coll-bits": -2, "tries": 0}.items():
    case(f"dram.{flag}", f"{STREAM} --{flag} {value}", 2, f"--{flag}", str(value))
for name, words, code, *facts in [
    ("unknown_standard", "dram replay --dram L5Q --stream seq:64", 3, "L5Q", "L5J", "pimdse list dram"),
    ("no_stream", DRAM, 2, "--stream"), ("no_standard", "dram replay --stream seq:64", 2, "dram"),
    ("stream_and_trace", f"{STREAM} --trace t", 2, "--stream", "--trace"),
    ("unknown_stream", f"{DRAM} --stream sek:64", 3, "'sek:64'", "'sek'", "'seq'"),
    ("stream_cut_off", f"{DRAM} --stream stride:64", 3, "'stride:64'", "stride:STRIDE:COUNT"),
    ("stream_that_wraps", f"{DRAM} --stream stride:1125899906842624:16385", 3, "0xffffffffffffffff", "32"),
    ("unknown_refresh", f"{DRAM} --stream seq:64 --refresh perbank", 2, "--refresh", "perbank", "'per-bank'"),
    ("refresh_of_standard", "dram replay --dram D4_2400 --stream seq:64 --refresh per-bank", 3, "D4_2400", "per-bank"),
    ("unknown_density", f"{STREAM} --density 7", 3, "models/dram/L5J.toml:", "7 Gbit", "16"),
    ("no_hybrid", f"{STREAM} --fidelity hybrid", 2, "--fidelity", "hybrid", "cycle"),
    ("rows_column", f"dram check {ROOT}/tests/data/dram_cycles.csv --only 'nowhere<=3'", 3, "--only", "'nowhere'",
     "row_hits"),
]:
    case(f"dram.{name}", words, code, *facts)
case("dram.rows_without_columns", "dram check no.csv", 3, "no.csv:1", "mapping_lsb_to_msb",
     files={"no.csv": "case_id,stream\nr21.L5J.umdam.seq_64,seq:64\n"})
DRAM_ROWS = (ROOT / "tests/data/dram_cycles.csv").read_text()
DRAM_ROWS = "\n".join(line for line in DRAM_ROWS.splitlines() if line.startswith(("case_id", "r21.L5B.")))
for name, column, cell, *facts in [
    ("zero", "txn_bytes", "0", "0 B"), ("negative", "txn_bytes", "-64", "-64"),
    ("large", "txn_bytes", "1e300", "txn_bytes", "'1e300'"),
    ("endless", "total_cycles", "inf", "'inf'"), ("no_cycles", "total_cycles", "0", "total_cycles"),
]:
    case(f"dram.row_{name}", "dram check rows.csv --format json", 3, "rows.csv:2", *facts,
         files=table(DRAM_ROWS, **{column: cell}))
case("dram.stream_too_long", f"{DRAM} --stream seq:99999999999999", 3, "3124999999999", "0x5af3107a3fc0", "32",
     mistakes=2)
for name, line, *facts in [("verb", "LDX 32", "'LDX'"), ("no_address", "LD"), ("negative", "LD -32", "'-32'"),
                           ("hexadecimal", "ST 0xzz", "'0xzz'"), ("two_addresses", "LD 32 64", "'64'"),
                           ("no_verb", "64", "'64'")]:
    case(f"dram.trace_{name}", f"{DRAM} --mapping umdam --trace t.txt", 3, "t.txt:3", *facts,
         files={"t.txt": f"LD 0\nST 32\n{line}\nLD 64\n"})
for name, mapping, *facts in [
    ("field", "of5 ch2 xx2 ba2 co6 ro15", "'xx2'"), ("width", "of5 ch2 bgz ba2 co6 ro15", "'bgz'"),
    ("permutation", "of5 ch2 bg2 ba2 co6 ro15 x.ba.ro.0", "'x.ba.ro.0'"),
    ("channels", "of5 ch3 bg2 ba2 co6 ro15", "channel", "3", "2"), ("offset", "of4 ch2 bg2 ba2 co6 ro15", "4", "of5"),
    ("name", "umdan", "umdan", "'umdam'"), ("singular", "of5 ch2 bg2 ba2 co6 ro15 x.bg.bg.0.1", "0x0 ", "0x80 "),
]:
    case(f"dram.mapping_{name}", f"{DRAM} --mapping '{mapping}' --stream seq:1024", 3, *facts)

# Networks
for name, words, *facts in [
    ("traffic", "--traffic unifrom", "--traffic", "'unifrom'", "'uniform'"),
    ("mesh", "--mesh 8by8", "--mesh", "'8by8'", "8x8"),
    ("mesh_not_square", "--mesh 4x8 --traffic transpose", "transpose"),
    ("mesh_of_three", "--mesh 3x3 --traffic bitcomp",
                                                                       "bitcomp"),
    ("load_zero", "--load 0", "load", "0"), ("load_nan", "--load nan", "--load", "'nan'"),
    ("packet_zero", "--packet 0", "--packet", "'0'"),
    ("packet_beyond", "--packet 2147483647", "--packet", "'2147483647'"),
    ("fifo", "--fifo 5000", "--fifo", "'5000'", "2048"),
    ("cycles_zero", "--cycles 0", "--cycles", "'0'"), ("cycles_beyond", "--cycles 9223372036854775807", "--cycles",
                                                         "'9223372036854775807'"),
    ("warmup", "--warmup -1", "--warmup", "'-1'"), ("seed", "--seed -1", "--seed", "'-1'"),
    ("flag", "--lod 0.1", "'--lod'", "'--load'"),
    ("mesh_beyond_memory", "--mesh 1024x1024 --fifo 2048 --cycles 10", "1024"),
]:
    case(f"noc.{name}", f"noc replay {words}", 2, *facts)
case("noc.packets", "noc check x.csv --packets -5", 2, "--packets", "'-5'")
case("noc.no_column", f"noc check {ROOT}/README.md", 3, "README.md:1", "'config'")
NOC_ROWS = (ROOT / "tests/data/noc_latency.csv").read_text()
NOC_ROWS = "\n".join(line for line in NOC_ROWS.splitlines() if line.startswith(("config", "A,")))
for name, column, cell in [
    ("mesh_of_none", "k", "0"), ("mesh_too_large", "k", "100000"), ("no_buffer", "vc_buf_flits", "0"),
    ("no_flit", "packet_flits", "0"), ("nothing_accepted", "accepted", "0"),
    ("load_negative", "offered_flits_node_cycle", "-1"), ("no_number", "pkt_latency", "soon"),
]:
    case(f"noc.row_{name}", "noc check rows.csv --packets 1000", 3, "rows.csv:2", cell,
         column if cell == "soon" else "",
         files=table(NOC_ROWS, **{column: cell}))

# Searches that do not suit
STREAMS = {"s.toml": UPMEM_STREAMS}
for name, words, code, *facts in [
    ("shard", "--strategy ladder --shard 0/2", 3, "'ladder'"),
    ("fidelity", "--strategy ladder --fidelity analytic", 2, "--fidelity", "analytic", "cycle"),
    ("keep", "--strategy ladder --keep front", 3, "'ladder'"),
    ("epsilon_percent", "--strategy ladder --epsilon 2", 2, "--epsilon", "0.02", "2 %"),
    ("epsilon_negative", "--strategy ladder --epsilon -0.1", 2, "--epsilon", "-0.1"),
    ("audit_negative", "--strategy ladder --audit -1", 2, "--audit", "-1"),
    ("epsilon_of_sweep", "--strategy sweep --epsilon 0.1", 3, "epsilon", "'ladder'"),
    ("audit_of_sobol", "--strategy sobol --audit 5", 3, "audit", "'ladder'", "'sobol'"),
    ("gain_of_sweep", "--strategy sweep --stop-after-no-gain 5", 3, "'sweep'", "stop_after_no_gain", "'nsga2'",
     "'pls'"),
    ("budget_fraction", "--budget 3.5", 2, "--budget", "3.5"),
]:
    case(f"search.{name}", f"{EXPLORE} {words}", code, *facts, files=STREAMS)
BOXES = BOXED.replace("lora_rank = [4, 8, 16]",
                      "mesh_rows = { from = 8, to = 64 }\nparallel_columns = { from = 1, to = 4096 }")
space("boxes_without_direction", BOXES.replace("mesh_cols = [24, 32]", "mesh_cols = { from = 8, to = 72 }") % "",
      "'ladder'", "15175680", "mesh_rows, mesh_cols, parallel_columns", "'random'",
      words=f"{EXPLORE} --strategy ladder")
WARM = "explore quick -o a.h5 --warm-start quick.h5 --strategy"
case("warm_start.other_space", f"{WARM} nsga2 --set vlen=64", 3, "quick.h5", "--warm-start?", files={"quick.h5": None})
case("warm_start.other_fidelity", f"{WARM} nsga2 --fidelity cycle", 3, "quick.h5", "cycle", files={"quick.h5": None})
case("warm_start.of_random", f"{WARM} random", 2, "--warm-start", "'random'", "'nsga2'", "'pls'",
     files={"quick.h5": None})
case("resume.other_space", "explore quick -o quick.h5 --resume --set vlen=64", 3, "quick.h5", files={"quick.h5": None})

# Result files
for name, words, code, *facts in [
    ("explain_beyond", "explain quick.h5 100000", 2, "POINT", "100000", "167"),
    ("explain_no_number", "explain quick.h5 x", 2, "POINT", "x"), ("explain_csv", "explain quick.h5 3 --format csv", 2,
                                                                   "csv", "json"),
    ("architecture_and_from", "evaluate dplena --from quick.h5 --point 0", 2, "--from"),
    ("from_without_point", "evaluate --from quick.h5", 2, "--point", "ID"),
    ("point_without_from", "evaluate dplena --point 0", 2, "--point", "--from FILE.h5"),
    ("per_unknown", "front quick.h5 --per vlem", 2, "--per", "'vlem'", "'vlen'"),
    ("per_scenario", "front quick.h5 --per scenario", 2, "--per", "scenario"),
    ("by_scenario", "front quick.h5 --by-scenario latncy", 2, "--by-scenario"),
    ("front_fidelity", "front quick.h5 --fidelity cycle", 2, "--fidelity cycle", "quick.h5", "analytic"),
    ("where_unit", "front quick.h5 --where 'area <= 75 mn²'", 3, "mn²"),
    ("where_unknown", "front quick.h5 --where 'vlem > 1000'", 3, "vlem", "'vlen'"),
    ("refine_fidelity", "explore --refine quick.h5 --fidelity analytic -o x.h5", 2, "--fidelity analytic", "quick.h5"),
    ("refine_without_fidelity", "explore --refine quick.h5 -o x.h5", 2, "--refine", "--fidelity cycle"),
    ("refine_budget", "explore --refine quick.h5 --fidelity cycle -o x.h5 --budget 3", 2, "--budget", "--refine"),
    ("merge_itself", "merge quick.h5 ./quick.h5 -o m.h5", 2, "quick.h5"),
]:
    case(f"result.{name}", words, code, *facts, files={"quick.h5": None})
for name, words in {
    "explain": "explain quick.h5 0", "diff": "diff quick.h5 quick.h5", "verify": "verify quick.h5",
    "watch": "watch quick.h5 --once", "merge": "merge quick.h5 -o m.h5", "noc": "noc replay --cycles 100",
    "links": "links show nvlink4",
    "dram": STREAM,
    "dry_run": "explore quick -o e.h5 --dry-run",
}.items():
    case(f"format.no_csv_of_{name}", f"{words} --format csv", 2, "csv" if name != "dry_run" else "--format",
         files={"quick.h5": None})

# Machines that are text files
def machine(name, words, code, *facts, text=None, **files):
    given = {"card.toml": text} if text is not None else {}
    case(f"machine.{name}", words, code, *facts, files={**given, **{f"{key}.toml": one for key, one in files.items()}})


OWN = 'schema = 1\nname = "{}"\nsummary = "a card"\nbase = "a100"\n'
OF_OWN = 'schema = 1\narchitecture = "{}"\nobjectives = ["latency"]\n'
OF_TWO = "schema = 2\nobjectives = [\"latency\"]\n" + '[[machine]]\narchitecture = "{}"\n' * 2
machine("missing", "evaluate ./crd.toml", 4, "./crd.toml", "./card.toml", text=OWN.format("card"))
machine("missing_for_space", "explore s.toml -o a.h5", 4, "s.toml:2", "crd.toml", "card.toml",
        text=OWN.format("card"), s=OF_OWN.format("./crd.toml"))
machine("missing_in_pair", "evaluate pair:gpu:./card.toml", 4, "./card.toml")
machine("folder", "evaluate ./", 4, "directory")
machine("empty", "evaluate card.toml", 3, "card.toml", "new-machine", text="")
machine("binary", "describe card.toml", 3, "card.toml", text=b"\x7fELF\0\0")
machine("space", "evaluate card.toml", 3, "card.toml", "pimdse explore", text=OF_OWN.format("gpu"))
machine("as_space", "explore card.toml -o a.h5", 3, "card.toml", "pimdse evaluate", text=OWN.format("card"))
machine("no_toml", "evaluate card.toml", 3, "card.toml:1", text="name = ")
machine("taken_name", "evaluate card.toml", 3, "card.toml:2", "'gpu'", text=OWN.format("gpu"))
machine("bad_name", "explore s.toml -o a.h5", 3, "card.toml:2", "'my card'", text=OWN.format("my card"),
        s=OF_OWN.format("card.toml"))
machine("unknown_with_file", "evaluate card", 3, "'card'", "./card.toml", text=OWN.format("card"))
machine("half_pair", "evaluate pair:./card.toml", 3, "'pair:./card.toml'", "PREFILL:DECODE", text=OWN.format("card"))
machine("same_name", "explore s.toml -o a.h5", 3, "s.toml:6", "'card'", "name =", text=OWN.format("card"),
        other=OWN.format("card"), s=OF_TWO.format("card.toml", "other.toml"))
machine("no_figures", "validate card.toml", 3, "card", text=OWN.format("card"))
BEYOND = '[constant.{}]\nvalue = {}\nunit = "{}"\nsource = "a guess"\n'
for constant in [("memory", "1e300", "GiB"), ("bandwidth", "1e-40", "GB/s")]:
    case(f"machine.beyond_{constant[0]}", "evaluate card.toml", 3, "card.toml:6", f"'{constant[0]}'",
         "models/machines/gpu.toml:", mistakes=2,
         files={"card.toml": OWN.format("card") + BEYOND.format(*constant)})
machine("new_taken", "new-machine gpu", 2, "'gpu'")
machine("new_file", "new-machine card.toml", 2, "'card.toml'", "new-machine card?")
machine("new_exists", "new-machine card", 2, "card.toml", text=OWN.format("card"))

# Spaces of several machines
for name, change, words, code, *facts in [
    ("candidates", ("", ""), "--candidates 0", 2, "--candidates", "0", "1"),
    ("assumption", ("", ""), "--assume vieww=hardware", 3, "--assume", "'vieww'", "'view'"),
    ("constant", ("", ""), "--assume 'technology.sram_leakag=3 mW/MiB'", 3, "models/technology.toml",
     "'sram_leakag'", "'sram_leakage'"),
    ("parameter", ("", ""), "--set umdam.channel=3", 3, "--set umdam.channel", "'channel'", "'channels'"),
    ("format", ("", ""), "--format yaml", 2, "yaml", "json"),
    ("threads", ("", ""), "--threads -1", 2, "--threads", "'-1'"),
    ("scenarios", ('["latency", "energy"]', '["latency@chat + latency@long"]'), "", 3, "j.toml", "latency@chat"),
    ("condition", ("[[machine]]", 'under = ["speed <= 1"]\n[[machine]]'), "", 3, "j.toml:3", "speed"),
    ("conditions", ("[[machine]]", "under = 3\n[[machine]]"), "", 3, "j.toml:3", "under"),
]:
    case(f"flips.{name}", f"flips j.toml {words}", code, *facts, files={"j.toml": JOINT.replace(*change, 1)})
case("joint.condition_of_one_machine", "explore j.toml -o j.h5", 3, "j.toml:26", "umdam.channels", '"channels == 4"',
     'machine = "umdam"',
     files={"j.toml": JOINT + '[[constraint]]\nname = "few"\nexpr = "umdam.channels == 4"\n'})
case("flips.one_machine", "flips j.toml", 3, "j.toml", "[[machine]]",
     files={"j.toml": 'schema = 2\narchitecture = "umdam"\nobjectives = ["latency"]\n' + REQUESTS})
FRONTS = UPMEM_CLOCKS + '[search]\nkeep = "front"\n'
case("serve.keep_front", "serve s.toml -o s.h5", 3, "keep", "all", files={"s.toml": FRONTS})
case("serve.no_space", "serve nowhere.toml -o s.h5", 4, "nowhere.toml")

# Journals that somebody made up
OWN = JOURNAL_HEAD
for name, content in {
    "head_no_json": journal(b"not JSON"), "head_not_utf8": journal(b'{"architecture": "\xff"}'),
    "head_no_keys": journal({}), "head_no_objective": journal({**OWN, "run": {"planned": 1, "objectives": [
        ["no metric", "minimize"]]}}),
    "head_objective_of_another_kind": journal({**OWN, "run": {"planned": 1, "objectives": [7]}}),
    "head_very_many_objectives": journal({**OWN, "run": {"planned": 1, "objectives": [["latency", "minimize"]] * 50}}),
    "head_no_run": journal({**OWN, "run": [1, 2]}),
    "head_text_for_a_number": journal({**OWN, "run": {"planned": 1, "start": 7}}),
    "head_too_long": journal(OWN)[:12] + b"\xff\xff\xff\x7f" + journal(OWN)[16:] + b"\x00" * 40 + b"x",
    "record_too_few_metrics": journal(OWN, result(1)), "record_too_many_metrics": journal(OWN, result(9)),
    "record_unknown_kind": journal(OWN, b"\x63"), "record_cut_off": journal(OWN, b"\x01\x00"),
}.items():
    case(f"journal.{name}", "watch a.h5 --once", 7, "a.h5.journal", files={"a.h5.journal": content},
         program="PIMDSE_WORKBENCH")

# Designs that cannot be built: the rule and its figures
for name, words, rule, *facts in [
    ("channels", "dplena --set channels=3", "channels_power_of_two", "3"),
    ("block", "dplena --set block_length=4096", "block_length_vlen", "2048", "4096"),
    ("vector", "dplena --set vlen=96", "vlen_line", "96", "64"),
    ("chunk", "dplena --set mode=edge --set v_chunk=12000", "v_chunk_prefetch", "8192", "12000"),
    ("preload", "dplena --set preload=3", "preload_batch", "16", "3"),
    ("sram", "dplena --set preload=16 --set batch=16 --set block_length=1024", "sram_overflow", "128 MiB"),
    ("weights", "umdam --model opt-30b", "capacity", "55.83 GiB"),
    ("precision", "umdam --scenario a=llm=opt-125m,precision=32", "scenario: a", "16", "32"),
    ("lora", "cim_mesh --set lora_rank=65 --set lora_targets=q", "lora_rank", "65", "64", "256 x 64"),
    ("context", "cim_mesh --set input=4000 --set output=1000", "context", "5000", "4096"),
    ("pool", "cim_mesh --set kv_pool=colocated", "kv_pool", "163840", "96000"),
    ("mesh", "cim_mesh --set mesh_rows=4 --set mesh_cols=4", "mesh_column", "4 x 4", "16"),
    ("head", "cim_mesh --set crossbar=48", "head_dimension", "128", "48"),
    ("shared", "cim_mesh --set dynamic_products=shared --set schedule=tree", "dynamic_products", "serial"),
    ("region", "cim_mesh --set dynamic_products=digital --set machine=leap-d", "dynamic_products", "leap-a"),
    ("fifo", "cim_mesh --set fifo_bytes=8", "fifo", "2"),
    ("genes", "cim_mesh --set placement=genes --set shape=rectangles --set attention_rows=7", "placement", "7"),
]:
    case(f"infeasible.{name}", f"evaluate {words}", 6, rule, *facts, prints=True, mistakes=0)

case("evaluate.simulated", "evaluate upmem --fidelity cycle --set elements=65536", 0, "upmem", "cycle", prints=True,
     mistakes=0)
case("describe.power", "describe umdam power", 0, "power", "W", prints=True, mistakes=0)

# Notes, and what verbs print about a file
for name, axis, *facts in [
    ("doubled", "vlen = { from = 64, to = 1000, times = 2 }", "vlen", "512", "1000"),
    ("stepped", "steps = { from = 1, to = 10, step = 4 }", "steps", "9", "10"),
]:
    space(f"range_{name}", f'schema = 1\narchitecture = "dplena"\nobjectives = ["latency"]\n[parameters]\n{axis}\n',
          "s.toml:5: ", *facts, words="explore s.toml -o a.h5 --dry-run", code=0)
space("range_with_unit", HEAD + '[parameters]\nfrequency = { from = "0.5 GHz", to = "1 GHz", step = "200 MHz" }\n',
      "s.toml:5: ", "frequency", "0.9 GHz", words="explore s.toml -o a.h5 --dry-run", code=0)
case("note.sweep_of_a_part", "explore quick --dry-run --budget 5", 0, "5 of 168", "vlen 1 of 7", "--strategy sobol")
case("note.table_1", "dram replay --dram L5A --mapping RoBaRaCoCh --stream seq:65536", 0, "nRC = 30", "49", "nBL = 4",
     mistakes=3)
for name, words, *facts in [
    ("verify", "verify quick.h5", "quick.h5", "100"), ("watch", "watch quick.h5", "168/168", "42"),
    ("diff", "diff quick.h5 quick.h5"), ("failures", "failures quick.h5", "168"),
    ("front", "front quick.h5 --where 'vlen == 64'", "latency, area, energy", "analytic"),
    ("explain", "explain quick.h5 17", "point 17", "analytic", "97.7 %", "165"),
]:
    case(f"{name}.printed", words, 0, *facts, files={"quick.h5": None}, prints=True, mistakes=0)
case("verify.certificate", "verify ladder.h5", 0, "ladder.h5", "64", "168", "232", files={"ladder.h5": None},
     prints=True,
     mistakes=0)

# Constants beyond what any machine has
OWN_CONSTANT = '[{}]\nvalue = {}\nunit = "{}"\nsource = "a guess"\n'
for machine_name, *constant in [("dplena", "matrix_tiles", "1e308", "1"), ("dplena", "sram_leakage", "1e-40", "W/B"),
                                ("umdam", "chip_power", "1e200", "W"), ("upmem", "mram_row", "1e50", "J"),
                                ("cim_mesh", "wire", "-1e60", "J/B/m"), ("gpu", "none", "1e99", "s")]:
    case(f"constants.beyond_{constant[0]}", f"evaluate {machine_name} --constants c.toml", 3, "c.toml:2", constant[0],
         files={"c.toml": OWN_CONSTANT.format(*constant)})

# Ranges of constants
RANGES = """schema = 1
architecture = "dplena"
objectives = ["latency", "energy"]
[parameters]
vlen = [64, 128]
[uncertain]
"""
DRAWN = "explore s.toml -o a.h5 --uncertain 4"
for name, (line, facts) in {
    "unknown": ('"dplena.sram_leakag" = { times = 2 }', ("s.toml:7", "'dplena.sram_leakage'")),
    "no_match": ('"umdam.*" = { times = 2 }', ("s.toml:7", "umdam.*")),
    "dimension": ('"dplena.sram_leakage" = { low = "1 pJ", high = "2 pJ" }', ("s.toml:7", "an energy", "mW/MB")),
    "no_unit": ('"dplena.sram_leakage" = { low = 1, high = 2 }', ("s.toml:7", "without a unit", "mW/MB")),
    "zero": ('"dplena.sram_leakage" = { normal = ["20 mW/MB", "10 mW/MB"] }', ("s.toml:7", "above 0")),
    "outside": ('"dplena.sram_leakage" = { low = "30 mW/MB", high = "40 mW/MB" }', ("s.toml:7", "20 mW/MB", "between")),
    "reversed": ('"dplena.sram_leakage" = { low = "40 mW/MB", high = "10 mW/MB" }', ("s.toml:7", "low", "high")),
    "rule": ('"dplena.waiting_share" = { low = 0.05, high = 1.5 }', ("s.toml:7", "1.5", "models/dplena/constants.toml:",
                                                                     "waiting_share")),
    "no_range": ('"dplena.waiting_share" = 3', ("s.toml:7", "times", "choices")),
    "times": ('"dplena.waiting_share" = { times = 0.5 }', ("s.toml:7", "above 1")),
    "correlated": ('correlated = [["dplena.nothing", 0.5]]', ("s.toml:7", "dplena.nothing")),
    "coefficient": ('correlated = [["dplena.sram_leakage", 2]]', ("s.toml:7", "0 to 1")),
    "unread": ('"economy.reticle" = { times = 2 }', ("s.toml:7", "no objective", "cost")),
    "unread_links": ('"links.*" = { times = 2 }', ("s.toml:7", "groups of devices")),
    "samples": ("samples = -3", ("s.toml:7", "'samples'", "0 to")),
    "beyond": ('"dplena.matrix_tiles" = { choices = [2, 1e308] }', ("s.toml:7", "matrix_tiles", "1e+308", "1e+15")),
    "tiny": ('"dplena.sram_leakage" = { times = 1e40 }', ("s.toml:7", "sram_leakage")),
}.items():
    space(f"uncertain_{name}", RANGES + line + "\n", *facts, words=DRAWN)
space("uncertain_zeros", RANGES.replace("dplena", "upmem").replace("vlen", "tasklets").replace("64, 128", "4, 8")
      + '"upmem.constant_call*" = { times = 2 }\n', "s.toml", "constants that are 0", words=DRAWN)
case("uncertain.keep_front", DRAWN + " --keep front", 2, "--keep front", files={"s.toml": RANGES})
case("uncertain.shard", DRAWN + " --shard 0/2", 2, "--shard", files={"s.toml": RANGES})
case("uncertain.no_draws", "robust quick.h5", 3, "quick.h5", "--uncertain", files={"quick.h5": None})
