(table [(bare_key) (quoted_key) (dotted_key)] @name) @definition.key
(table_array_element [(bare_key) (quoted_key) (dotted_key)] @name) @definition.key
(pair . [(bare_key) (quoted_key) (dotted_key)] @name) @definition.key
