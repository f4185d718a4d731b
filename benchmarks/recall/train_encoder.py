"""Makes the embedded encoder: `python -m benchmarks.recall.train_encoder --help`.

Three steps, each from the one before it. The words of a vocabulary are read by a small transformer, one by one, and cut
to 256 dimensions. The sums of such words are brought near to what the transformer makes of whole sentences. Then pairs
(see `train_encoder_pairs`) are told from each other, a question's own text against those of all others in its batch,
half of which are of the same package. Needs torch, transformers and numpy, in an environment of its own; none of them
is needed to use what it makes. Seeds are fixed; threads may still change the last digits.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from attrs import frozen

from benchmarks.recall.train_encoder_pairs import MOST, Pair, packages, pairs_of
from benchmarks.stalecode.repositories import DEVELOP, JUDGE

DIMENSIONS = 256
WORDS = 32_000
SENTENCES = 8_800
GENERAL = 12_000
"""Of the transformer's vocabulary, which is ordered by frequency, so many stay whether or not the pairs hold them."""

DEVELOP_ON = frozenset(
    {*DEVELOP, "falcon", "marshmallow", "python-poetry/poetry", "serde-rs/serde", "google/dagger", "seldaek/monolog",
     "xarray"}
)  # fmt: skip
"""Weights of a fusion are chosen on these, and nothing is trained on them."""

TEST_ON = frozenset({*JUDGE, "scrapy/scrapy", "hyperium/hyper", "streamlit", "luigi", "vitejs/vite", "square/moshi"})
"""These judge; nothing is trained or chosen on them."""


def part_of(package: str) -> str:
    """`train`, `develop` or `test`. A wheel and a clone of one project fall into one part."""
    for part, names in (("develop", DEVELOP_ON), ("test", TEST_ON)):
        short = {name.lower().rpartition("/")[2] for name in names if name != "httpie/cli"}
        if package.lower() in {name.lower() for name in names} or package.lower().rpartition("/")[2] in short:
            return part
    return "train"


def main() -> None:
    """Gather, train, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheels", type=Path, help="a folder of wheels")
    parser.add_argument("--clones", type=Path, help="a folder of OWNER+NAME/repo git directories")
    parser.add_argument("--pairs", type=Path, required=True, help="where gathered pairs are kept, and read again")
    parser.add_argument("--teacher", type=Path, help="the folder of a sentence-transformers MiniLM")
    parser.add_argument(
        "--work", type=Path, required=True, help="where each step is kept, so that one can be taken alone"
    )
    parser.add_argument("--to", type=Path, help="the folder that gets encoder.json, encoder.txt and encoder.npy")
    parser.add_argument("--name", default="memlsp-static-1")
    chosen = parser.parse_args()
    chosen.work.mkdir(parents=True, exist_ok=True)
    licences = gather(chosen.wheels, chosen.clones, chosen.pairs)
    train(chosen.pairs, chosen.teacher, chosen.work, chosen.to, chosen.name, licences)


def gather(wheels: Path | None, clones: Path | None, into: Path) -> dict[str, str]:
    """Write the pairs of every package to a file of JSON lines, unless it is there; the licences by package."""
    into.mkdir(parents=True, exist_ok=True)
    licences: dict[str, str] = {}
    for package in packages(wheels, clones):
        licences[package.name] = package.licence
        path = into / f"{package.name.replace('/', '+')}.jsonl"
        if not path.exists():
            lines = [json.dumps([pair.kind, pair.query, pair.text]) + "\n" for pair in pairs_of(package)]
            path.write_text("".join(lines), encoding="utf-8")
    return licences


def read_pairs(folder: Path, part: str) -> Iterator[tuple[str, Pair]]:
    """The pairs of a part with their packages, by package."""
    for path in sorted(folder.glob("*.jsonl")):
        package = path.stem.replace("+", "/")
        if part_of(package) == part:
            counts: Counter[str] = Counter()
            for line in path.read_text(encoding="utf-8").splitlines():
                pair = Pair(*json.loads(line))
                counts[pair.kind] += 1
                if counts[pair.kind] <= MOST[pair.kind]:
                    yield package, pair


# -- the vocabulary -------------------------------------------------------------------------------------------------


def vocabulary_of(texts: Sequence[str], teacher: Path) -> list[str]:
    """The words and pieces that have a row: the teacher's most general, those of its others that the texts hold, and
    words of the texts that it would cut to pieces, the most frequent first."""
    from memlsp.recall.static_encoder import words_of

    known = (teacher / "vocab.txt").read_text(encoding="utf-8").splitlines()
    known = [piece for piece in known if piece.isascii() and piece.removeprefix("##").isalnum()]
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(set(words_of(text)))
    pieces = [piece for piece in known if piece.startswith("##")]
    general = [piece for piece in known if not piece.startswith("##")][:GENERAL]
    taken = set(general) | {piece for piece in pieces if len(piece) <= 6}
    rest = [word for word, times in counts.most_common() if times >= 5 and 2 < len(word) <= 24 and word not in taken]
    kept = [*sorted(taken), *rest[: WORDS - len(taken)]]
    print(f"{len(general)} general words, {len(taken) - len(general)} pieces, {len(kept) - len(taken)} of the texts")
    return sorted(kept)


# -- the teacher ------------------------------------------------------------------------------------------------------


def read_by_teacher(teacher: Path, texts: Sequence[str], longest: int) -> Any:
    """What the transformer makes of each text: the mean over its tokens, as sentence-transformers does."""
    torch: Any = import_module("torch")
    transformers: Any = import_module("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(teacher))
    model = transformers.AutoModel.from_pretrained(str(teacher)).eval()
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    made = torch.zeros((len(texts), 384))
    began = time.perf_counter()
    with torch.inference_mode():
        for start in range(0, len(order), 256):
            batch = order[start : start + 256]
            read = tokenizer(
                [texts[at] for at in batch], padding=True, truncation=True, max_length=longest, return_tensors="pt"
            )
            states = model(**read).last_hidden_state
            mask = read["attention_mask"].unsqueeze(-1).float()
            made[batch] = (states * mask).sum(1) / mask.sum(1)
            if start % 12_800 == 0:
                print(f"teacher: {start} of {len(texts)}, {time.perf_counter() - began:.0f} s", flush=True)
    return made


# -- training -------------------------------------------------------------------------------------------------------


class _Bags:
    """Texts as rows of the vocabulary with their weights, ready for an EmbeddingBag."""

    def __init__(self, pieces: Any, texts: Sequence[str]) -> None:
        numpy: Any = import_module("numpy")
        ends = [0]
        rows: list[Any] = []
        weights: list[Any] = []
        for text in texts:
            counts = pieces.of(text) or {0: 1}
            rows.append(numpy.fromiter(counts.keys(), dtype=numpy.int32, count=len(counts)))
            weights.append(numpy.sqrt(numpy.fromiter(counts.values(), dtype=numpy.float32, count=len(counts))))
            ends.append(ends[-1] + len(counts))
        self.ends = numpy.array(ends)
        self.rows = numpy.concatenate(rows)
        self.weights = numpy.concatenate(weights)

    def take(self, which: Any, dropped: float = 0.0) -> tuple[Any, Any, Any]:
        """Rows, offsets and weights of some of the texts, without a share of their words, by chance."""
        numpy: Any = import_module("numpy")
        torch: Any = import_module("torch")
        lengths = self.ends[which + 1] - self.ends[which]
        offsets = numpy.concatenate([[0], numpy.cumsum(lengths)[:-1]])
        at = numpy.repeat(self.ends[which] - offsets, lengths) + numpy.arange(int(lengths.sum()))
        weights = self.weights[at]
        if dropped:
            weights = weights * (numpy.random.random(len(at)) >= dropped).astype(numpy.float32)
        return torch.from_numpy(self.rows[at].astype(numpy.int64)), torch.from_numpy(offsets), torch.from_numpy(weights)


class _Table:
    """The rows that are learned, and Adam's two memories of each. A step reads and moves the rows of its batch alone,
    which are a fraction of all."""

    def __init__(self, torch: Any, rows: Any) -> None:
        self._torch = torch
        self.rows = rows.clone().contiguous()
        self._mean = torch.zeros_like(self.rows)
        self._square = torch.zeros_like(self.rows)
        self._steps = torch.zeros(len(rows), 1)

    def step(self, bags: Sequence[tuple[Any, Any, Any]], rate: float, worth: Callable[[list[Any]], Any]) -> float:
        """Move the rows of these bags so that `worth`, a loss of their normalised sums, becomes less; the loss."""
        torch = self._torch
        used, places = torch.unique(torch.cat([bag[0] for bag in bags]), return_inverse=True)
        taken = self.rows[used].requires_grad_()
        sums: list[Any] = []
        start = 0
        for rows, offsets, weights in bags:
            here = places[start : start + len(rows)]
            start += len(rows)
            summed = torch.nn.functional.embedding_bag(here, taken, offsets, mode="sum", per_sample_weights=weights)
            sums.append(torch.nn.functional.normalize(summed, dim=1))
        loss = worth(sums)
        loss.backward()
        with torch.no_grad():
            slope = taken.grad
            steps = self._steps[used] + 1
            mean = self._mean[used].mul_(0.9).add_(slope, alpha=0.1)
            square = self._square[used].mul_(0.99).addcmul_(slope, slope, value=0.01)
            self._steps[used], self._mean[used], self._square[used] = steps, mean, square
            moved = (mean / (1 - 0.9**steps)) / ((square / (1 - 0.99**steps)).sqrt_() + 1e-8)
            self.rows[used] = taken.detach() - rate * moved
        return float(loss.detach())


def train(pairs: Path, teacher: Path, work: Path, to: Path | None, name: str, licences: dict[str, str]) -> None:
    """All three steps; what the first two made is read again when it is there."""
    numpy: Any = import_module("numpy")
    torch: Any = import_module("torch")
    from benchmarks.recall.encoder_files import write
    from memlsp.recall.static_encoder import WordPieces

    random.seed(7)
    torch.manual_seed(7)
    numpy.random.seed(7)
    held_out = {pair.query.lower() for part in ("develop", "test") for _, pair in read_pairs(pairs, part)}
    found = [(package, pair) for package, pair in read_pairs(pairs, "train") if pair.query.lower() not in held_out]
    print(f"{len(found)} pairs of {len({package for package, _ in found})} packages",
          Counter(pair.kind for _, pair in found), flush=True)  # fmt: skip
    queries, texts = [pair.query for _, pair in found], [pair.text for _, pair in found]
    first = work / "first.pt"
    if first.exists():
        vocabulary, start = torch.load(first)
    else:
        vocabulary = vocabulary_of([*queries, *texts], teacher)
        start = read_by_teacher(teacher, [word.removeprefix("##") for word in vocabulary], 12)
        torch.save((vocabulary, start), first)
    pieces = WordPieces(vocabulary)
    asked, told = _Bags(pieces, queries), _Bags(pieces, texts)
    second = work / "second.pt"
    if second.exists():
        table, sentences, goals = torch.load(second)
    else:
        sentences = _sentences(found)
        goals = read_by_teacher(teacher, sentences, 32)
        start, goals = _cut(torch, start, goals)
        table = _weigh(torch, numpy, start, asked, told)
        torch.save((table, sentences, goals), second)
    imitating = _Table(torch, table.float())
    imitation = (_Bags(pieces, sentences), goals)
    _imitate(numpy, imitating, *imitation)
    made: list[Any] = []
    for lesson in LESSONS:
        learned = _Table(torch, imitating.rows)
        _contrast(torch, numpy, learned, found, (asked, told), imitation, lesson)
        made.append(learned.rows)
    rows: Any = sum(made[1:], made[0]) / len(made)
    about: dict[str, object] = {
        "name": name,
        "dimensions": DIMENSIONS,
        "teacher": "all-MiniLM-L6-v2 (Apache-2.0)",
        "pairs": len(found),
        "trained_on": {package: licences.get(package, "") for package in sorted({package for package, _ in found})},
    }
    if to is not None:
        write(to, about, vocabulary, rows.numpy())


def _sentences(found: Sequence[tuple[str, Pair]]) -> list[str]:
    """As many short texts of each kind, questions and answers, for the teacher to read: it is slow."""
    by_kind: dict[str, list[Pair]] = {}
    for _, pair in found:
        by_kind.setdefault(pair.kind, []).append(pair)
    made: list[str] = []
    for kind, members in by_kind.items():
        for pair in random.sample(members, min(SENTENCES // len(by_kind), len(members))):
            is_told = kind in {"statement", "heading"} and random.random() < 0.6  # noqa: S311
            made.append(" ".join((pair.text if is_told else pair.query)[:160].split()))
    return made


def _cut(torch: Any, words: Any, goals: Any) -> tuple[Any, Any]:
    """Both cut to the directions in which the sentences differ most."""
    goals = torch.nn.functional.normalize(goals, dim=1)
    middle = goals.mean(0)
    _, _, directions = torch.linalg.svd((goals - middle)[:20_000], full_matrices=False)
    kept = directions[:DIMENSIONS].T
    words = torch.nn.functional.normalize(words, dim=1)
    words = words - words.mean(0)
    return words @ kept, torch.nn.functional.normalize((goals - middle) @ kept, dim=1)


def _weigh(torch: Any, numpy: Any, words: Any, asked: _Bags, told: _Bags) -> Any:
    """Rows as long as the words are rare: a / (a + p), after Arora et al."""
    counts = numpy.bincount(asked.rows, minlength=len(words)) + numpy.bincount(told.rows, minlength=len(words))
    share = torch.from_numpy(counts / counts.sum()).float()
    return torch.nn.functional.normalize(words, dim=1) * (1e-3 / (1e-3 + share)).unsqueeze(1)


def _imitate(numpy: Any, table: _Table, bags: _Bags, goals: Any, epochs: int = 5) -> None:
    """The sums brought near to what the teacher makes of the whole sentences."""
    size = 512
    for epoch in range(epochs):
        order = numpy.random.permutation(len(goals))
        losses: list[float] = []
        for start in range(0, len(order), size):
            which = order[start : start + size]
            near = goals[which]
            losses.append(table.step([bags.take(which)], 2e-3, lambda sums, near=near: _unlike(sums[0], near)))
        print(f"imitating: {epoch} {sum(losses) / len(losses):.4f}", flush=True)


def _unlike(sums: Any, goals: Any) -> Any:
    return (1 - (sums * goals).sum(1)).mean()


RATE, SHARPNESS = 3e-3, 20.0


@frozen
class Lesson:
    """One run of the last step: how long, which share of words is left out by chance, and how much imitation weighs."""

    steps: int
    dropped: float
    imitated: float


LESSONS = (Lesson(335, 0.0, 0.5), Lesson(1_030, 0.25, 1.0))
"""Their means are the rows. One more run of 2,150 steps without dropped words was worse than either on the development
packages: it knew the training packages by heart."""

_BATCH, _CHUNK = 1024, 128
_SHARES = {"docstring": 1.0, "heading": 1.6, "commit": 0.7, "statement": 1.6}
"""How often a pair of a kind is taken: documents and statements are fewer, and matter as much."""


def _batches(numpy: Any, found: Sequence[tuple[str, Pair]]) -> Iterator[Any]:
    """Without end: batches of chunks, each of one package and kind, so that negatives are of the same subject."""
    groups: dict[tuple[str, str], list[int]] = {}
    for at, (package, pair) in enumerate(found):
        groups.setdefault((package, pair.kind), []).append(at)
    while True:
        chunks: list[Any] = []
        for (_, kind), members in groups.items():
            times = _SHARES[kind]
            taken = numpy.concatenate(
                [numpy.random.permutation(members) for _ in range(int(times))]
                + [numpy.random.permutation(members)[: int(len(members) * (times % 1))]]
            )
            chunks += [taken[start : start + _CHUNK] for start in range(0, len(taken), _CHUNK)]
        random.shuffle(chunks)
        held: list[Any] = []
        size = 0
        for chunk in chunks:
            held.append(chunk)
            size += len(chunk)
            if size >= _BATCH:
                yield numpy.unique(numpy.concatenate(held))
                held, size = [], 0


def _contrast(
    torch: Any,
    numpy: Any,
    table: _Table,
    found: Sequence[tuple[str, Pair]],
    bags: tuple[_Bags, _Bags],
    imitation: tuple[_Bags, Any],
    lesson: Lesson,
) -> None:
    """A question's own text against all others of its batch, both ways, with a little of the imitation beside it."""
    asked, told = bags
    losses: list[float] = []
    cross = torch.nn.functional.cross_entropy
    for step, which in enumerate(_batches(numpy, found)):
        if step >= lesson.steps:
            break
        gone = step / lesson.steps
        some = numpy.random.randint(0, len(imitation[1]), 128)
        near = imitation[1][some]
        goal = torch.arange(len(which))

        def worth(sums: list[Any], goal: Any = goal, near: Any = near) -> Any:
            likeness = sums[0] @ sums[1].T * SHARPNESS
            told_apart = (cross(likeness, goal) + cross(likeness.T, goal)) / 2
            return told_apart + lesson.imitated * _unlike(sums[2], near)

        rate = RATE * min(1.0, (step + 1) / 50) * max(0.02, 1 - gone)
        batch = [asked.take(which, lesson.dropped), told.take(which, lesson.dropped), imitation[0].take(some)]
        losses.append(table.step(batch, rate, worth))
        if step % 100 == 0:
            print(f"contrasting: {step}, {gone:.0%}, loss {sum(losses[-100:]) / len(losses[-100:]):.4f}", flush=True)


if __name__ == "__main__":
    main()
