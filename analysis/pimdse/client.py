"""A client of `pimdse serve`, with which a program chooses the points that are evaluated. Standard library only.

    with Explorer("spaces/dplena_vlen.toml", "served.h5") as explorer:
        result = explorer.evaluate([{"vlen": 2048, "batch": 4}])[0]
        print(result["status"], result["metrics"]["latency"])
"""
import itertools
import json
import os
import subprocess
import tempfile
import threading
import weakref

from .errors import NotFound, Refused
from .program import exit_code, find_program, not_started, sentence
from .values import checked_ids, checked_points, plain


_open = weakref.WeakSet()  # the explorers of this process


def _let_go():
    """In a child after fork: its copies of the pipes lead nowhere. So nothing that it still holds in a buffer reaches
    the program, and the program sees the end of the requests when the parent closes its own."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for explorer in _open:
        for pipe in (explorer._process.stdin, explorer._process.stdout):
            if not pipe.closed:
                os.dup2(nowhere, pipe.fileno(), inheritable=False)
    os.close(nowhere)


os.register_at_fork(after_in_child=_let_go)


class Explorer:
    """A running `pimdse serve`. Several threads may send requests; each waits for its own reply. It belongs to the
    process that opened it: in a child after fork its methods raise Refused, and so does sending it to a process."""

    def __init__(self, space, output, *flags, program=None, launcher=()):
        words = [*launcher, program or find_program(), "serve", space, "-o", output, *flags]
        self._tags = itertools.count()
        self._replies, self._changed, self._over = {}, threading.Condition(), False
        self._said = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        try:
            self._process = subprocess.Popen(
                [str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said,
                text=True, encoding="utf-8",
            )
        except OSError as error:
            raise NotFound(not_started(words[0], launcher, error)) from error
        self._owner = os.getpid()
        _open.add(self)
        self._writing = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def describe(self):
        """The space: machines with their parameters and values, metrics, objectives, number of points."""
        return self._result(self._send({"verb": "describe"}))

    def choices(self):
        """Parameter -> its values, for parameters with several values. Raises Refused if there are several machines, or
        more values than the program lists."""
        machines = self.describe()["machines"]
        if len(machines) > 1:
            names = ", ".join(machine.get("name", "?") for machine in machines)
            raise Refused(f"the space has several machines, {names}, whose parameters differ"
                          " (use a space of one of them?)")
        open_ones = [p for p in machines[0]["parameters"] if int(p["count"]) > 1]
        for parameter in open_ones:
            if "values" not in parameter:
                count = int(parameter["count"])
                raise Refused(f"'{parameter['name']}' has {count:,} values, too many to list"
                              " (give a range of fewer in the space file?)")
        if not open_ones:
            raise Refused("no parameter of the space has more than one value (there is nothing to choose)")
        return {p["name"]: p["values"] for p in open_ones}

    def evaluate(self, points=None, ids=None, fidelity=None):
        """One result per point, in order: id, status, and metrics (SI), or rule and reason."""
        return self._result(self.begin(points, ids, fidelity))["answers"]

    def begin(self, points=None, ids=None, fidelity=None):
        """Sends a request and returns its tag without waiting; `end` waits for the reply."""
        request = {"verb": "evaluate"}
        if points is not None:
            request["points"] = checked_points(points)
        if ids is not None:
            request["ids"] = checked_ids(ids)
        if fidelity is not None:
            request["fidelity"] = plain(fidelity, "fidelity")
        return self._send(request)

    def end(self, tag):
        return self._result(tag)["answers"]

    def front(self):
        """The members of the front so far: id, point and metrics."""
        return self._result(self._send({"verb": "front"}))["front"]

    def close(self):
        """Seals the file. Returns its digest and number of points."""
        self._check_owner()
        if self._process.stdin.closed:
            return None
        sealed = self._result(self._send({"verb": "stop"}))
        self._end()
        return sealed

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self._owner != os.getpid():
            return  # the parent goes on
        if kind is None:
            self.close()
        else:
            self._end()  # the program also seals the file at the end of the requests

    def _end(self):
        try:
            self._process.stdin.close()
        except BrokenPipeError:
            pass  # the process has ended
        self._process.wait()

    def __reduce__(self):
        raise self._of_another_process()

    def _check_owner(self):
        if self._owner != os.getpid():
            raise self._of_another_process()

    def _of_another_process(self):
        return Refused(f"this Explorer belongs to process {self._owner}, which opened it (another process would take"
                       " its replies). Open one in each process, with an output of its own, or use threads?")

    def _send(self, request):
        self._check_owner()
        tag = next(self._tags)
        try:
            with self._writing:
                self._process.stdin.write(json.dumps({**request, "tag": tag}) + "\n")
                self._process.stdin.flush()
        except (BrokenPipeError, ValueError):
            raise self._ended() from None
        return tag

    def _ended(self):
        """The last message of a process that has ended."""
        code = self._process.wait()
        self._said.seek(0)
        return Refused(sentence(self._said.read(), code), exit_code(code))

    def _result(self, tag):
        self._check_owner()
        with self._changed:
            self._changed.wait_for(lambda: tag in self._replies or self._over)
            if tag not in self._replies:
                raise self._ended()
            reply = self._replies.pop(tag)
        if "error" in reply:
            raise Refused(reply["error"])
        return reply

    def _read(self):
        for line in self._process.stdout:
            reply = json.loads(line)
            with self._changed:
                self._replies[reply["tag"]] = reply
                self._changed.notify_all()
        with self._changed:
            self._over = True
            self._changed.notify_all()
