; The definitions in languages of the `languages` extra: one tag query under the name of each.
; A definition is only here when its node holds the body too: else a change of the body would go unseen.

;; actionscript
(class_declaration name: (_) @name) @definition.class
(function_declaration name: (_) @name) @definition.function
(interface_declaration name: (_) @name) @definition.interface
(method_declaration name: (_) @name) @definition.function

;; ada
(subprogram_body [(procedure_specification name: (_) @name) (function_specification name: (_) @name)])
    @definition.function
(package_declaration name: (_) @name) @definition.namespace
(package_body name: (_) @name) @definition.namespace

;; apex
(class_declaration name: (_) @name) @definition.class
(enum_declaration name: (_) @name) @definition.enum
(interface_declaration name: (_) @name) @definition.interface
(method_declaration name: (_) @name) @definition.function

;; arduino
(function_definition declarator: [(function_declarator declarator: (_) @name) (pointer_declarator declarator:
    (function_declarator declarator: (_) @name))]) @definition.function
(preproc_function_def name: (_) @name) @definition.function
(struct_specifier name: (_) @name body: (_)) @definition.class
(enum_specifier name: (_) @name body: (_)) @definition.enum
(class_specifier name: (_) @name body: (_)) @definition.class
(namespace_definition name: (_) @name body: (_)) @definition.namespace

;; bitbake
(python_function_definition name: (_) @name) @definition.function

;; cairo
(enum_item name: (_) @name) @definition.enum
(function_definition name: (_) @name) @definition.function
(struct_item name: (_) @name) @definition.class
(trait_item name: (_) @name) @definition.interface
(type_item name: (_) @name) @definition.type

;; clojure
(list_lit . (sym_lit name: (_) @_d) . (sym_lit name: (_) @name) (#any-of? @_d "def" "defn" "defn-" "defmacro"
    "defmulti" "defprotocol" "defrecord" "deftype")) @definition.function

;; cmake
(function_def (function_command (argument_list . (argument) @name))) @definition.function
(macro_def (macro_command (argument_list . (argument) @name))) @definition.function

;; commonlisp
(defun (defun_header function_name: (_) @name)) @definition.function

;; css
(rule_set (selectors) @name) @definition.section
(keyframes_statement (keyframes_name) @name) @definition.section

;; cuda
(function_definition declarator: [(function_declarator declarator: (_) @name) (pointer_declarator declarator:
    (function_declarator declarator: (_) @name))]) @definition.function
(preproc_function_def name: (_) @name) @definition.function
(struct_specifier name: (_) @name body: (_)) @definition.class
(enum_specifier name: (_) @name body: (_)) @definition.enum
(class_specifier name: (_) @name body: (_)) @definition.class
(namespace_definition name: (_) @name body: (_)) @definition.namespace

;; d
(function_declaration (identifier) @name) @definition.function
(class_declaration (identifier) @name) @definition.class
(struct_declaration (identifier) @name) @definition.class
(interface_declaration (identifier) @name) @definition.interface
(enum_declaration (identifier) @name) @definition.enum

;; dart
(class_definition name: (_) @name) @definition.class
(enum_declaration name: (_) @name) @definition.enum
(extension_declaration name: (_) @name) @definition.class
(mixin_declaration name: (_) @name) @definition.class

;; elisp
(function_definition name: (_) @name) @definition.function
(macro_definition name: (_) @name) @definition.function

;; elixir
(call target: (identifier) @_d (arguments (alias) @name) (#any-of? @_d "defmodule" "defprotocol")) @definition.class
(call target: (identifier) @_d (arguments [(call target: (identifier) @name) (identifier) @name (binary_operator
    left: (call target: (identifier) @name))]) (#any-of? @_d "def" "defp" "defmacro" "defguard"))
    @definition.function

;; elm
(value_declaration (function_declaration_left . (lower_case_identifier) @name)) @definition.function
(type_alias_declaration name: (_) @name) @definition.type
(type_declaration name: (_) @name) @definition.type

;; erlang
(fun_decl clause: (function_clause name: (_) @name)) @definition.function
(record_decl name: (_) @name) @definition.class
(type_alias name: (_) @name) @definition.type

;; fish
(function_definition name: (_) @name) @definition.function

;; fortran
(function (function_statement name: (_) @name)) @definition.function
(subroutine (subroutine_statement name: (_) @name)) @definition.function
(module (module_statement (name) @name)) @definition.namespace
(program (program_statement (name) @name)) @definition.namespace

;; gdscript
(class_definition name: (_) @name) @definition.class
(enum_definition name: (_) @name) @definition.enum
(function_definition name: (_) @name) @definition.function

;; glsl
(function_definition declarator: [(function_declarator declarator: (_) @name) (pointer_declarator declarator:
    (function_declarator declarator: (_) @name))]) @definition.function
(preproc_function_def name: (_) @name) @definition.function
(struct_specifier name: (_) @name body: (_)) @definition.class
(enum_specifier name: (_) @name body: (_)) @definition.enum

;; graphql
(object_type_definition (name) @name) @definition.class
(interface_type_definition (name) @name) @definition.interface
(enum_type_definition (name) @name) @definition.enum
(input_object_type_definition (name) @name) @definition.class
(scalar_type_definition (name) @name) @definition.type
(union_type_definition (name) @name) @definition.type
(field_definition (name) @name) @definition.field

;; hare
(function_declaration name: (_) @name) @definition.function

;; haskell
(function name: (_) @name) @definition.function
(bind name: (_) @name) @definition.function
(data_type name: (_) @name) @definition.class
(newtype name: (_) @name) @definition.class
(class name: (_) @name) @definition.interface
(type_synomym name: (_) @name) @definition.type

;; haxe
(class_declaration name: (_) @name) @definition.class
(function_declaration name: (_) @name) @definition.function
(interface_declaration name: (_) @name) @definition.interface
(typedef_declaration name: (_) @name) @definition.type

;; hcl
(block (identifier) (string_lit)* . (string_lit (template_literal) @name)) @definition.section
(attribute (identifier) @name) @definition.key

;; hlsl
(function_definition declarator: [(function_declarator declarator: (_) @name) (pointer_declarator declarator:
    (function_declarator declarator: (_) @name))]) @definition.function
(preproc_function_def name: (_) @name) @definition.function
(struct_specifier name: (_) @name body: (_)) @definition.class
(enum_specifier name: (_) @name body: (_)) @definition.enum
(class_specifier name: (_) @name body: (_)) @definition.class
(namespace_definition name: (_) @name body: (_)) @definition.namespace

;; ini
(section (section_name (text) @name)) @definition.section
(setting (setting_name) @name) @definition.key

;; julia
(function_definition (signature (call_expression . (identifier) @name))) @definition.function
(macro_definition (signature (call_expression . (identifier) @name))) @definition.function
(struct_definition (type_head (identifier) @name)) @definition.class
(module_definition name: (identifier) @name) @definition.namespace

;; lua
(function_declaration name: (_) @name) @definition.function
(assignment_statement (variable_list name: (_) @name) (expression_list value: (function_definition)))
    @definition.function

;; luau
(function_declaration name: (_) @name) @definition.function
(assignment_statement (variable_list name: (_) @name) (expression_list value: (function_definition)))
    @definition.function
(type_definition name: (_) @name) @definition.type

;; nim
(proc_declaration name: (_) @name) @definition.function
(func_declaration name: (_) @name) @definition.function
(method_declaration name: (_) @name) @definition.function
(template_declaration name: (_) @name) @definition.function
(macro_declaration name: (_) @name) @definition.function
(type_declaration (type_symbol_declaration name: (_) @name)) @definition.type

;; nix
(binding attrpath: (attrpath) @name) @definition.key

;; objc
(function_definition declarator: [(function_declarator declarator: (_) @name) (pointer_declarator declarator:
    (function_declarator declarator: (_) @name))]) @definition.function
(preproc_function_def name: (_) @name) @definition.function
(struct_specifier name: (_) @name body: (_)) @definition.class
(enum_specifier name: (_) @name body: (_)) @definition.enum
(class_interface . (identifier) @name) @definition.interface
(class_implementation . (identifier) @name) @definition.class
(protocol_declaration . (identifier) @name) @definition.interface
(method_definition . (method_type) . (identifier) @name) @definition.function

;; ocaml
(value_definition (let_binding pattern: (value_name) @name)) @definition.function
(type_binding name: (_) @name) @definition.type
(module_binding (module_name) @name) @definition.namespace

;; ocaml_interface
(value_specification (value_name) @name) @definition.function
(class_binding name: (_) @name) @definition.class
(type_binding name: (_) @name) @definition.type

;; odin
(procedure_declaration . (identifier) @name) @definition.function
(struct_declaration . (identifier) @name) @definition.class

;; pascal
(declProc name: (_) @name) @definition.function
(defProc header: (declProc name: (_) @name)) @definition.function
(declType name: (_) @name) @definition.class

;; perl
(subroutine_declaration_statement name: (_) @name) @definition.function
(method_declaration_statement name: (_) @name) @definition.function

;; powershell
(function_statement (function_name) @name) @definition.function
(class_statement . (simple_name) @name) @definition.class

;; properties
(property (key) @name) @definition.key

;; proto
(message (message_name) @name) @definition.class
(enum (enum_name) @name) @definition.enum
(service (service_name) @name) @definition.interface
(rpc . (rpc_name) @name) @definition.function
(field (identifier) @name) @definition.field
(enum_field (identifier) @name) @definition.member

;; puppet
(class_definition (identifier) @name) @definition.class
(defined_resource_type (identifier) @name) @definition.class

;; purescript
(function name: (_) @name) @definition.function
(newtype name: (_) @name) @definition.class
(type_alias name: (_) @name) @definition.type

;; r
(binary_operator lhs: (identifier) @name rhs: (function_definition)) @definition.function

;; rego
(rule (rule_head (var) @name)) @definition.function

;; scala
(class_definition name: (_) @name) @definition.class
(enum_definition name: (_) @name) @definition.enum
(object_definition name: (_) @name) @definition.class
(trait_definition name: (_) @name) @definition.interface
(function_declaration name: (_) @name) @definition.function
(function_definition name: (_) @name) @definition.function
(type_definition name: (_) @name) @definition.type

;; scss
(rule_set (selectors) @name) @definition.section
(mixin_statement name: (_) @name) @definition.function
(function_statement name: (_) @name) @definition.function

;; smithy
(structure_statement (identifier) @name) @definition.class

;; solidity
(contract_declaration name: (_) @name) @definition.class
(enum_declaration name: (_) @name) @definition.enum
(event_definition name: (_) @name) @definition.function
(function_definition name: (_) @name) @definition.function
(interface_declaration name: (_) @name) @definition.interface
(library_declaration name: (_) @name) @definition.namespace
(modifier_definition name: (_) @name) @definition.function
(struct_declaration name: (_) @name) @definition.class

;; sql
(create_table (object_reference name: (_) @name)) @definition.class
(create_view (object_reference name: (_) @name)) @definition.class
(create_function (object_reference name: (_) @name)) @definition.function
(create_index column: (_) @name) @definition.key

;; squirrel
(function_declaration (identifier) @name) @definition.function
(class_declaration (identifier) @name) @definition.class

;; starlark
(function_definition name: (_) @name) @definition.function

;; swift
(class_declaration name: (_) @name) @definition.class
(protocol_declaration name: (_) @name) @definition.interface
(function_declaration name: (simple_identifier) @name) @definition.function
(protocol_function_declaration name: (simple_identifier) @name) @definition.function
(typealias_declaration name: (_) @name) @definition.type

;; tcl
(procedure name: (_) @name) @definition.function

;; terraform
(block (identifier) (string_lit)* . (string_lit (template_literal) @name)) @definition.section
(attribute (identifier) @name) @definition.key

;; thrift
(struct_definition (identifier) @name) @definition.class
(service_definition (identifier) @name) @definition.interface
(enum_definition (identifier) @name) @definition.enum
(function_definition (identifier) @name) @definition.function

;; verilog
(module_declaration (module_header (simple_identifier) @name)) @definition.class
(function_declaration (function_body_declaration (function_identifier (function_identifier (simple_identifier)
    @name)))) @definition.function

;; vhdl
(entity_declaration name: (_) @name) @definition.class
(package_declaration name: (_) @name) @definition.namespace

;; vim
(function_definition (function_declaration name: (_) @name)) @definition.function

;; wgsl
(function_declaration name: (_) @name) @definition.function
(struct_declaration name: (_) @name) @definition.class

;; zig
(Decl (FnProto function: (IDENTIFIER) @name)) @definition.function
(Decl (VarDecl variable_type_function: (IDENTIFIER) @name)) @definition.constant
