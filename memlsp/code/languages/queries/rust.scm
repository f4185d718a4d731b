(function_item name: (_) @name) @definition.function
(function_signature_item name: (_) @name) @definition.function
(struct_item name: (_) @name) @definition.class
(union_item name: (_) @name) @definition.class
(enum_item name: (_) @name) @definition.enum
(enum_variant name: (_) @name) @definition.member
(trait_item name: (_) @name) @definition.interface
(mod_item name: (_) @name) @definition.namespace
(macro_definition name: (_) @name) @definition.function
(type_item name: (_) @name) @definition.type
(associated_type name: (_) @name) @definition.type
(const_item name: (_) @name) @definition.constant
(static_item name: (_) @name) @definition.constant
(field_declaration name: (_) @name) @definition.field
(impl_item type: [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (generic_type type: (scoped_type_identifier name: (type_identifier) @name))
  (scoped_type_identifier name: (type_identifier) @name)
  (reference_type type: (type_identifier) @name)
  (primitive_type) @name
]) @scope
