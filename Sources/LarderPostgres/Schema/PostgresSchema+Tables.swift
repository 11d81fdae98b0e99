#if Postgres
extension PostgresSchema {
    /// The tables.
    static let tables = #"""
        CREATE SCHEMA larder;

        -- The version of this schema, and the oldest version that a program must know to use it.
        CREATE TABLE larder.schema_version (
            only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
            version integer NOT NULL,
            oldest_program integer NOT NULL
        );
        INSERT INTO larder.schema_version (version, oldest_program) VALUES (1, 1);

        -- Instants are in milliseconds since 1970.
        CREATE TABLE larder.store (
            id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
            name text NOT NULL UNIQUE,
            identity bytea NOT NULL,
            -- The position of the last commit. Each commit locks this row, so commits of one store take turns.
            revision bigint NOT NULL DEFAULT 0,
            token bigint NOT NULL,
            -- The bytes of all writes so far.
            written bigint NOT NULL DEFAULT 0,
            -- The last time that was used. The time of the store never goes back behind it, not even on another server.
            instant bigint NOT NULL,
            -- The history contains the commits after this revision.
            floor bigint NOT NULL DEFAULT 0,
            -- The latest instant of a verdict that was removed.
            forgotten_until bigint,
            -- How much history is kept: everything of this age, then what a known replica has not read yet, but never more than the limits.
            history_age interval NOT NULL DEFAULT '1 day' CHECK (history_age >= interval '0'),
            history_commits bigint NOT NULL DEFAULT 1000000 CHECK (history_commits >= 0),
            history_bytes bigint NOT NULL DEFAULT 1073741824 CHECK (history_bytes >= 0),
            -- A replica that was not seen for this time is no longer known.
            replica_age interval NOT NULL DEFAULT '7 days' CHECK (replica_age >= interval '1 hour'),
            -- A program that was without a connection for longer may have to report commits as unknown.
            verdict_age interval NOT NULL DEFAULT '7 days' CHECK (verdict_age >= interval '1 day'),
            -- The number of verdicts, and the number above which those that are older than three hours are removed.
            verdicts bigint NOT NULL DEFAULT 0,
            verdict_limit bigint NOT NULL DEFAULT 10000000 CHECK (verdict_limit >= 0)
        ) WITH (fillfactor = 50);

        CREATE TABLE larder.entry (
            store integer NOT NULL,
            key bytea NOT NULL,
            value bytea NOT NULL,
            expiry bigint,
            revision bigint NOT NULL,
            PRIMARY KEY (store, key)
        );

        -- One row for each commit of the history, and one for the revision `floor`.
        CREATE TABLE larder.revision (
            store integer NOT NULL,
            revision bigint NOT NULL,
            token bigint NOT NULL,
            instant bigint NOT NULL,
            -- The bytes of all writes up to this commit.
            written bigint NOT NULL,
            -- The identifiers, 16 bytes each.
            identifiers bytea NOT NULL,
            PRIMARY KEY (store, revision)
        );

        -- The writes of each commit. Without a value, the key was removed.
        CREATE TABLE larder.change (
            store integer NOT NULL,
            revision bigint NOT NULL,
            ordinal integer NOT NULL,
            key bytea NOT NULL,
            value bytea,
            expiry bigint,
            PRIMARY KEY (store, revision, ordinal)
        );

        -- The first verdict about each identifier. Without a refusal, the commit was made at the position; otherwise it was refused there.
        CREATE TABLE larder.verdict (
            store integer NOT NULL,
            identifier bytea NOT NULL,
            revision bigint NOT NULL,
            token bigint NOT NULL,
            refusal text,
            instant bigint NOT NULL,
            PRIMARY KEY (store, identifier)
        );
        -- For the removal of old verdicts. The expression keeps the planner from using it to find an identifier.
        CREATE INDEX verdict_instant ON larder.verdict ((store + 0), instant);

        -- The replicas that have read the history, with the revision up to which they had read it when they were last seen.
        CREATE TABLE larder.replica (
            store integer NOT NULL,
            number bigint NOT NULL,
            revision bigint NOT NULL,
            seen bigint NOT NULL,
            PRIMARY KEY (store, number)
        );
        """#
}
#endif
