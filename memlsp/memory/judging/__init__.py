"""Judge the beliefs of one workspace against its code as it is now. It may import beliefs, recall and everything below,
and `memory.context`; no other room of `memory` but `work.history_cache` and `learning.onboarding`. Begin with
`judgements`."""
