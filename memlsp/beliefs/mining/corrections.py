"""Mines prompts for statements that outlast the task: rules, preferences, decisions, moves, facts of operation.

Most of a prompt is a task. A prompt is read clause by clause, so that a rule beside a task is kept without the task;
`clause_features` says how likely a clause is to last. Pasted text is left out. A short answer to an agent's question is
read in its light: `pnpm, always` to `pnpm or npm?` is `Use pnpm, always, not npm.`
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from attrs import evolve, frozen

from memlsp.beliefs.acts.commands import tables
from memlsp.beliefs.mining.clause_features import BESIDE, ClauseSetting, LastingModel, clause_features, lasting_model
from memlsp.beliefs.mining.findings import MinedStatement, printable, with_full_stop
from memlsp.beliefs.mining.passages import plain
from memlsp.code.vocabulary import patterns

MOST_OF_A_PROMPT = 6
_LONGEST = 6_000  # characters of a prompt: a longer one is pasted
_LONGEST_CLAUSE = 60  # words
_LONGEST_ANSWER = 12  # words of a sentence that answers a question
_INFERRED_MOST = 0.65  # confidence of what a person said beside the point, or by choosing
_APART = 0.05  # likelihood that a clause needs more when it is kept without the rest of its sentence
_TASK_AT_MOST = 0.2  # likelihood of a clause that is left out of a sentence that is kept

_UNSETTLED = frozenset({"asks", "hedge", "pointing", "once", "wants", "this_one"})
_PASSING = _UNSETTLED | {"task_verb", "policy_verb"}

_RE = patterns(__name__)
_CLASSES = patterns("memlsp.beliefs.mining.clause_features")


@frozen
class PromptClause:
    """A clause of a prompt with its features. `text` is without what was said before it (`no,`, `by the way`)."""

    text: str
    lead: str
    features: dict[str, float]
    around: ClauseSetting
    line: int
    quote: str
    inferred: bool = False


def from_prompt(prompt: str, question: str = "") -> list[MinedStatement]:
    """The lasting statements of a prompt, at most `MOST_OF_A_PROMPT`; none of a mostly pasted one. `question` is what
    an agent asked just before."""
    model = lasting_model()
    return [statement_of(clause, model) for clause in lasting(read_clauses(prompt, question), model)][:MOST_OF_A_PROMPT]


def answers_of(output: str) -> list[tuple[str, str]]:
    """The questions and answers in the result of an agent's question tool."""
    return [(found["question"], found["answer"]) for found in _RE["answered"].finditer(output)]


def lasting(read: Iterable[tuple[PromptClause, Sequence[PromptClause]]], model: LastingModel) -> Iterator[PromptClause]:
    """Those of the statements of `read_clauses`, or of their clauses, that are likely enough to last, in order."""

    def lasts(clause: PromptClause, more: float = 0.0) -> bool:
        fewest = 2 if _RE["told"].search(clause.lead) else 3
        return _likelihood(clause, model) >= model.mark + more and _says_enough(clause.text, fewest)

    for whole, parts in read:
        likely = (model.likelihood(part.features) for part in parts if "task_verb" in part.features)
        tasks = [each for each in likely if each < _TASK_AT_MOST]
        if (not tasks or _RE["told"].search(whole.lead)) and lasts(whole):
            yield whole
        else:
            yield from (part for part in parts if lasts(part, _APART))


def read_clauses(prompt: str, question: str = "") -> Iterator[tuple[PromptClause, list[PromptClause]]]:
    """Each statement of a prompt, whole and in its clauses, with features."""
    said = list(_said(prompt)) if len(prompt) <= _LONGEST else []
    composed = _composed(said[0][2], question) if said and question else ""
    wholes = [
        _clause(part, ClauseSetting(len(said), len(prompt), order == 0, asked=sentence.endswith("?")), number, line)
        for order, (number, line, sentence, part) in enumerate(said)
    ]
    for order, whole in enumerate(wholes):
        beside = frozenset(name for other in wholes if other is not whole for name in other.features)
        around = evolve(whole.around, beside=beside & BESIDE)
        if order == 0 and composed:
            inferred = not (_CLASSES["always"].search(whole.text) or _CLASSES["never"].search(whole.text))
            quote = f"{question}\n{whole.quote}"
            answer = _clause(composed, evolve(around, answers=True), whole.line, quote)
            yield evolve(answer, inferred=inferred), []
            continue
        texts = [text for text in _RE["clause"].split(whole.text) if text and _RE["word"].search(text)]
        parts = [_clause(text, around, whole.line, whole.quote) for text in texts] if len(texts) > 1 else []
        yield _clause(f"{whole.lead}{whole.text}", around, whole.line, whole.quote), parts


def _said(prompt: str) -> Iterator[tuple[int, str, str, str]]:
    """The statements of a prompt: the number of its line, the line, the sentence, and its part."""
    for number, line in _typed_lines(prompt):
        for sentence in _sentences(plain(re.sub(r"^(?:[-*•]|\d{1,2}[.)])\s+", "", line.strip()))):
            for part in _RE["apart"].split(sentence):
                if part and _RE["word"].search(part):
                    yield number, line.strip(), sentence, part


def _clause(text: str, around: ClauseSetting, line: int, quote: str) -> PromptClause:
    text = text.strip().strip(",")
    found = _RE["lead"].match(text)
    lead = found[0] if found and found.end() < len(text) else ""
    rest = text[len(lead) :].strip()
    features = clause_features(rest, lead, around)
    return PromptClause(rest, lead, features, around, line, quote, inferred="hedge" in features)


def _typed_lines(prompt: str) -> Iterator[tuple[int, str]]:
    """The lines that a person typed, with their numbers from 1."""
    fenced = False
    for number, line in enumerate(prompt.splitlines(), 1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced and line.strip() and not _RE["pasted"].search(line):
            yield number, line


def _sentences(text: str) -> list[str]:
    found: list[str] = []
    for part in _RE["sentence_end"].split(text):
        if found and _RE["no_end"].search(found[-1]):
            found[-1] = f"{found[-1]} {part}"
        elif part.strip():
            found.append(part.strip())
    return found


def _composed(answer: str, question: str) -> str:
    """A short answer as a statement of its own, with what the question adds; "" where it needs nothing of it."""
    asked = " ".join(question.split()).rsplit("\n", 1)[-1]
    answer = answer.strip().rstrip(".!")
    if len(_RE["word"].findall(answer)) > _LONGEST_ANSWER or answer.endswith("?"):
        return ""
    either = _RE["asked_either"].search(asked)
    if either is not None:
        options = [option.strip("`'\"") for option in either.groups() if option]
        chosen = [
            option for option in options if re.search(rf"(?<!\w){re.escape(option)}(?!\w)", answer, re.IGNORECASE)
        ]
        if len(chosen) == 1:
            others = " or ".join(option for option in options if option not in chosen)
            said = answer if _CLASSES["policy_verb"].match(answer) else f"use {answer}"
            return f"{said}, not {others}"
    if _RE["open"].match(asked):
        wanted = re.search(r"(?i)\buse\b[^?]{0,40}\?$", asked) and not _CLASSES["policy_verb"].search(answer)
        return f"use {answer}" if wanted and " use " not in f" {answer} " else ""
    offer = _RE["offer"].search(asked)
    return _granted(answer, offer["act"].strip()) if offer is not None else ""


def _granted(answer: str, act: str) -> str:
    """A yes or no to an offer as a statement about what was offered; "" for any other answer."""
    yes, always = _RE["yes"].match(answer), _CLASSES["always"].search(answer)
    if not yes and not _RE["no"].match(answer):
        return ""
    rest = re.sub(r"(?i)^(?:yes|yep|yeah|sure|no|nope|ja|nein|oui|non|sí|si|always|never)\b[\s,.:;!-]*", "", answer)
    said = f"{'always ' if always else ''}{act}" if yes else f"don't {act}"
    return f"{said}: {rest}" if rest and not (always and _CLASSES["always"].fullmatch(rest)) else said


def _likelihood(clause: PromptClause, model: LastingModel) -> float:
    """The likelihood that a clause lasts: certain enough for what is plainly said of the project."""
    found, of = model.likelihood(clause.features), clause.features.keys()
    told = _RE["told"].search(clause.lead)
    asked = told and ("definite" in of or told["later"]) and "bug" not in of
    said = _RE["plain"].search(clause.text) or _RE["plain_too"].search(clause.text)
    needed = {"alone", "bug"} & of == {"alone"} and _RE["standing_need"].search(clause.quote)
    plainly = (asked or said or needed) and (_UNSETTLED if told else _PASSING).isdisjoint(of)
    plainly = plainly and not clause.around.asked
    return max(found, model.direct + _APART) if plainly or _orders(clause) else found


def _orders(clause: PromptClause) -> bool:
    """True for an order that stands: which tool is used here, how all commits are made, what holds from today on."""
    found = _RE["standing_order"].search(clause.text)
    if found is None or clause.around.asked:
        return False
    unsettled = _UNSETTLED - {"once"} if found["from"] else _UNSETTLED  # "from today on"
    if not unsettled.isdisjoint(clause.features):
        return False
    tool = found["tool"] or found["run"]
    return tool is None or tool.lower() in tables().by_program


def _says_enough(text: str, fewest: int) -> bool:
    words = re.findall(r"[^\W\d_]{3,}", text)
    return (
        len(text) > 9
        and not _RE["disclosed"].search(text)  # the value of a credential is nobody's to keep
        and len(_RE["word"].findall(text)) <= _LONGEST_CLAUSE
        and (len(words) >= fewest or bool(_CLASSES["names"].search(text)) or _RE["numbered"].search(text) is not None)
    )


def statement_of(clause: PromptClause, model: LastingModel) -> MinedStatement:
    """A clause that lasts as a statement with its kind, its confidence and whether a person plainly said it."""
    text = printable(clause.text).strip(" ,;:-")
    likelihood = _likelihood(clause, model)
    direct = (likelihood >= model.direct or "opens" in clause.features) and not clause.inferred
    return MinedStatement(
        with_full_stop(text[0].upper() + text[1:] if text.split()[0].strip(",.:").isalpha() else text),
        model.kind(clause.features),
        clause.quote,
        3.0,
        clause.line,
        clause.line,
        confidence=round(likelihood if direct else min(likelihood, _INFERRED_MOST), 2),
        direct=direct,
        personal=_is_personal(clause),
    )


def _is_personal(clause: PromptClause) -> bool:
    """True for a preference of the person that names nothing of this project."""
    found = clause.features
    return "prefers" in found and "own" in found and "ours" not in found and "habit" not in found
