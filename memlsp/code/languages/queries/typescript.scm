(public_field_definition name: (_) @name) @definition.constant
(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name) @definition.enum
(enum_assignment name: (_) @name) @definition.member
(enum_body (property_identifier) @name @definition.member)
(internal_module name: (_) @name) @definition.namespace
(module name: (_) @name) @definition.namespace
(function_signature name: (_) @name) @definition.function
(abstract_method_signature name: (_) @name) @definition.function
(method_signature name: (_) @name) @definition.function
(property_signature name: (_) @name) @definition.field
