"""Where the texts of a result are found."""

from __future__ import annotations

import unittest
from typing import Any

import common  # noqa: F401

from tersed.adapters._shape import shape_of


class Shapes(unittest.TestCase):
    def test_texts_are_found_and_replaced(self) -> None:
        image = {"type": "image", "data": "x"}
        named = {"type": "text", "text": "old", "id": 7}
        for value, wanted, rebuilt in (
            ("old", "old", "0"),
            ([image, named], "old", [image, {**named, "text": "0"}]),
            (["a", image, "b"], ["a", "b"], ["0", image, "1"]),
            ({"output": "old", "returncode": 2}, "old", {"output": "0", "returncode": 2}),
            (
                {"stderr": "e", "stdout": "o", "cwd": "/"},
                ["o", "e"],
                {"stderr": "1", "stdout": "0", "cwd": "/"},
            ),
        ):
            shape = shape_of(value)
            assert shape is not None, value
            content = shape.content
            new: Any = "0"
            if isinstance(content, list):
                content = [part["text"] for part in content]
                new = [{"type": "text", "text": str(n)} for n in range(len(content))]
            self.assertEqual(content, wanted)
            before = repr(value)
            self.assertEqual(shape.rebuild(new), rebuilt)
            self.assertEqual(repr(value), before)

    def test_anything_else_stays(self) -> None:
        for value in (None, 5, b"bytes", [], [1, {"type": "image"}], {}, {"output": 5}, {"text": "x"}):
            self.assertIsNone(shape_of(value), value)

    def test_exit_codes(self) -> None:
        for value, code in (
            ({"output": "", "returncode": -1}, -1),
            ({"stdout": "", "exit_code": 3}, 3),
            ({"stdout": "", "exit_code": True}, None),
            ({"stdout": ""}, None),
        ):
            shape = shape_of(value)
            assert shape is not None
            self.assertEqual(shape.exit_code, code)


if __name__ == "__main__":
    unittest.main()
