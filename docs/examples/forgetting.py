from memlsp import Memory
from memlsp.model.audit import Selector, SelectorKind

with Memory.open(".") as memory:
    belief = memory.remember("The staging password rotates on Mondays, ask Ben").belief
    selector = Selector(SelectorKind.BELIEF, belief.id)
    print([each.text for each in memory.forgetting.preview(selector).beliefs])
    # -> ['The staging password rotates on Mondays, ask Ben']
    receipt = memory.forgetting.forget(selector)
    print(dict(receipt.removed)["beliefs"], receipt.left)
    # -> 1 ()
