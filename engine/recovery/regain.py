"""What a session's own transcript still holds of the bodies that were archived from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from prune_mcp.engine.prune.archive import image_body
from prune_mcp.sessions.model import Conversation, SessionError
from prune_mcp.storage.codec import encode
from prune_mcp.storage.records import SessionRecord


def texts(record: SessionRecord) -> Iterator[bytes]:
    """The texts of all outputs in its transcript: what the next prune would archive again. Nothing where there is
    no transcript, or none that can be read as this session."""
    return _told(record, _texts)


def bodies(record: SessionRecord) -> Iterator[bytes]:
    """Every body that can be made again from its transcript: texts, images, arguments, and whole outputs that the
    host moved to files."""
    return _told(record, _bodies)


def _told(record: SessionRecord, tell: Callable[[Conversation], Iterator[bytes]]) -> Iterator[bytes]:
    from prune_mcp.sessions.transcript import open_transcript

    if not record.path:
        return
    try:
        conversation = open_transcript(Path(record.path))
        if conversation.session == record.id:
            yield from tell(conversation)
    except (SessionError, OSError):
        # It is gone, or changes while it is read: what was told until then is there.
        return


def _texts(conversation: Conversation) -> Iterator[bytes]:
    for block in conversation.archive():
        yield encode(conversation.text(block))


def _bodies(conversation: Conversation) -> Iterator[bytes]:
    for block in conversation.archive():
        yield encode(conversation.text(block))
        for media_type, data in conversation.images(block) if block.images else ():
            yield image_body(media_type, data)
        full = conversation.persisted(block)
        if full is not None:
            yield encode(full)
        call = conversation.called(block)
        if call is not None:
            yield encode(conversation.text(call))
    for message in conversation.messages:
        for call in message.calls:
            yield encode(conversation.text(call))
