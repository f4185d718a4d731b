from pathlib import Path

from memlsp import Memory

Path("AGENTS.md").write_text("# Rules\n\n- Never import `pricing.rates` outside of the `pricing` package.\n")

with Memory.open(".") as memory:
    memory.proposals.learn()
    for proposal in memory.proposals.list():
        print(proposal.belief.kind, "-", proposal.belief.text)
        # -> rule - Never import `pricing.rates` outside of the `pricing` package.
