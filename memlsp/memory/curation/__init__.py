"""Write and decide: remember, revise, review, settle conflicts, undo, and the audit log. It may import `judging` and
everything below `memory`. Begin with `belief_editor`, then `review`."""
