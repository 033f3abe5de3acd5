"""A client of `pimdse serve`: the program evaluates, whoever imports this decides what. Standard library only.

    with Explorer("spaces/dplena_vlen.toml", "served.h5") as explorer:
        answer = explorer.evaluate([{"vlen": 2048, "batch": 4}])[0]
        print(answer["status"], answer["metrics"]["latency"])
"""
import itertools
import json
import subprocess
import threading


class Refused(Exception):
    """What `pimdse serve` says of a request that it does not serve."""


class Explorer:
    """A running `pimdse serve`. Requests may come from several threads; each waits for its own reply."""

    def __init__(self, space, output, *flags, program="pimdse", launcher=()):
        words = [*launcher, program, "serve", space, "-o", output, *flags]
        self._tags = itertools.count()
        self._replies, self._changed, self._over = {}, threading.Condition(), False
        self._process = subprocess.Popen(
            [str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self._writing = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def describe(self):
        """The space: machines with their parameters and values, metrics, objectives, number of points."""
        return self._result(self._send({"verb": "describe"}))

    def evaluate(self, points=None, ids=None, fidelity=None):
        """One answer per point, in order: id, status, and metrics (SI), or rule and reason."""
        return self._result(self.begin(points, ids, fidelity))["answers"]

    def begin(self, points=None, ids=None, fidelity=None):
        """Asks and does not wait; `end` waits."""
        request = {"verb": "evaluate"}
        if points is not None:
            request["points"] = list(points)
        if ids is not None:
            request["ids"] = [str(number) for number in ids]
        if fidelity is not None:
            request["fidelity"] = fidelity
        return self._send(request)

    def end(self, tag):
        return self._result(tag)["answers"]

    def front(self):
        """The members of the front so far: id, point and metrics."""
        return self._result(self._send({"verb": "front"}))["front"]

    def close(self):
        """Seals the file; its digest and number of points."""
        if self._process.stdin.closed:
            return None
        sealed = self._result(self._send({"verb": "stop"}))
        self._process.stdin.close()
        self._process.wait()
        return sealed

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.close()
        else:
            self._process.stdin.close()  # the end of the requests seals the file, too
            self._process.wait()

    def _send(self, request):
        tag = next(self._tags)
        with self._writing:
            self._process.stdin.write(json.dumps({**request, "tag": tag}) + "\n")
            self._process.stdin.flush()
        return tag

    def _result(self, tag):
        with self._changed:
            self._changed.wait_for(lambda: tag in self._replies or self._over)
            if tag not in self._replies:
                raise ConnectionError(f"pimdse serve has ended with exit code {self._process.wait()}")
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
