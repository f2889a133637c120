"""Input schemas as small as a model needs them: no titles, no null branches, nothing unknown allowed."""

from __future__ import annotations

from typing import Any


def lean(schema: dict[str, Any]) -> dict[str, Any]:
    """The input schema of a tool, made from the one pydantic generates; every parameter must be described.

    Raises:
        ValueError: a parameter has no description.
    """
    properties = {name: _parameter(field) for name, field in schema.get("properties", {}).items()}
    for name, field in properties.items():
        if not field.get("description"):
            raise ValueError(f"parameter {name} has no description")
    small: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required := schema.get("required"):
        small["required"] = required
    return small


def _parameter(field: dict[str, Any]) -> dict[str, Any]:
    """One parameter without title and default; `X or null` becomes X, since leaving it out says the same."""
    small = {key: value for key, value in field.items() if key not in ("title", "default")}
    branches: list[dict[str, Any]] = [b for b in small.pop("anyOf", ()) if b != {"type": "null"}]
    if len(branches) == 1:
        return branches[0] | small
    return small | {"anyOf": branches} if branches else small


def expected(field: dict[str, Any]) -> str:
    """What a parameter takes, in words, from its lean schema."""
    if branches := field.get("anyOf"):
        return " or ".join(expected(branch) for branch in branches)
    if choices := field.get("enum"):
        return " or ".join(f'"{choice}"' for choice in choices)
    if field["type"] == "array":
        return "a list of texts" if field["items"] == {"type": "string"} else "a list of objects"
    if field["type"] == "integer":
        if "maximum" in field:
            return f"a whole number from {field['minimum']} to {field['maximum']}"
        return f"a whole number of at least {field['minimum']}" if "minimum" in field else "a whole number"
    return {"boolean": "true or false", "string": "a text", "object": "an object"}[field["type"]]
