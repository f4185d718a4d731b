"""Beliefs, work and answers as text and JSON, the same in every face. It may import `model` and the values that
`memory` returns, and no face. Begin with `wording.py` for text and `belief_json.py` for JSON."""
