(class_declaration name: (identifier) @name) @definition.class
(object_declaration name: (identifier) @name) @definition.class
(enum_entry (identifier) @name) @definition.constant
(class_parameter ["val" "var"] (identifier) @name) @definition.field
(secondary_constructor "constructor" @name) @definition.function
(function_declaration [(user_type) (nullable_type)] @owner . "." . name: (identifier) @name) @definition.function
(function_declaration name: (identifier) @name) @definition.function
(property_declaration [(user_type) (nullable_type)] @owner . "." .
  (variable_declaration . (identifier) @name)) @definition.constant
(property_declaration (variable_declaration . (identifier) @name)) @definition.constant
(property_declaration (multi_variable_declaration (variable_declaration . (identifier) @name))) @definition.constant
(type_alias type: (identifier) @name) @definition.type
