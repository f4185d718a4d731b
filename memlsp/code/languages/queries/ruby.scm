(method name: (_) @name) @definition.function
(singleton_method name: (_) @name) @definition.function
(class name: (constant) @name) @definition.class
(class name: (scope_resolution scope: (_) @owner name: (constant) @name)) @definition.class
(class name: (scope_resolution !scope name: (constant) @name)) @definition.class
(module name: (constant) @name) @definition.class
(module name: (scope_resolution scope: (_) @owner name: (constant) @name)) @definition.class
(assignment left: (constant) @name) @definition.constant
(assignment left: (left_assignment_list (constant) @name)) @definition.constant
(call method: (identifier) @how arguments: (argument_list (simple_symbol) @name @definition.field)
  (#any-of? @how "attr_accessor" "attr_reader" "attr_writer" "attr" "mattr_accessor" "cattr_accessor"
    "class_attribute"))
(call method: (identifier) @how arguments: (argument_list . (simple_symbol) @name)
  (#any-of? @how "define_method" "define_singleton_method")) @definition.function
