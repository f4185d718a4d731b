(rule (targets (word) @name)) @definition.function
(variable_assignment name: (word) @name) @definition.key
(define_directive name: (word) @name) @definition.key
