-- The tables of an exchange in PostgreSQL 13 or later. `init_server` runs each part once, in its order, in one
-- transaction. A part that was released is never edited: what changes is a part of its own.

-- part 1
CREATE TABLE memlsp.workspaces (workspace text PRIMARY KEY, team regrole NOT NULL);
CREATE TABLE memlsp.writers (
  writer text PRIMARY KEY CHECK (writer ~ '^[0-9a-f]{16}[0-9a-z_-]{0,112}$'),
  role name NOT NULL DEFAULT session_user
);
CREATE TABLE memlsp.lines (
  workspace text NOT NULL,
  writer text NOT NULL,
  key uuid NOT NULL,
  text text NOT NULL CHECK (octet_length(text) <= 262144),
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  seq bigint GENERATED ALWAYS AS IDENTITY,
  PRIMARY KEY (workspace, writer, key)
);
-- rows appear in the order in which transactions end, and this is the order in which they began: see `_PULL`
CREATE UNIQUE INDEX lines_in_order ON memlsp.lines (workspace, xid, seq);

-- A setting of a session is no protection, for a client sets it itself; roles are. session_user, since SET ROLE and a
-- SECURITY DEFINER function change current_user.
ALTER TABLE memlsp.workspaces ENABLE ROW LEVEL SECURITY;
ALTER TABLE memlsp.writers ENABLE ROW LEVEL SECURITY;
ALTER TABLE memlsp.lines ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_members ON memlsp.workspaces FOR SELECT USING (pg_has_role(session_user, team, 'member'));
CREATE POLICY of_its_role ON memlsp.writers USING (role = session_user) WITH CHECK (role = session_user);
CREATE POLICY for_members ON memlsp.lines FOR SELECT  -- OFFSET 0: or all workspaces are looked through for each pull
  USING (EXISTS (SELECT FROM memlsp.workspaces AS mine WHERE mine.workspace = lines.workspace OFFSET 0));
CREATE POLICY by_its_role ON memlsp.lines FOR INSERT WITH CHECK (
  EXISTS (SELECT FROM memlsp.workspaces AS mine WHERE mine.workspace = lines.workspace)
  AND EXISTS (SELECT FROM memlsp.writers AS mine WHERE mine.writer = lines.writer)
);

CREATE FUNCTION memlsp.withdraw(of_workspace text, of_writer text, keys uuid[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  DELETE FROM memlsp.lines USING memlsp.writers
  WHERE lines.workspace = of_workspace AND lines.writer = of_writer AND lines.key = ANY (keys)
    AND writers.writer = lines.writer AND writers.role = session_user
$$;

CREATE FUNCTION memlsp.admit(of_workspace text, to_team regrole) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO memlsp.workspaces VALUES (of_workspace, to_team)
    ON CONFLICT (workspace) DO UPDATE SET team = excluded.team;
  EXECUTE format('GRANT USAGE ON SCHEMA memlsp TO %s', to_team);
  EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA memlsp TO %s', to_team);
  EXECUTE format('GRANT INSERT (workspace, writer, key, text) ON memlsp.lines TO %s', to_team);
  EXECUTE format('GRANT INSERT (writer) ON memlsp.writers TO %s', to_team);
  EXECUTE format('GRANT EXECUTE ON FUNCTION memlsp.withdraw TO %s', to_team);
END
$$;
REVOKE ALL ON FUNCTION memlsp.withdraw, memlsp.admit FROM PUBLIC;
