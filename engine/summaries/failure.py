"""Why a model's answer could not be had."""

from __future__ import annotations


class AskFailed(Exception):
    """One request failed; the message says how, for people.

    `cause`: one word that the same trouble always has. `transient`: asking again later, or another model, may
    help. `fatal`: no further question to this model has a chance.
    """

    def __init__(self, cause: str, detail: str, *, transient: bool = False, fatal: bool = False) -> None:
        super().__init__(detail)
        self.cause = cause
        self.transient = transient
        self.fatal = fatal


class NotSet(Exception):
    """The settings name no model that can be asked; the message says what to do."""
