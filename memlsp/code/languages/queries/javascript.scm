(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(method_definition name: (_) @name) @definition.function
(variable_declarator name: (identifier) @name) @definition.constant
(pair key: [(property_identifier) (string)] @name) @definition.constant
(assignment_expression left: (member_expression object: (identifier) @owner property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function) (class)]) @definition.constant
(assignment_expression left: (member_expression object: (identifier) @owner property: (property_identifier) @name)
  right: [(string) (number) (object) (array) (true) (false) (template_string)]) @definition.constant
(assignment_expression left: (member_expression
    object: (member_expression object: (identifier) @owner property: (property_identifier) @via)
    property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @definition.constant
(export_statement "default" @name value: (_)) @definition.constant
(return_statement (function_expression name: (identifier) @name) @definition.function)
