"""The erasure rule of every column of every table.

A test compares this list with the schema and fails for a column that is missing here, so nobody adds a column without
deciding what erasure does to it.
"""

from __future__ import annotations

from enum import StrEnum


class ErasureRule(StrEnum):
    """How erasure treats a column whose value holds the patterns."""

    NONE = "none"  # never holds them: numbers, times, ids, digests and words of ours
    BELIEF = "belief"  # the row is deleted with its belief; in rows of other beliefs the texts are blanked
    BLANK = "blank"  # every text in it that holds them is replaced by a mark
    NAME = "name"  # other rows refer to it: it is replaced by a mark with its number
    EMPTY = "empty"  # it becomes null
    CLEAR = "clear"  # it becomes "": the audit log allows nothing else
    ROW = "row"  # the row is deleted: it is derived, or says nothing without the words
    PASSAGE = "passage"  # a shared text: the row is deleted, and references to it become null
    INDEX = "index"  # part of a search index, which drops it with its entry


def _columns(**of: str) -> dict[str, ErasureRule]:
    return {column: ErasureRule(remedy) for remedy, columns in of.items() for column in columns.split()}


_OF_AN_INDEX = {
    "data": "id block",
    "idx": "segid term pgno",
    "content": "id c0 c1",
    "docsize": "id sz",
    "config": "k v",
    "words": "term doc cnt",
}

REGISTER: dict[str, dict[str, ErasureRule]] = {
    "belief": _columns(
        none="seq id authority_rank status kind scope authority confidence"
        " author_kind created_at updated_at superseded_by expires_at because_of stale_after confirmed_at commit_hash",
        belief="pattern author source text branch session keywords conditions refs guards evidence",
    ),
    "mention": _columns(belief="name", none="belief"),
    "anchor": _columns(none="belief position active meaning", belief="path symbol simple value"),
    "revision": _columns(none="belief number action author_kind at undoes", belief="author source note session former"),
    "rests_on": _columns(none="base belief"),
    "info": _columns(row="key value"),
    "generation": _columns(none="one number"),
    "receipt": _columns(none="id at tokens", blank="asker query served left_out as_of"),
    "history": _columns(row="key value", none="used"),
    "past_file": _columns(none="id", name="path"),
    "past_symbol": _columns(none="id file", name="name"),
    "commit_episode": _columns(
        none="seq hash at passed_over files parsed changes cosmetic more state_bytes",
        blank="author subject told",
    ),
    "past_change": _columns(none="symbol episode position former"),
    "session": _columns(none="id source began last ended events", name="name"),
    "event": _columns(none="id key at kind session settled episode words output tree", blank="text body changes"),
    "passage": _columns(none="id digest", passage="data"),
    "event_file": _columns(none="id", name="path"),
    "event_path": _columns(none="file event"),
    "tally": _columns(row="source reason", none="what number"),
    "event_day": _columns(none="day events first"),
    "event_tree": _columns(none="id root base mark"),
    "event_state": _columns(none="tree digest at", row="path", empty="data"),
    "episode": _columns(none="id began last closed outcome", blank="title body draft"),
    "episode_symbol": _columns(row="path symbol", none="episode"),
    "episode_session": _columns(row="session", none="episode"),
    "thread": _columns(none="id kind opened closed", row="path symbol mark body"),
    "thread_lost": _columns(none="kind", row="mark path symbol"),
    "thread_stood": _columns(row="path body"),
    "thread_generation": _columns(none="one number"),
    "handoff": _columns(none="id created expires claimed successor", blank="session body"),
    "note": _columns(row="path sentence", none="position mark stamp belief revised"),
    "noted": _columns(row="path", none="stamp beliefs"),
    "note_leans": _columns(row="source path"),
    "remedy": _columns(row="program sentence", none="failure at"),
    "briefing": _columns(row="session branch parts", none="made"),
    "said": _columns(row="session mark", none="at"),
    # what a text means, by which it could be guessed: the row goes with what it was made of
    "vector": _columns(none="turn kind item digest scale data"),
    "vector_state": _columns(none="one model removals"),
    "vector_due": _columns(none="turn kind item"),
    "work_search": _columns(row="said named"),
    "work_entry": _columns(none="seq kind id digest"),
    "conflict": _columns(none="first second found_at said settlement", blank="body"),
    "conflict_looked": _columns(none="belief said"),
    "audit": _columns(none="id at action author_kind targets", clear="author source session note"),
    "brought": _columns(none="batch belief first last at"),
    "forgotten": _columns(none="id at author_kind selector removed searched left_over", blank="author"),
    "forgotten_id": _columns(none="id"),
    "copy": _columns(none="path kind at"),
    "search": _columns(belief="said named"),
    **{
        f"{index}_{part}": _columns(index=columns)
        for index in ("search", "work_search")
        for part, columns in _OF_AN_INDEX.items()
    },
    "sqlite_sequence": _columns(none="name seq"),
}
"""By table and column."""
