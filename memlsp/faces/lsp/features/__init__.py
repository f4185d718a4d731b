"""The LSP features: hover, lenses, diagnostics, actions, onboarding. A feature may import `server`, `faces.render` and
`memlsp.model`, and reaches the memory through an `EditorWorkspace`. Begin with `document_view.py`, which most features
read."""
