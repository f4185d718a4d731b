(from_instruction as: (image_alias) @name) @definition.key
(from_instruction (image_spec name: (image_name) @name) !as) @definition.key
(arg_instruction name: (_) @name) @definition.key
(env_pair name: (_) @name) @definition.key
(label_pair key: (_) @name) @definition.key
(run_instruction "RUN" @name) @definition.key
(cmd_instruction "CMD" @name) @definition.key
(entrypoint_instruction "ENTRYPOINT" @name) @definition.key
(expose_instruction "EXPOSE" @name) @definition.key
(user_instruction "USER" @name) @definition.key
(workdir_instruction "WORKDIR" @name) @definition.key
(volume_instruction "VOLUME" @name) @definition.key
(copy_instruction "COPY" @name) @definition.key
(add_instruction "ADD" @name) @definition.key
(healthcheck_instruction "HEALTHCHECK" @name) @definition.key
(shell_instruction "SHELL" @name) @definition.key
(stopsignal_instruction "STOPSIGNAL" @name) @definition.key
