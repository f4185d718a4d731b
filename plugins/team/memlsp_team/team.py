"""`memory.team`: the exchange of beliefs with the other machines of a team, through git or PostgreSQL.

A set of signed lines only grows, and what is believed is their fold: the line that no other follows. Two such lines of
one belief are a dispute, which a person settles; neither overwrites the other. Nothing is exchanged before a person
says where.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta

from attrs import asdict, evolve, field, fields, frozen

from memlsp.beliefs.lifecycle.belief_file import file_of
from memlsp.memory.context import Context
from memlsp.memory.curation.conflicts import Conflicts
from memlsp.memory.erasure.forgetting import Forgetting
from memlsp.memory.sharing.team_exchange import EVERY, STATE, Colleague, TeamForgetting, TeamStatus, TeamSync, is_due
from memlsp.model.belief import Author, Authority, AuthorKind, Belief, BeliefStatus, ScopeKind
from memlsp.model.errors import MemlspError, Refused
from memlsp.model.view import HealthCheck
from memlsp.store.core.file_lock import turn
from memlsp.store.core.locations import exchange_folder
from memlsp.store.tables.team import LineState, TeamAct, TeamLine, heads_of, time_of
from memlsp_team.arrivals import SOURCE, ArrivalResult, Arrivals, forget_questions
from memlsp_team.exchange.exchange import Exchange, open_exchange
from memlsp_team.exchange.lines import Line
from memlsp_team.signed_lines import KEY_NAME, Signer, TeamBody, body_of, public_line, read_line, trusted_writers

_AHEAD = timedelta(minutes=5)
_SHARED = frozenset({Authority.LOCKED, Authority.PERSON})
_MOST_FAULTS = 20
_MOST_PULLS = 1_000
_MOST_HELD = 10


@frozen
class _ExchangeState:
    """What is kept between two exchanges. `asked` has, for a disputed belief, the number of revisions that it had when
    a person was asked, and the proposals that ask; `recorded` is the last entry of the audit log that was looked at,
    for a clock may be set. `held` has, by writer, the cursor before lines that are too far ahead and the first of their
    clocks; the oldest cursor first, and at "" for the writers beyond the first ten."""

    address: str = ""
    writer: str = ""
    cursor: str = ""
    recorded: int = field(default=-1, converter=lambda id: id if isinstance(id, int) else -1)
    held: dict[str, tuple[str, str]] = field(factory=dict[str, tuple[str, str]])
    synced: str = ""
    next: str = ""
    problem: str = ""
    asked: dict[str, tuple[int, list[str]]] = field(factory=dict[str, tuple[int, list[str]]])
    faults: list[list[str]] = field(factory=list[list[str]])


class Team:
    """The exchange of one workspace. Raises Refused for agents, ExchangeUnavailable where it cannot be reached."""

    def __init__(self, context: Context, conflicts: Conflicts, forgetting: Forgetting) -> None:
        self._context = context
        self._store = context.store
        self._conflicts = conflicts
        self._forgetting = forgetting
        self._folder = context.store.path.parent

    def on(self, address: str, *, author: Author | None = None) -> TeamSync:
        """Exchange with `address` from now on: a git repository (URL, `host:path` or absolute path), or
        `postgresql://...`. What a
        person here said goes out at once. Raises Refused for an agent and for an address that is not allowed."""
        _check_person(author)
        with closing(self._open(address)) as exchange:
            exchange.check()
        before = self._state()
        cursor = before.cursor if before.address == address else ""
        self._keep(_ExchangeState(address, cursor=cursor, asked=before.asked))
        return self.sync()

    def off(self, *, author: Author | None = None) -> bool:
        """Stop exchanging; False when it was off. What came stays, and what was sent stays with the others."""
        _check_person(author)
        state = self._state()
        self._keep(_ExchangeState(asked=state.asked))
        self._clear_folder()
        return bool(state.address)

    def keep_up(self) -> None:
        """Exchange in the background, if it is due. A fault is kept for `status`."""
        with suppress(MemlspError):
            if is_due(self._store, self._context.clock()):
                self.sync()

    def sync(self, exchange: Exchange | None = None) -> TeamSync:
        """Send what was decided here, and take in what others sent, through `exchange` or else the one that is on.
        Raises Refused when none is, or when it runs already."""
        state = self._state()
        if exchange is None and not state.address:
            raise Refused("no exchange is set up for this workspace", "memlsp team on ADDRESS")
        with turn(self._folder / "team.lock") as alone:
            if not alone:
                raise Refused("another process exchanges at this moment", "wait for it")
            wait = EVERY * random.uniform(0.7, 1.3)  # noqa: S311  no secret
            state = evolve(state, next=(self._context.clock() + wait).isoformat())
            try:
                with closing(exchange or self._open(state.address)) as opened:
                    done, state = self._exchange(opened, state)
            except MemlspError as error:
                problem = f"{error}{f' ({error.hint})' if error.hint else ''}"
                self._keep(evolve(state, problem=problem))
                raise
            self._keep(state)
        return done

    def status(self) -> TeamStatus:
        """With whom and how far it is exchanged. Reads the store alone."""
        state = self._state()
        if not state.address:
            return TeamStatus()
        trusted = trusted_writers(self._context.data_dir)
        team = self._store.team
        colleagues = tuple(
            Colleague(writer, name, time_of(clock), lines, writer in trusted)
            for writer, name, clock, lines in team.writers()
            if writer != state.writer
        )
        machines = {each.writer for each in colleagues} | {state.writer}
        forgotten = tuple(_forgettings(team.forgettings(), team.seen(), machines))
        waiting = {each.belief for each in forgotten if each.waits}
        return TeamStatus(
            state.address,
            state.writer,
            datetime.fromisoformat(state.synced) if state.synced else None,
            state.problem,
            colleagues,
            forgotten,
            tuple(team.open_beliefs(LineState.DISPUTED)),
            tuple(id for id in team.open_beliefs(LineState.NEW) if id not in waiting),
            tuple((who, what) for who, what in state.faults),
        )

    def health(self) -> Iterator[HealthCheck]:
        """The checks of `doctor`: reachable, the clock, and what waits for a person. None where it is off."""
        status = self.status()
        if not status.address:
            return
        try:
            with closing(self._open(status.address)) as exchange:
                yield HealthCheck("team", ok=True, message=exchange.check())
        except MemlspError as error:
            yield HealthCheck("team", ok=False, message=str(error), advice=error.hint)
        waiting = len(status.disputed) + len(status.absent) + sum(each.waits for each in status.forgotten)
        if waiting or status.faults:
            message = f"{waiting} beliefs of the exchange wait, {len(status.faults)} faults"
            yield HealthCheck("team", ok=None, message=message, advice="memlsp team status")

    def log(self, limit: int = 50) -> list[TeamLine]:
        """The latest lines of all machines, the latest first."""
        return self._store.team.latest(limit)

    def words(self, line: TeamLine) -> str:
        """The statement of a line; "" where it has none, or none any more."""
        with suppress(MemlspError):
            return body_of(line).file.text if line.act is TeamAct.BELIEF and line.text else ""
        return ""

    def init_server(self, address: str, *, role: str = "", author: Author | None = None) -> str:
        """Make or update the tables of a PostgreSQL server, and let the members of `role` share this workspace's
        lines; what was done, in a line. Raises Refused for an agent."""
        _check_person(author)
        from memlsp_team.exchange.postgres_exchange import init_server  # late: it needs psycopg

        return init_server(address, self._context.workspace.key if role else "", role)

    def signer_line(self) -> str:
        """The line of `allowed_signers` by which another machine lets the locks of this one count."""
        return public_line(self._signer(), self._context.person().name)

    # --- one exchange

    def _exchange(self, exchange: Exchange, state: _ExchangeState) -> tuple[TeamSync, _ExchangeState]:
        epoch = self._store.erasure_epoch()
        signer = self._signer()
        team = self._store.team
        known = {line.key for line in team.written(signer.writer)}
        there = exchange.own(signer.writer) or frozenset()
        if there - known:
            # another machine writes under this id, from a copied home folder or a store that was restored
            (self._folder / KEY_NAME).unlink(missing_ok=True)
            signer = self._signer()
        recorded = self._store.audit.last_id()
        self._sign_again(signer)
        self._record(signer, state)
        state, read = self._pull(exchange, evolve(state, writer=signer.writer, faults=[]))
        trusted = trusted_writers(self._context.data_dir)
        taken = Arrivals(self._context, self._conflicts, self._forgetting, signer.writer, trusted).take()
        for id, proposals in taken.disputed.items():
            state.asked[id] = len(self._store.revisions(id)), [*state.asked.get(id, (0, []))[1], *proposals]
        by_belief: dict[str, list[str]] = {}
        for line in taken.seen:
            by_belief.setdefault(line.belief, []).append(line.key)
        for id, keys in by_belief.items():
            self._write(signer, TeamAct.SEEN, id, keys)
        sent = self._publish(exchange, signer) - there
        if self._store.erasure_epoch() != epoch:  # something was forgotten meanwhile: no copy stays
            self._clear_folder()
            self._publish(exchange, signer)
        faults = [*state.faults, *([who, what] for who, what in taken.faults)][:_MOST_FAULTS]
        now = self._context.clock().isoformat()
        state = evolve(state, recorded=recorded, synced=now, problem="", faults=faults)
        return _sync_of(taken, len(sent), read, faults), state

    def _publish(self, exchange: Exchange, signer: Signer) -> frozenset[str]:
        """Have the exchange hold all lines of this machine and no others; their keys."""
        lines = [each for each in self._store.team.written(signer.writer) if each.text]
        exchange.publish(signer.writer, [Line(each.key, each.text.encode("ascii")) for each in lines])
        return frozenset(each.key for each in lines)

    def _pull(self, exchange: Exchange, state: _ExchangeState) -> tuple[_ExchangeState, int]:
        """Read what is new. Lines whose clock is ahead are left out, and all since then is read again when their time
        has come: by our clock, which may be the one that was wrong."""
        latest, cursor, read = self._latest_clock(), state.cursor, 0
        held, ahead, right = dict(state.held), set[str](), set[str]()
        if any(clock <= latest for _, clock in held.values()):
            cursor = next(iter(held.values()))[0]
            held.clear()
        for _ in range(_MOST_PULLS):
            before = cursor
            pulled = exchange.pull(cursor)
            cursor = pulled.cursor
            state.faults.extend([*each] for each in pulled.faults)
            lines: list[TeamLine] = []
            unknown = self._store.team.unknown([line.key for _, line in pulled.lines])
            for writer, line in pulled.lines:
                right.add(writer)
                if line.key not in unknown or writer == state.writer:
                    continue
                try:
                    one = read_line(line.text)
                    if (one.key, one.writer) != (line.key, writer):
                        raise Refused("it is signed by another machine, or changed")
                    if one.clock <= latest:
                        lines.append(self._cleaned(one))
                    else:
                        ahead.add(writer)
                        name = writer if writer in held or len(held) < _MOST_HELD else ""
                        first, clock = held.get(name, (before, one.clock))
                        held[name] = first, min(clock, one.clock)
                except MemlspError as error:
                    state.faults.append([writer, str(error)])
            read += self._store.team.add(lines)
            if not pulled.more:
                break
        for writer in right - ahead:  # its clock was set right, and it dated anew all that was ahead
            held.pop(writer, None)
        for writer, (_, clock) in held.items():
            when = f"{time_of(clock):%Y-%m-%d %H:%M} UTC"
            state.faults.append([writer, f"its clock is more than 5 minutes ahead; it is read again at {when}"])
        del state.faults[_MOST_FAULTS:]
        return evolve(state, cursor=cursor, held=held), read

    def _cleaned(self, line: TeamLine) -> TeamLine:
        """The line without the secrets and personal data that its machine let through: what is kept is never sent."""
        said = json.loads(line.text)
        body = self._context.redacted(str(said.get("body", "")))
        author = self._context.redacted(line.author)
        if (body, author) == (said.get("body", ""), line.author):
            return line
        return evolve(line, author=author, text=json.dumps({**said, "body": body, "author": author}))

    # --- what was decided here

    def _record(self, signer: Signer, state: _ExchangeState) -> None:
        """Write a line for every belief that a person here decided about since the last exchange."""
        decided = set(self._decided(state))
        for id in dict.fromkeys((*self._changed(state), *decided)):
            self._record_one(signer, id, decided=id in decided)
            if id in decided:
                state.asked.pop(id, None)
        for id in self._store.team.unannounced():
            forget_questions(self._store, self._forgetting, id)
            self._write(signer, TeamAct.FORGET, id, [line.key for line in heads_of(self._store.team.of(id))])

    def _changed(self, state: _ExchangeState) -> Iterator[str]:
        if 0 <= state.recorded <= self._store.audit.last_id():
            yield from self._store.audit.targets_since(state.recorded)
        else:  # the first time, or the store was restored from a copy
            yield from (belief.id for belief in self._store.beliefs(status=(BeliefStatus.ACTIVE,)))

    def _decided(self, state: _ExchangeState) -> Iterator[str]:
        """The disputed beliefs that a person decided about since he was asked: revised, or their proposals settled."""
        for id in self._store.team.open_beliefs(LineState.DISPUTED):
            number, proposals = state.asked.get(id, (0, ()))
            later = self._store.revisions(id)[number:] if self._store.belief(id) is not None else ()
            settled = self._store.several(proposals)
            if any(each.author.kind is AuthorKind.PERSON and each.source != SOURCE for each in later) or (
                settled and all(each.status is not BeliefStatus.PROPOSED for each in settled)
            ):
                yield id

    def _record_one(self, signer: Signer, id: str, *, decided: bool) -> None:
        belief, lines = self._store.belief(id), self._store.team.of(id)
        if belief is None or any(line.act is TeamAct.FORGET for line in lines):
            return
        heads = [line for line in heads_of(lines) if line.state is not LineState.NEW and line.text]
        if not heads and not _is_shareable(belief):
            return
        body = _body(belief)
        if heads and not decided:
            last = self._store.revisions(id)[-1]
            same = {body_of(line).digest for line in heads} == {body.digest}
            if any(line.state is LineState.DISPUTED for line in heads):
                return  # a person was asked
            if same or last.source == SOURCE or last.author.kind is not AuthorKind.PERSON:
                return
        self._write(signer, TeamAct.BELIEF, id, [line.key for line in heads], body)
        self._store.team.set_state([line.key for line in heads], LineState.TAKEN)

    def _write(
        self, signer: Signer, act: TeamAct, id: str, parents: Sequence[str], body: TeamBody | None = None
    ) -> None:
        author = self._context.person().name
        self._store.team.add([signer.line(act, id, self._next_clock(), parents, author=author, body=body)])

    def _sign_again(self, signer: Signer) -> None:
        """Date anew what was written here while this machine's clock was ahead: others leave it out until its time has
        come, which may be years."""
        latest, team = self._latest_clock(), self._store.team
        ahead = [line for line in team.written(signer.writer) if line.text and line.clock > latest]
        clock, lines, renamed = int(self._next_clock(), 16), list[TeamLine](), dict[str, str]()
        for number, line in enumerate(ahead):
            body = body_of(line) if line.act is TeamAct.BELIEF else None
            parents = {renamed.get(key, key) for key in (*line.parents, *([line.key] if body else []))}
            at = f"{clock + number:016x}"
            new = signer.line(line.act, line.belief, at, sorted(parents), author=line.author, body=body)
            lines.append(evolve(new, state=line.state))
            renamed[line.key] = new.key
        if ahead:
            team.add(lines, instead_of=[line.key for line in ahead])

    def _next_clock(self) -> str:
        """A clock of now that is after all that is known; a line that is too far ahead has no part in it."""
        now = _clock_of(self._context.clock())
        last = self._store.team.last_clock(self._latest_clock())
        return now if now > last else f"{int(last, 16) + 1:016x}"

    def _latest_clock(self) -> str:
        return _clock_of(self._context.clock() + _AHEAD)

    # --- the folder

    def _open(self, address: str) -> Exchange:
        return open_exchange(address, exchange_folder(self._store.path), workspace=self._context.workspace.key)

    def _signer(self) -> Signer:
        return Signer(self._folder / KEY_NAME)

    def _clear_folder(self) -> None:
        shutil.rmtree(exchange_folder(self._store.path), ignore_errors=True)

    def _state(self) -> _ExchangeState:
        with suppress(ValueError, TypeError):
            kept = json.loads(self._store.workspace_info(STATE) or "{}")
            return _ExchangeState(
                **{each.name: kept[each.name] for each in fields(_ExchangeState) if each.name in kept}
            )
        return _ExchangeState()

    def _keep(self, state: _ExchangeState) -> None:
        self._store.set_info(STATE, json.dumps(asdict(state)))


def _forgettings(lines: Sequence[TeamLine], seen: dict[str, set[str]], machines: set[str]) -> Iterator[TeamForgetting]:
    """Each belief that was forgotten, by the latest line that says so; a machine may have obeyed another of them."""
    by_belief: dict[str, list[TeamLine]] = {}
    for line in lines:
        by_belief.setdefault(line.belief, []).append(line)
    for id, (latest, *others) in by_belief.items():
        obeyed = {writer for line in (latest, *others) for writer in (line.writer, *seen.get(line.key, ()))}
        waits = any(line.state is LineState.NEW for line in (latest, *others))
        yield TeamForgetting(id, latest.author, latest.at, len(obeyed & machines), len(machines), waits)


def _clock_of(time: datetime) -> str:
    return f"{int(time.timestamp() * 1000):012x}0000"


def _body(belief: Belief) -> TeamBody:
    until = belief.expires_at.astimezone(UTC).isoformat() if belief.expires_at else ""
    into = belief.superseded_by or ""
    return TeamBody(file_of(belief, {}), belief.locked, until, belief.branch, belief.commit, into)


def _is_shareable(belief: Belief) -> bool:
    """True for what a person of this machine stands behind in this workspace; files of the repository travel by
    themselves."""
    shared = belief.authority in _SHARED and belief.scope.kind is not ScopeKind.USER
    return shared and belief.status is BeliefStatus.ACTIVE


def _check_person(author: Author | None) -> None:
    if author is not None and author.kind is not AuthorKind.PERSON:
        raise Refused(f"{author.name} is an agent: a person decides what is exchanged", "ask a person")


def _sync_of(taken: ArrivalResult, sent: int, read: int, faults: Sequence[Sequence[str]]) -> TeamSync:
    return TeamSync(
        sent,
        read,
        tuple(taken.added),
        tuple(taken.changed),
        tuple(taken.disputed),
        tuple(taken.forgotten),
        tuple((each[0], each[1]) for each in faults),
    )
