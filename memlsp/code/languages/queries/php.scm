(function_definition name: (name) @name) @definition.function
(method_declaration name: (name) @name) @definition.function
(class_declaration name: (name) @name) @definition.class
(trait_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(enum_declaration name: (name) @name) @definition.enum
(enum_case name: (name) @name) @definition.constant
(const_element . (name) @name) @definition.constant
(property_element name: (variable_name) @name) @definition.field
(property_promotion_parameter name: (variable_name) @name) @definition.field
(program (expression_statement (assignment_expression left: (variable_name) @name) @definition.constant))
(function_call_expression function: (name) @how arguments: (arguments . (argument (string) @name))
  (#eq? @how "define")) @definition.constant
