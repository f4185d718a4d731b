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

from attrs import asdict, evolve, field, frozen

from memlsp.beliefs.lifecycle.belief_file import file_of
from memlsp.memory.context import Context
from memlsp.memory.curation.conflicts import Conflicts
from memlsp.memory.erasure.forgetting import Forgetting
from memlsp.memory.sharing.team_exchange import STATE, Colleague, TeamForgetting, TeamStatus, TeamSync, is_due
from memlsp.model.belief import Author, Authority, AuthorKind, Belief, BeliefStatus, ScopeKind
from memlsp.model.errors import MemlspError, Refused
from memlsp.model.view import HealthCheck
from memlsp.store.core.file_lock import turn
from memlsp.store.core.locations import exchange_folder
from memlsp.store.tables.team import LineState, TeamAct, TeamLine, heads_of, time_of
from memlsp_team.arrivals import SOURCE, ArrivalResult, Arrivals
from memlsp_team.exchange.exchange import Exchange, open_exchange
from memlsp_team.exchange.lines import Line
from memlsp_team.signed_lines import KEY_NAME, Signer, TeamBody, body_of, public_line, read_line, trusted_writers

EVERY = timedelta(minutes=10)
"""The usual time between two exchanges in the background; a random part keeps machines apart."""

_AHEAD = timedelta(minutes=5)
_SHARED = frozenset({Authority.LOCKED, Authority.PERSON})
_MOST_FAULTS = 20
_MOST_PULLS = 1_000


@frozen
class _ExchangeState:
    """What is kept between two exchanges. `asked` has, for a disputed belief, the number of revisions that it had when
    a person was asked, and the proposals that ask; `recorded` is until when changes here were looked at."""

    address: str = ""
    writer: str = ""
    cursor: str = ""
    recorded: str = ""
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
        seen = team.seen()
        forgotten = tuple(
            TeamForgetting(
                line.belief,
                line.author,
                line.at,
                len((seen.get(line.key, set()) | {line.writer}) & machines),
                len(machines),
                line.state is LineState.NEW,
            )
            for line in team.forgettings()
        )
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
        begun = self._context.clock()
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
        state = evolve(state, recorded=begun.isoformat(), synced=now, problem="", faults=faults)
        return _sync_of(taken, len(sent), read, faults), state

    def _publish(self, exchange: Exchange, signer: Signer) -> frozenset[str]:
        """Have the exchange hold all lines of this machine and no others; their keys."""
        lines = [each for each in self._store.team.written(signer.writer) if each.text]
        exchange.publish(signer.writer, [Line(each.key, each.text.encode("ascii")) for each in lines])
        return frozenset(each.key for each in lines)

    def _pull(self, exchange: Exchange, state: _ExchangeState) -> tuple[_ExchangeState, int]:
        """Read what is new. The cursor stays where a clock ahead of ours held lines back: they are read again."""
        cursor, read, held = state.cursor, 0, False
        latest = int((self._context.clock() + _AHEAD).timestamp() * 1000)
        for _ in range(_MOST_PULLS):
            pulled = exchange.pull(cursor)
            cursor = pulled.cursor
            state.faults.extend([*each] for each in pulled.faults)
            lines: list[TeamLine] = []
            unknown = self._store.team.unknown([line.key for _, line in pulled.lines])
            for writer, line in pulled.lines:
                if line.key not in unknown or writer == state.writer:
                    continue
                try:
                    one = read_line(line.text)
                    if (one.key, one.writer) != (line.key, writer):
                        raise Refused("it is signed by another machine, or changed")
                    if int(one.clock[:12], 16) > latest:
                        held = True
                        raise Refused("its clock is more than 5 minutes ahead; it is read again later")
                    lines.append(self._cleaned(one))
                except MemlspError as error:
                    state.faults.append([writer, str(error)])
            read += self._store.team.add(lines)
            if not pulled.more:
                break
        del state.faults[_MOST_FAULTS:]
        return (state if held else evolve(state, cursor=cursor)), read

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
            self._write(signer, TeamAct.FORGET, id, [line.key for line in heads_of(self._store.team.of(id))])

    def _changed(self, state: _ExchangeState) -> Iterator[str]:
        if state.recorded:
            since = datetime.fromisoformat(state.recorded) - timedelta(minutes=1)  # a write may have been on its way
            yield from (revision.belief_id for revision in self._store.changes.between(since))
        else:
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
        now = f"{int(self._context.clock().timestamp() * 1000):012x}0000"
        last = self._store.team.last_clock()
        clock = now if now > last else f"{int(last, 16) + 1:016x}"
        author = self._context.person().name
        self._store.team.add([signer.line(act, id, clock, parents, author=author, body=body)])

    # --- the folder

    def _open(self, address: str) -> Exchange:
        return open_exchange(address, exchange_folder(self._store.path), workspace=self._context.workspace.key)

    def _signer(self) -> Signer:
        return Signer(self._folder / KEY_NAME)

    def _clear_folder(self) -> None:
        shutil.rmtree(exchange_folder(self._store.path), ignore_errors=True)

    def _state(self) -> _ExchangeState:
        with suppress(ValueError, TypeError):
            return _ExchangeState(**json.loads(self._store.workspace_info(STATE) or "{}"))
        return _ExchangeState()

    def _keep(self, state: _ExchangeState) -> None:
        self._store.set_info(STATE, json.dumps(asdict(state)))


def _body(belief: Belief) -> TeamBody:
    until = belief.expires_at.astimezone(UTC).isoformat() if belief.expires_at else ""
    return TeamBody(file_of(belief, {}), belief.locked, until, belief.branch, belief.commit)


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
