"""The same part has the same figures in every machine: dies, energies of DRAM and of SRAM, hosts and their links, over
all files of constants.

A constant whose name says that it is a figure of such a part must be in PARTS, so that a new file cannot bring another
value of a known part unseen. Where a value differs, `because` has words of its own source that say why."""
import collections
import math
import re
import tomllib

import pytest
from conftest import ROOT

OF_SET = "of a timing set"  # which knows no rows of technology
UNITS = {"mm2": 1.0, "mm2/Gibit": 16.0, "pJ/bit": 1.0, "pJ/B": 0.125, "pJ": 1e-3, "nJ": 1.0, "mW": 1.0, "mW/MiB": 1.0,
         "mW/MB": 1.048576, "W": 1e3, "um2/bit": 1.0, "GB/s": 1.0, "1": 1.0}

LPDDR5 = ["L5A", "L5B", "L5J", "lpddr5x_8533", "lpddr5x_9600_pim"]  # timing sets
# part: constants that are its figure; a pair has the words of the source that explain another value.
PARTS = {
    "die of GDDR6, 16 Gbit": ["rtx_a6000.memory_die", "rtx_4090.memory_die", "arc_b60.memory_die", "n150.memory_die"],
    "die of GDDR7, 24 Gbit": ["rtx_pro_6000.memory_die"],
    "die of LPDDR5 or DDR5, 16 Gbit": ["umdam.dram_die", "lpddr5x_pim.channel_die", "jetson_thor.memory_die",
                                       "xeon_6980p.memory_die"],
    "die of LPDDR4X, 16 Gbit": ["rk3588.memory_die"],
    "die of DDR4, 4 Gbit": ["upmem.memory_die"],
    "die of HBM2, 8 Gbit": ["hbm_pim.stack", "tpu_v4i.stack_die"],
    "die of HBM2E or HBM3, 16 Gbit": ["a100.memory_die", "h100.memory_die", "dplena.hbm_die"],
    "array of HBM2 without rows": ["dplena.hbm_array_access", "hbm_pim.array_access", "HBM2_2000.read",
                                   "hbm2_pim.read"],
    "array of HBM2 with rows": ["a100.memory_array", "h100.memory_array",
                                ("tpu_v4i.hbm_array", "AccelForge's example")],
    "pins of HBM2": ["a100.memory_pins", "h100.memory_pins", "dplena.hbm_interface", "hbm_pim.pin_transfer",
                     "tpu_v4i.hbm_pins", "HBM2_2000.transfer", "hbm2_pim.transfer"],
    "array of LPDDR5": ["umdam.array_access", "lpddr5x_pim.array_access", "jetson_thor.memory_array",
                        *(f"{name}.read" for name in LPDDR5)],
    "pins of LPDDR5": ["umdam.pin_transfer", "lpddr5x_pim.pin_transfer", "jetson_thor.memory_pins",
                       *(f"{name}.transfer" for name in LPDDR5)],
    "array of GDDR6": ["rtx_a6000.memory_array", "rtx_4090.memory_array", "rtx_pro_6000.memory_array"],
    "array of GDDR6 with units in banks": ["gddr6_aim.read"],  # without the way to the pins
    "pins of GDDR6": ["rtx_a6000.memory_pins", ("rtx_4090.memory_pins", "the rest of 7.25 pJ/bit"),
                      ("rtx_pro_6000.memory_pins", "GDDR7 at lower voltage"),
                      ("gddr6_aim.transfer", "pins 5.5 pJ/bit")],
    "array of DDR4": ["upmem.mram_access", *((f"D4_{rate}.read", "8 Gbit") for rate in (2400, 3200))],
    "pins of DDR4": ["upmem.dram_interface", *((f"D4_{rate}.transfer", "I/O: assumption") for rate in (2400, 3200))],
    "row of DDR4": ["D4_2400.activate", "D4_3200.activate"],
    "row of LPDDR5 or AiM": ["lpddr5x_pim.row_energy", "umdam.row_activation", "gddr6_aim.activate",
                             *(f"{name}.activate" for name in LPDDR5)],
    "SRAM of 32 KiB, an access": ["technology.sram_access_32kib", "cim_mesh.scratchpad_access",
                                  ("umdam.sram_local_access", "Jouppi et al. (ISCA 2021, Table 2) have 0.133")],
    "SRAM of 1 MiB, an access": ["technology.sram_access_1mib", ("dplena.operand_energy_per_bit", "R: nominal"),
                                 ("umdam.sram_small_access", "Jouppi et al. (ISCA 2021, Table 2) have 0.219")],
    "SRAM of 8 MiB, an access": ["technology.sram_access_8mib", "umdam.sram_large_access", "lpddr5x_pim.buffer_access",
                                 ("dplena.sram_energy_per_bit", "memory table of the 3D-SRAM branch"),
                                 ("gpu.cache_access", "a write and a read of SRAM"),
                                 *((f"tpu_v4i.{name}", "AccelForge's example")
                                   for name in ("buffer_read", "buffer_write", "local_read", "local_write"))],
    "SRAM, leakage": ["technology.sram_leakage", "umdam.sram_leakage", "lpddr5x_pim.sram_leakage",
                      ("dplena.sram_leakage", "10 to 50 mW/MB"), ("cim_mesh.scratchpad_leakage", "PRIMAL, Table IV")],
    "SRAM, cells": ["technology.sram_cell", "umdam.sram_cell", "lpddr5x_pim.sram_cell",
                    ("dplena.sram_area_per_bit", "ASAP7 SRAM macros")],
    "SRAM, share of cells": ["technology.sram_efficiency", "umdam.sram_efficiency", "lpddr5x_pim.sram_efficiency"],
    "host of a machine": ["technology.host_power"],
    "core of a host that drives DPUs": ["upmem.host_power"],
    "link to a host, a bit": ["technology.host_link", "dplena.host_link_energy",
                              ("cim_mesh.host_transfer", "an electrical link across a board")],
    "link on a board, a bit": ["technology.board_link", "links.pcie4_energy", "links.pcie5_energy"],
    "PCIe 4.0 x16": ["links.pcie4_bandwidth", "links.pcie4_host_bandwidth",
                     ("dplena.host_link", "31.5 GB/s each way, less packet headers")],
    "PCIe 5.0 x16": ["links.pcie5_bandwidth", "links.pcie5_host_bandwidth"],
    "row of HBM2": ["hbm_pim.row_energy", "dplena.hbm_row_activation", "HBM2_2000.activate", "hbm2_pim.activate"],
}
NAMES = re.compile(r"(memory|channel|stack|dram|hbm)_die|stack|(memory|hbm)_(array|pins)|(hbm_)?array_access|"
                   r"pin_transfer|(hbm|dram)_interface|mram_access|row_energy|(hbm_)?row_activation|activate|read|"
                   r"transfer|\w*(sram|scratchpad|buffer|cache|operand)\w*_(access|leakage|energy_per_bit)|"
                   r"(buffer|local)_(read|write)|sram_(cell|efficiency|area_per_bit|access_(32ki|1mi|8mi)b)|"
                   r"host_(power|link|link_energy|transfer)|board_link|pcie\d_(energy|bandwidth|host_bandwidth)")


def constants():
    """{"file.constant": row} of all files that state constants of machines."""
    found = {}
    for file in sorted((ROOT / "models" / "machines").glob("*.toml")):
        for name, row in tomllib.loads(file.read_text()).get("constant", {}).items():
            found[f"{file.stem}.{name}"] = row
    for file in sorted((ROOT / "models").glob("*/constants.toml")):
        for name, row in tomllib.loads(file.read_text()).items():
            if isinstance(row, dict) and "value" in row:
                found[f"{file.parent.name}.{name}"] = row
            elif isinstance(row, dict):
                found |= {f"{file.parent.name}.{own}": of for own, of in row.items() if isinstance(of, dict)}
    for name, row in tomllib.loads((ROOT / "models" / "technology.toml").read_text()).items():
        found[f"technology.{name}"] = row | {"technology": name}
    for name, row in tomllib.loads((ROOT / "models" / "chips" / "links.toml").read_text()).items():
        found |= {f"links.{name}_{own}": of for own, of in row.items() if isinstance(of, dict)}
        found[f"links.{name}"] = row
    for file in sorted((ROOT / "models" / "dram").glob("*.toml")):
        energy = tomllib.loads(file.read_text())["energy"]
        for name in ("activate", "read", "transfer"):
            value, unit = energy[name].split()
            found[f"{file.stem}.{name}"] = {"value": float(value), "unit": unit, "source": energy["source"],
                                            "technology": OF_SET}
    return found


@pytest.fixture(name="rows", scope="module")
def fixture_rows():
    return constants()


@pytest.mark.parametrize("part", PARTS)
def test_a_part_has_one_figure(rows, part):
    names = [entry if isinstance(entry, str) else entry[0] for entry in PARTS[part]]
    first = rows[names[0]]
    for entry in PARTS[part]:
        name, because = (entry, None) if isinstance(entry, str) else entry
        row = rows[name]
        same = math.isclose(row["value"] * UNITS[row["unit"]], first["value"] * UNITS[first["unit"]], rel_tol=0.011)
        if because is None:
            assert same, f"{name} = {row['value']} {row['unit']}, but {names[0]} = {first['value']} {first['unit']}"
        else:
            assert not same and because in row["source"], f"{name} no longer differs, or its source does not say why"


def test_every_figure_of_such_a_part_is_known(rows):
    known = {entry if isinstance(entry, str) else entry[0] for entries in PARTS.values() for entry in entries}
    named = {name for name, row in rows.items() if NAMES.fullmatch(name.split(".")[1]) and row.get("unit") in UNITS}
    assert named == known, f"not in PARTS: {named - known}; no longer there: {known - named}"


def test_the_same_part_draws_on_the_same_row_of_technology(rows):
    for part, entries in PARTS.items():
        used = {rows[entry if isinstance(entry, str) else entry[0]].get("technology") for entry in entries} - {OF_SET}
        assert len(used) <= 1, f"{part}: {used}"


def test_what_is_as_another_row_has_its_value(rows):
    """"as pcie5" means the same constant of pcie5, in the same file of links; "as umdam" the one of the same name."""
    compared = 0
    for name, row in rows.items():
        said = re.match(r"as (\w+)($|;)", row.get("source", ""))
        if said is None:
            continue
        file, _, own = name.partition(".")
        figure = re.sub(r"^[a-z0-9]+_(host_)?", "", own)
        of_kind = f"{file}.{said[1]}_{figure}"
        other = rows.get(of_kind if file == "links" else f"{said[1]}.{own}")
        if other is None:
            continue
        compared += 1
        assert row["value"] == other["value"], f"{name} is {row['value']} and {said[0]!r} {other['value']}"
    assert compared > 20


@pytest.mark.parametrize("channels", [4, 32])
def test_a_machine_that_is_written_twice_has_the_same_dies_and_power_at_rest(pimdse, channels):
    """lpddr5x_pim is umdam as a machine file. Global buffers of x are umdam's own: a part of its power at rest."""
    request = ("llm=llama-3.2-1b", "input=64", "output=4", f"channels={channels}")
    described = {"umdam": ("density=16", "dram=lpddr5x_9600_pim", "pim_mac_interval=3.333 ns", "weight_bits=8",
                           "products=int8"),
                 "lpddr5x_pim": ("weights=int8",)}
    found = {}
    for machine, own in described.items():
        sets = [word for setting in (*request, *own) for word in ("--set", setting)]
        told = pimdse.json("evaluate", machine, *sets, "--all")
        areas = collections.Counter()
        for part in told["breakdown"]["area"]:
            areas[part["what"].split("/")[0]] += part["square_metres"]
        engines = sum(part["square_metres"] for part in told["breakdown"]["area"] if part["what"].endswith("engines"))
        metrics = told["metrics"]
        found[machine] = (areas["controllers"] - engines, areas["in_bank_logic"], metrics["memory_area"]["value"],
                          metrics["idle_power"]["value"])
    here, there = found.values()
    assert here[:2] == pytest.approx(there[:2], rel=1e-4)
    assert here[2] == pytest.approx(there[2], rel=1e-3)
    assert there[3] < here[3] < 1.015 * there[3]
