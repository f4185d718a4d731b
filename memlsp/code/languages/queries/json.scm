(pair key: (string) @name) @definition.key
