from memlsp import Author, AuthorKind, Caller, Memory

bot = Caller(author=Author("release bot", AuthorKind.AGENT), source="release-bot", session="release-bot:7")

with Memory.open(".") as memory:
    memory.remember("Releases are cut on Tuesdays", by=bot)
    for entry in memory.audit.list(session="release-bot:7"):
        (belief,) = memory.audit.beliefs([entry]).values()
        print(entry.author.name, entry.action, "-", belief.text)
        # -> release bot remember - Releases are cut on Tuesdays
