"""The languages that are read in full. One file each; adding one is adding its file and its line here."""

from __future__ import annotations

from memlsp.code.language import Language
from memlsp.code.languages.bash import BASH
from memlsp.code.languages.c import C
from memlsp.code.languages.components import SVELTE, SVELTE_TYPED, VUE, VUE_TYPED
from memlsp.code.languages.cpp import CPP
from memlsp.code.languages.csharp import CSHARP
from memlsp.code.languages.dockerfile import DOCKERFILE
from memlsp.code.languages.go import GO
from memlsp.code.languages.java import JAVA
from memlsp.code.languages.javascript import JAVASCRIPT
from memlsp.code.languages.json_files import JSON
from memlsp.code.languages.kotlin import KOTLIN
from memlsp.code.languages.makefile import MAKEFILE
from memlsp.code.languages.markdown import MARKDOWN
from memlsp.code.languages.php import PHP
from memlsp.code.languages.python import PYTHON
from memlsp.code.languages.ruby import RUBY
from memlsp.code.languages.rust import RUST
from memlsp.code.languages.toml_files import TOML
from memlsp.code.languages.typescript import TSX, TYPESCRIPT
from memlsp.code.languages.yaml_files import YAML

LANGUAGES: tuple[Language, ...] = (
    *(PYTHON, JAVASCRIPT, TYPESCRIPT, TSX, GO, RUST, JAVA, C, CPP, CSHARP, KOTLIN, RUBY, PHP, BASH),
    *(VUE, VUE_TYPED, SVELTE, SVELTE_TYPED),
    *(JSON, TOML, YAML, MARKDOWN, DOCKERFILE, MAKEFILE),
)
