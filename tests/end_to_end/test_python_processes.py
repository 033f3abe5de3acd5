"""An Explorer and processes: it belongs to the one that opened it, and nothing that others do disturbs it."""
import os
import subprocess
import sys
import textwrap

import pytest

from conftest import ROOT

HEAD = """
import gc, multiprocessing, os, sys, threading, time
import pimdse
A = {"vlen": 128, "prefetch": 1, "channels": 8, "loop_hardware": "on"}
B = {"vlen": 512, "prefetch": 8, "channels": 32, "loop_hardware": "on"}


def ask(point):
    return explorer.evaluate([point])[0]["id"]


def in_child(work):
    child = os.fork()
    if child == 0:
        try:
            work()
        except pimdse.Refused as error:
            os._exit(7 if str(os.getppid()) in str(error) else 8)
        os._exit(0)
    return child


def ended(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""


def python(folder, text):
    env = {**os.environ, "PYTHONPATH": str(ROOT / "analysis"), "SPACE": str(ROOT / "spaces/quick.toml")}
    done = subprocess.run([sys.executable, "-c", HEAD + textwrap.dedent(text)], cwd=folder, capture_output=True,
                          text=True, timeout=100, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("what", ["begin([A])", "evaluate([A])", "front()", "close()", "end(tag)", "describe()"])
def test_a_child_is_refused_and_the_parent_gets_its_own_replies(tmp_path, what):
    said = python(tmp_path, f"""
        with pimdse.Explorer(os.environ["SPACE"], "a.h5") as explorer:
            of_b, tag = ask(B), explorer.begin([B])
            child = in_child(lambda: explorer.{what})
            for _ in range(20):
                assert ask(B) == of_b
            assert explorer.end(tag)[0]["id"] == of_b
            print(ended(child), ask(A) != of_b)
        print(os.path.exists("a.h5.journal"))
        """)
    assert said == ["7", "True", "False"]


def test_a_child_may_leave_forget_and_end_while_threads_of_the_parent_ask(tmp_path):
    said = python(tmp_path, """
        explorer = pimdse.Explorer(os.environ["SPACE"], "a.h5")
        over, ids = threading.Event(), list(range(100)) * 20

        def hammer():
            while not over.is_set():
                assert [int(r["id"]) for r in explorer.evaluate(ids=ids)] == ids

        threads = [threading.Thread(target=hammer) for _ in range(3)]
        for thread in threads:
            thread.start()
        children = []
        for number in range(40):
            child = os.fork()
            if child == 0:
                threading._shutdown = lambda: None  # threads of the parent are not here
                if number % 3 == 0:
                    with explorer:
                        sys.exit(3)
                if number % 3 == 1:
                    del explorer
                    gc.collect()
                sys.exit(3)
            children.append(child)
            time.sleep(0.005)
        print({ended(child) for child in children})
        over.set()
        for thread in threads:
            thread.join()
        print(explorer.close()["points"])
        """)
    assert said == ["{3}", "100"]


def test_the_end_of_the_parent_does_not_wait_for_a_child(tmp_path):
    said = python(tmp_path, """
        try:
            with pimdse.Explorer(os.environ["SPACE"], "a.h5") as explorer:
                child = in_child(lambda: time.sleep(50))
                raise KeyError  # the program learns of it by the end of its input
        except KeyError:
            print(explorer._process.returncode)
        os.kill(child, 9)
        """)
    assert said == ["0"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_pool_ends_with_the_exception(tmp_path, method):
    said = python(tmp_path, f"""
        with pimdse.Explorer(os.environ["SPACE"], "a.h5") as explorer:
            with multiprocessing.get_context({method!r}).Pool(2) as pool:
                try:
                    pool.map(ask if {method!r} == "fork" else explorer.evaluate, [A, B] * 8)
                except pimdse.Refused as error:
                    print(error.code, str(os.getpid()) in str(error))
            print(len(explorer.evaluate([A, B])))
        """)
    assert said == ["2", "True", "2"]
