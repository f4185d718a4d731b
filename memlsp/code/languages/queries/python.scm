(function_definition name: (identifier) @name) @definition.function
(class_definition name: (identifier) @name) @definition.class
(assignment left: (identifier) @name) @definition.constant
(assignment left: (pattern_list (identifier) @name)) @definition.constant
(assignment left: (tuple_pattern (identifier) @name)) @definition.constant
(type_alias_statement left: (type (identifier) @name)) @definition.type
(type_alias_statement left: (type (generic_type (identifier) @name))) @definition.type
