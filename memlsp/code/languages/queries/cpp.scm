(class_specifier name: (_) @name body: (_)) @definition.class
(namespace_definition name: (_) @name body: (_)) @definition.namespace
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.type
(friend_declaration (function_definition declarator: (_) @name) @definition.function)
