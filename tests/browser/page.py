"""The columns of a page, decoded by means of Python alone."""
import base64
import json
import re
import zlib

import numpy as np


class Page:
    def __init__(self, path):
        self.text = path.read_text(encoding="utf-8")
        self.facts = json.loads(self.element("facts"))

    def element(self, name):
        found = re.search(rf'<script id="{name}" type="[^"]*">(.*?)</script>', self.text, re.S)
        return found.group(1)

    def heads(self, of, index=None):
        found = [head for head in self.facts["columns"] if head["of"] == of]
        return [head for head in found if index is None or head["index"] == index]

    def explanations(self):
        return json.loads(zlib.decompress(base64.b64decode(self.element("explanations"))))

    def column(self, head):
        """Numbers bit for bit, or a text for each row."""
        data = zlib.decompress(base64.b64decode(self.element(f"data-{head['data']}")))
        rows, values = head["rows"], head["values"]
        if head["coding"] != "codes":
            words = unshuffled(data, rows, np.uint64)
            return np.cumsum(words, dtype=np.uint64) if head["coding"] == "differences" else words.view(np.float64)
        if "texts" in head:
            listed, rest = np.array(head["texts"], dtype=object), data
        else:
            listed, rest = unshuffled(data[: 8 * values], values, np.uint64), data[8 * values :]
            listed = np.cumsum(listed, dtype=np.uint64).view(np.float64)
        codes = np.zeros(rows, int) if values <= 1 else unshuffled(rest, rows, np.uint8 if values <= 256 else np.uint16)
        return listed[codes]


def unshuffled(data, count, kind):
    width = np.dtype(kind).itemsize
    return np.frombuffer(data, np.uint8).reshape(width, count).T.copy().view(kind).ravel()
