"""What the product promises, one sentence for each id. Tests name the ids they prove with a marker."""

from __future__ import annotations

SESSIONS = {
    "SES-CLAUDE": (
        "Claude Code transcripts are read with every entry type and block they are known to hold, and each "
        "subagent's file, wherever the host put it, as a session apart from its parent's."
    ),
    "SES-MERGE": (
        "Lines that carry one response are one message; streaming snapshots and repeated uuids count once."
    ),
    "SES-TREE": (
        "The active branch is the one the host would follow, parallel calls are not taken for a rewind, and "
        "abandoned branches stay readable and are marked."
    ),
    "SES-COMPACT": (
        "Compaction boundaries and summaries are known as such, and what was compacted away stays readable."
    ),
    "SES-PERSISTED": "Output that the host moved to a file is read from that file, and from no other folder.",
    "SES-CODEX": (
        "Codex rollouts of the old and the new form, archived and compressed ones, are read: each message once, "
        "forks without what they replay, every shape of output, with the exit status."
    ),
    "SES-GEMINI": (
        "Gemini CLI sessions, json and jsonl: the last write of a message counts, and what a rewind dropped "
        "is marked."
    ),
    "SES-OPENCODE": (
        "opencode's database, opened for reading only, and its exports are read, with the output of tools."
    ),
    "SES-EXPORTS": (
        "Exports of claude.ai and ChatGPT, zipped or not, in one file or many, are read as a stream, with "
        "attachments and branches; one bad conversation costs only itself."
    ),
    "SES-TRAJ": "Trajectories of mini-swe-agent and SWE-agent are read as sessions.",
    "SES-PI": (
        "pi sessions of versions 1, 2 and 3 are read without rewriting them: leaf and branch rules, the "
        "latest compaction, context edits, bash executions, missing content."
    ),
    "SES-MESSAGES": (
        "Message arrays and request bodies of Anthropic Messages, OpenAI Chat Completions and OpenAI "
        "Responses are recognised, or taken as named, and keep every field we do not know."
    ),
    "SES-LIVE": (
        "A growing transcript costs the bytes appended; a half-written last line waits; a file that was "
        "truncated, regrown or replaced is noticed, also at the same size or time."
    ),
    "SES-DAMAGE": (
        "Torn lines, stray values, BOM, CRLF, NUL runs, invalid UTF-8, lone surrogates, raw U+2028 and a 20 "
        "MB line cost only themselves, and each skip is counted by kind."
    ),
    "SES-STREAM": "A transcript of 250 MB is read in bounded memory: under 200 MB above the bare interpreter.",
    "SES-WHICH": (
        "The session is found by the host's word, by this very call, or as the only live one; two that could "
        "be meant give an error that lists them."
    ),
    "SES-READONLY": "Reading changes no source file, locks none, and creates no database that was missing.",
}

PRUNING = {
    "PRU-NOOP": "With nothing to prune, equal messages come back and the answer says that nothing was pruned.",
    "PRU-IDEM": (
        "Pruning twice is pruning once: the same bytes on every run and after a restart, the input untouched."
    ),
    "PRU-VALID": (
        "In every format, each call keeps its result and each result its call, through reused ids, parallel "
        "calls, aborted turns and system messages; no signed thinking stands behind a changed prefix."
    ),
    "PRU-RECOVER": "Whatever a view leaves out, a ref printed in that view brings back, byte for byte.",
    "PRU-PROTECT": (
        "Output of protected tools and paths passes every phase unchanged, whatever argument names the path "
        "and however it is written; only a newer read of the same protected file takes its place."
    ),
    "PRU-SPILL": (
        "Output at or over the threshold is archived and stubbed at once with a preview; protection and dedup "
        "come before it."
    ),
    "PRU-FRONTIER": (
        "Work behind the frontier is not decided again, a failed prune never moves it, and whatever is "
        "skipped says why, in numbers."
    ),
    "PRU-DEDUP": (
        "Equal output of the same tool becomes an alias, also inside one flush, and a read contained in "
        "another read of the same file and version points there."
    ),
    "PRU-TRIVIAL": (
        "Batches under the threshold stay whole and are archived with refs all the same; a summary that saves "
        "no tokens is dropped."
    ),
    "PRU-BATCH": (
        "Work is batched by turn or by user exchange, and pruned on demand; a caller on the host's side is "
        "told when: per exchange, by budget share (with the ceiling of 300,000 tokens), by jump, by frontier "
        "gap, and again after a reload."
    ),
    "PRU-DIGEST": (
        "A digest keeps the first occurrence of every error line, and the names, numbers and paths that "
        "nothing else in view tells."
    ),
    "PRU-CHAIN": (
        "Closed chains behind the rolling window become one block each, with refs, relocated protected output "
        "and no summary told twice; a block never stands for a result that is not archived."
    ),
    "PRU-OPEN": "One endless exchange is compressed too, by age and size, and keeps its last turns.",
    "PRU-ERRORS": (
        "Arguments of failed calls past the cooldown and over the size shrink to keys and markers, call by "
        "call; the error text stays."
    ),
    "PRU-ORPHAN": "No result without an open call and no call without a result ever leaves us.",
    "PRU-GRACE": "Recovered output stays whole for the grace period.",
    "PRU-FENCE": "No output can close our blocks or pass for our stubs, and no foreign marker is taken for ours.",
    "PRU-EFFECT": (
        "Every answer tells its effect and why, the host, tokens before and after, the requests until it pays "
        "at cache prices, and what to do next on this host."
    ),
    "PRU-THINK": (
        "Closed exchanges lose signed thinking when something before it changes; nothing before signed "
        "thinking of the open exchange is edited unless the setting says so."
    ),
    "PRU-DIAG": "A diagnostic is told once for each cause, outside the context, and counted.",
}

HISTORY = {
    "HIS-FIND": "Whatever a session says is found once, under its session, its role and its time.",
    "HIS-QUERY": (
        "Any of several words may match; phrases, prefixes, paths, identifiers and CJK text are found; no "
        "punctuation makes an error, or an empty answer where a word is present."
    ),
    "HIS-RANK": (
        "Hits are ranked by their words and their age; summaries, our own output and the running session's own "
        "search stand below what they repeat."
    ),
    "HIS-FILTER": "Hits can be limited to a project, role, tool, agent, session and time.",
    "HIS-PAGE": (
        "An answer holds 10 hits unless asked otherwise, and 50 at most; pages join exactly, also inside one huge "
        "entry."
    ),
    "HIS-COPIES": "Text that resumed or forked sessions share comes once and names the others.",
    "HIS-FRESH": (
        "An answer never waits for the index: what is not indexed yet is scanned, and what was not covered is "
        "said."
    ),
    "HIS-GONE": "Sessions whose files are gone stay searchable and are marked; only forgetting removes them.",
    "HIS-SECRET": (
        "No secret's bytes stand in the index or in an answer of the search; its entry is found by its other "
        "words."
    ),
    "HIS-MANY": (
        "Several servers share one index; killing any of them at any moment loses nothing and blocks nobody."
    ),
}

RECOVERY = {
    "REC-PAGE": (
        "Pages by offset join to the exact original, inside one line of 1 MB too; a whole answer is capped "
        "and its cursor brings the rest."
    ),
    "REC-SLICE": (
        "A range of lines, the head, the tail, or lines that match a pattern with their context: one row of a "
        "CSV of 500 rows costs under 500 tokens."
    ),
    "REC-AMBIG": "A reused call id returns every occurrence, labelled; an unknown ref names those near it.",
    "REC-SURROGATE": (
        "Text that is not valid Unicode never ends the server: it shows U+FFFD, and is exact as JSON."
    ),
    "REC-TREE": "Without refs comes the tree: summaries, the outputs under them, sizes, and what was saved.",
    "REC-LAST": (
        "Recovery works after a restart, in another client and without the transcript; a damaged file of the "
        "store is reported and never shortens an output in silence."
    ),
    "REC-IMAGE": "Images come back as images, or are named.",
}

SUMMARIES = {
    "PRU-SUMMARY": (
        "Summaries by a model come through the client or an endpoint: labels are checked, time is limited, one "
        "failure takes no other's summary away, and what they used and cost is counted."
    ),
    "PRU-FUSE": (
        "Several summaries of a span are fused by a model when that is asked for, else joined; a "
        "failure is harmless."
    ),
}

COLLAPSE = {
    "COL-BUILD": (
        "A collapse tells modified and read files, commands, validation runs, failures with their command and "
        "first error line, commits and the last answer, in lists of at most twelve with the rest counted, "
        "without a model."
    ),
    "COL-REFUSE": (
        "Nothing before the first prompt, no prompt without an answer and no open exchange is collapsed, and the "
        "refusal says so plainly."
    ),
    "COL-USAGE": "What the collapsed turns used in tokens is carried along.",
    "COL-RECORD": (
        "The record after a compaction holds what the person wrote, word for word: the first ask, the latest "
        "ask and the latest input always, the rest newest first, in 20,000 characters."
    ),
    "USE-ROWS": (
        "What fills the context is told by category and by tool or type, sorted, 30 rows under each and the rest "
        "counted, with the provider's numbers told apart from estimates."
    ),
}

SERVER = {
    "SRV-ERAS": "Over stdio, Streamable HTTP and SSE the server does the same in both eras of the protocol.",
    "SRV-SMALL": (
        "The tool list stays under 6,000 bytes with every parameter described, and start-up is at most 1.15 "
        "times that of an empty server on the bare SDK."
    ),
    "SRV-STRICT": (
        "Unknown and wrong arguments are refused in our own words with the nearest name; bad input is a clear "
        "error and loses nothing."
    ),
    "SRV-CONFIG": (
        "Settings are strict and merge deeply; each bad key is named; a file that cannot be read is left as it is."
    ),
    "SRV-HTTP": (
        "Over HTTP the server is there for this machine alone, or for who has a token; foreign hosts and "
        "origins and oversized bodies are refused."
    ),
    "SRV-PROGRESS": "Long work reports its progress and can be cancelled.",
    "SRV-STORE": (
        "Quota, gc, forget and versions: nothing unexpected is deleted, and what is forgotten is gone everywhere."
    ),
    "SRV-BUNDLE": "pyproject, manifest.json, server.json, the README and the served tools agree.",
}

REQUIREMENTS = {**SESSIONS, **PRUNING, **RECOVERY, **HISTORY, **SUMMARIES, **COLLAPSE, **SERVER}
