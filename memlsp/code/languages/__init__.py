"""Describes each language that is read in full, by functions here and data in `tables/` and `queries/`.

It may import model, `code.syntax` and the paths and import values of `code.workspace`. Begin with `python.py` and
`language_tables.read_tables`; adding a language is adding its file, its data and its line here.
"""

from __future__ import annotations

from memlsp.code.languages.bash import BASH
from memlsp.code.languages.c_family.c import C
from memlsp.code.languages.c_family.cpp import CPP
from memlsp.code.languages.components import SVELTE, SVELTE_TYPED, VUE, VUE_TYPED
from memlsp.code.languages.csharp import CSHARP
from memlsp.code.languages.formats import DOCKERFILE, JSON, MAKEFILE, MARKDOWN, TOML, YAML
from memlsp.code.languages.go import GO
from memlsp.code.languages.java import JAVA
from memlsp.code.languages.javascript import JAVASCRIPT
from memlsp.code.languages.kotlin import KOTLIN
from memlsp.code.languages.php import PHP
from memlsp.code.languages.python import PYTHON
from memlsp.code.languages.ruby import RUBY
from memlsp.code.languages.rust import RUST
from memlsp.code.languages.typescript import TSX, TYPESCRIPT
from memlsp.code.syntax.language import Language

LANGUAGES: tuple[Language, ...] = (
    *(PYTHON, JAVASCRIPT, TYPESCRIPT, TSX, GO, RUST, JAVA, C, CPP, CSHARP, KOTLIN, RUBY, PHP, BASH),
    *(VUE, VUE_TYPED, SVELTE, SVELTE_TYPED),
    *(JSON, TOML, YAML, MARKDOWN, DOCKERFILE, MAKEFILE),
)
