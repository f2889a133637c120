"""Many short strings in little memory: an object for each would take more than its text."""

from __future__ import annotations

from array import array


class Strings:
    """Strings by number, in the order they were added; each takes its UTF-8 bytes and eight more."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._ends = array("Q", [0])

    def __len__(self) -> int:
        """How many strings there are."""
        return len(self._ends) - 1

    def __getitem__(self, number: int) -> str:
        """The string with this number."""
        return self.encoded(number).decode("utf-8", "surrogatepass")

    def encoded(self, number: int) -> bytearray:
        """The UTF-8 bytes of the string with this number."""
        return self._data[self._ends[number] : self._ends[number + 1]]

    def add(self, text: str) -> int:
        """Add a string; its number."""
        self._data += text.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._data))
        return len(self._ends) - 2
