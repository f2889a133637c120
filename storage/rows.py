"""Records as rows and back; the order of the columns is the order of the records' fields."""

from __future__ import annotations

import json
from dataclasses import fields
from operator import attrgetter
from typing import Any

from prune_mcp.storage.codec import decode, encode
from prune_mcp.storage.records import ChainBlock, Diagnostic, Flush, ModelUsage, Output, SessionRecord

Row = tuple[Any, ...]


def columns(record: type) -> str:
    """The columns of a record's table, quoted, in the order of its fields."""
    return ", ".join(f'"{field.name}"' for field in fields(record))


SESSION_COLUMNS = columns(SessionRecord)
OUTPUT_COLUMNS = columns(Output)
BLOCK_COLUMNS = columns(ChainBlock)
FLUSH_COLUMNS = columns(Flush)
DIAGNOSTIC_COLUMNS = columns(Diagnostic)
USAGE_COLUMNS = columns(ModelUsage)

# The fields of an output after its ref, call id, entry and sha.
output_details = attrgetter(*[field.name for field in fields(Output)][4:])


def kept(text: str) -> str | bytes:
    """A text as SQLite keeps it exactly: as text, or as its bytes when it is no valid Unicode."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return encode(text)
    return text


def given(value: Any) -> Any:
    """A column's value as the records have it."""
    return decode(value) if isinstance(value, bytes) else value


def restored(row: Row) -> Row:
    """A row with its texts as the records have them."""
    return tuple(map(given, row)) if bytes in map(type, row) else row


def session_from(row: Row) -> SessionRecord:
    """A session from its columns."""
    return SessionRecord(*restored(row))


def output_from(row: Row) -> Output:
    """An output from its columns."""
    output = Output(*restored(row))
    output.error = bool(output.error)
    return output


def occurrence_from(row: Row) -> tuple[str, Output]:
    """A session's id and an output from its columns behind that id."""
    return given(row[0]), output_from(row[1:])


def output_row(session: int, ref: int, sha: str, draft: Output) -> Row:
    """The row of a draft under its session's key, its ref and its body's sha."""
    norm, tool, key, error, chars, size, lines, images, state, stub, other, flush = output_details(draft)
    return (
        session,
        ref,
        kept(draft.call_id),
        kept(draft.entry),
        sha,
        kept(norm),
        kept(tool),
        kept(key),
        error,
        chars,
        size,
        lines,
        images,
        state,
        kept(stub),
        other,
        flush,
    )


def block_from(row: Row) -> ChainBlock:
    """A block from its columns."""
    number, kind, start, end, text, document, refs, blocks, *rest = restored(row)
    return ChainBlock(number, kind, start, end, text, document or "", json.loads(refs), json.loads(blocks), *rest)


def block_row(session: int, number: int, block: ChainBlock) -> Row:
    """The row of a block under its session's key and its number."""
    return (
        session,
        number,
        block.kind,
        kept(block.start),
        kept(block.end),
        kept(block.text),
        block.document or None,
        json.dumps(block.refs),
        json.dumps(block.blocks),
        block.flush,
        block.words,
    )


def flush_from(row: Row) -> Flush:
    """A flush from its columns."""
    number, outcomes, *rest = restored(row)
    return Flush(number, json.loads(outcomes), *rest)


def flush_row(session: int, number: int, flush: Flush) -> Row:
    """The row of a flush under its session's key and its number."""
    return (
        session,
        number,
        json.dumps(flush.outcomes),
        kept(flush.note),
        flush.frontier,
        flush.tokens_before,
        flush.tokens_after,
        kept(flush.time),
    )


def diagnostic_from(row: Row) -> Diagnostic:
    """A diagnostic from its columns."""
    return Diagnostic(*restored(row))


def usage_from(row: Row) -> ModelUsage:
    """A model's usage from its columns."""
    return ModelUsage(*restored(row))
