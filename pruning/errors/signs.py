"""Error signs: the stems, words and forms by which tools mark a line that says what went wrong."""

from __future__ import annotations

import re

# Found by plain search, which is many times faster than one pattern over the whole text. A line that holds none
# of these is no error line; the second group tells only in a tool's report, not in code or prose that was read.
# A stem that begins with a line end stands at the beginning of its line.
STEMS = ("rror", "ERR", "xception", "FA", "atal", "panic", "ost recent call", "✗", "✖", "✘", "❌")
REPORT_STEMS = (
    *STEMS,
    *("fail", "Fail", "denied", "ot found", "o such", "annot", "n't ", "nable to", "ould not", "not ok"),
    *("not exist", "ndefined", "nvalid", "xpected", "nresolved", "imed out", "efused", "bort", "ritical", "CRIT"),
    *("SEVERE", "onflict", "CONFLICT", "core dump", "egmentation", "illed", "xit", "× ", ", want "),
    *("ssertion ", "xceeded", "ttempt to ", "violat", "orbidden", "nauthorized", "ut of memory", "space left"),
    *("** (", "\nE  ", "HTTP/", "● ", "BackOff", "expect("),
    *("ehler", "fehl", "rreur", "gefunden", "ntrouvable", "allo:", "o existe"),
)
# Of other languages, looked for only where a text is not all ASCII.
FAR_STEMS = (
    *("échec", "Échec", "échou", "falló", "Falló", "ungültig", "válid", "refusé", "шибк", "далось", "найден"),
    *("错误", "失败", "錯誤", "失敗", "找不到", "拒绝", "异常", "エラー", "例外", "ません", "오류", "실패"),
)
_FAR = "|".join(FAR_STEMS)

# What may stand before the telling word: signs, digits, a date with its T and Z, a short label or two. Quantifiers
# are possessive wherever two could share characters: time stays linear in the line.
_MARKS = "✗✖✘❌×"
_SIGNS = f"[^A-Za-z{_MARKS}]*+"
says_strongly = re.compile(
    rf"""(?: {_SIGNS} (?:T\d[\d:.,+-]*+Z?{_SIGNS})?+ (?:[\w.@/-]{{1,24}}[\]:|](?=\s){_SIGNS}){{0,2}}? (?:
        (?:\w{{1,24}}\.)?(?:ERROR|FATAL|CRITICAL|CRIT|SEVERE|PANIC|EMERG|ALERT|FAIL(?:ED|URE)?)\b
      | (?:error|fatal|panic|failed|failure|err)\b(?:\[\w+\])?[\]:!(]
      | (?:[\w$]++(?:\.|::))*+[A-Z]\w*(?:Error|Exception|Failure|Fault|Interrupt|Panic)\b(?:[:)]|\s|$)
      | Uncaught\b | Unhandled\b | Caused\ by:(?:\s|$) | thread\ '.*'.*\ panicked | Failure/Error:
      | E\s{{2,}}\S | not\ ok\b | [{_MARKS}]\s | npm\ (?:ERR!|error)\s | CONFLICT\ \( | Segmentation\ fault
      | [Ee]xit\ (?:code|status):?\ [1-9] | Error\b
      | in\ [`'].*\([A-Z][\w:]*\)\s*$ )
    | \S+:\d+(?::\d+)?:?\s+(?:fatal\s+)?error\b | \S+\(\d+,\d+\):\s+error\b | .*\berror\s+TS\d
    | \s*\d+:\d+\s+error\s
    | [^\w*]*\*\*\ \((?:[A-Z]\w*+(?:\.\w++)*+|exit|throw|stop)\b
    | \s*<\w*[Ee]rror\w*>
    | [<\s]*HTTP/\d(?:\.\d)?\ [45]\d\d\b
    | \s*●\ (?:.*\ ›\ |Test\ suite\ failed) )""",
    re.VERBOSE,
).match
# A failed expectation: looks like code, since it quotes some.
says_mismatch = re.compile(
    r"""\b[Aa]ssert(?:ion)?\b.*\bfail(?:ed|s|ure)\b | \bexpect\((?:received|locator|page|jest\.fn\(\))\)
    | \b[Ee]xpected\b.*\b(?:got|but|was|received|actual(?:ly)?|found|instead)\b | \bgot\b.*\bwant\b""",
    re.VERBOSE,
).search
says_weakly = re.compile(
    rf"""\b(?: errors? | fail(?:s|ed|ure|ures|ing)? | fatal | panic(?:ked)? | exceptions? | denied | not\ found
    | no\ such | cannot | can't | could\ not | couldn't | unable\ to | undefined | invalid | timed\ out
    | refused | abort(?:ed|ing)? | critical | conflicts? | core\ dumped | killed | unexpected | unresolved
    | exit(?:ed)?(?:\ with)?(?:\ (?:code|status|value))?:?\ -?[1-9]\d* | (?:does\ not|doesn't)\ exist | exceeded
    | attempt\ to\ (?:\w+\ )+a\ nil | violat(?:es|ed|ion) | forbidden | unauthorized | out\ of\ memory
    | no\ space\ left | \w+BackOff | \w*fehler(?:haft)? | fehlgeschlagen | nicht\ gefunden | erreurs?
    | introuvable | fallo | no\ existe )\b | {_FAR}""",
    re.VERBOSE | re.IGNORECASE,
).search
says_by_name = re.compile(r"\b[A-Z]\w*(?:Error|Exception)\b|\bERR(?:OR)?\b|\bE[A-Z]{4,}\b").search
harmless = re.compile(
    r"\b(?:0|no|zero|without|keine?|aucune?|sin)\s+(?:\w+\s+)?"
    r"(?:errors?|fail\w*|exceptions?|conflicts?|fehler|erreurs?|errores|fallos)\b"
    r"|\b(?:errors?|fail\w*|exceptions?)\b[\s:=(]*0\b(?!\.)",
    re.IGNORECASE,
).sub
far_harmless = re.compile(
    r"(?:\b0\s*|没有|沒有|無|无)[个個件]?\s*(?:错误|失败|錯誤|失敗|异常|エラー)"
    r"|(?:エラー|失敗|例外)(?:なし|はありません|\s*:?\s*0\b)|(?:\b0|без)\s+ошиб\w+"
).sub
# What a failed expectation says below its first line.
is_detail = re.compile(
    r"\s*(?:code|left|right|got|want(?:ed)?|but was|(?:[Ee]xpected|[Rr]eceived|[Aa]ctual)"
    r"(?: [a-z]+){0,3})\s*: *\S"
).match
# The numbered heading above one failed test's report.
headings_in = re.compile(r"^ {0,8}\d{1,4}\) \S.*", re.MULTILINE).finditer
is_heading = re.compile(r"\s*(?:\d{1,4}\) |● )").match
is_bare_exit = re.compile(
    r"\W*(?:\w+ )?(?:Process |Command )?[Ee]xit(?:ed)?(?: with)?(?: (?:code|status))?:? -?\d+\W*"
).fullmatch
