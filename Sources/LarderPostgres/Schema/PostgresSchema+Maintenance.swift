#if Postgres
extension PostgresSchema {
    /// The functions that trim the history and describe a store, and the privileges.
    static let maintenance = #"""
        -- Notes how far a replica has read, and removes history and verdicts that are no longer kept. Returns whether there is more to remove.
        CREATE FUNCTION larder.maintain(of_store integer, replica_number bigint, replica_revision bigint) RETURNS boolean
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER
        SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $larder$
        DECLARE
            locked larder.store;
            -- Commits wait for the lock meanwhile, so each call removes little.
            most_commits CONSTANT integer := 1000;
            most_bytes CONSTANT bigint := 16777216;
            most_verdicts CONSTANT integer := 5000;
            -- An identifier counts as forgotten for an hour longer than its verdict. Programs must be able to commit meanwhile.
            shortest_memory CONSTANT bigint := 3 * 3600000;
            excess bigint;
            aged bigint;
            slowest bigint;
            start larder.revision;
            removable bigint;
            new_floor bigint;
            removed_until bigint;
            removed_count integer;
        BEGIN
            -- Nothing depends on it, so it need not wait for a disk or a standby.
            PERFORM set_config('synchronous_commit', 'off', true);
            SELECT * INTO locked FROM larder.store s WHERE s.id = of_store FOR NO KEY UPDATE SKIP LOCKED;
            IF NOT FOUND THEN RETURN true; END IF;
            locked.instant := larder.time_after(locked.instant);
            INSERT INTO larder.replica (store, number, revision, seen)
            VALUES (of_store, replica_number, replica_revision, locked.instant)
            ON CONFLICT (store, number) DO UPDATE SET revision = excluded.revision, seen = excluded.seen;
            DELETE FROM larder.replica r
            WHERE r.store = of_store AND r.seen < locked.instant - extract(epoch FROM locked.replica_age) * 1000;

            SELECT min(r.revision) INTO slowest FROM larder.replica r WHERE r.store = of_store;
            SELECT * INTO start FROM larder.revision r WHERE r.store = of_store AND r.revision = locked.floor;
            SELECT max(r.revision),
                max(r.revision) FILTER (WHERE r.written <= start.written + most_bytes OR r.revision = locked.floor + 1)
            INTO removable, new_floor FROM (
                SELECT r.revision, r.instant, r.written FROM larder.revision r
                WHERE r.store = of_store AND r.revision > locked.floor ORDER BY r.revision LIMIT most_commits
            ) AS r
            WHERE (r.revision <= slowest AND r.instant < locked.instant - extract(epoch FROM locked.history_age) * 1000)
                OR r.revision <= locked.revision - locked.history_commits
                OR r.written <= locked.written - locked.history_bytes;
            IF new_floor IS NOT NULL THEN
                DELETE FROM larder.change c WHERE c.store = of_store AND c.revision > locked.floor AND c.revision <= new_floor;
                DELETE FROM larder.revision r WHERE r.store = of_store AND r.revision >= locked.floor AND r.revision < new_floor;
            END IF;

            excess := greatest(locked.verdicts - locked.verdict_limit, 0);
            aged := locked.instant - extract(epoch FROM locked.verdict_age) * 1000;
            WITH removed AS (
                DELETE FROM larder.verdict v WHERE v.ctid = ANY (ARRAY (
                    SELECT o.place_in_table FROM (
                        SELECT f.place_in_table, f.instant, row_number() OVER (ORDER BY f.instant) AS place FROM (
                            SELECT e.ctid AS place_in_table, e.instant FROM larder.verdict e
                            WHERE e.store + 0 = of_store
                                AND e.instant < CASE WHEN excess > 0 THEN locked.instant - shortest_memory ELSE aged END
                            ORDER BY e.instant LIMIT most_verdicts
                        ) AS f
                    ) AS o
                    WHERE o.place <= excess OR o.instant < aged
                ))
                RETURNING v.instant
            )
            SELECT max(r.instant), count(*) INTO removed_until, removed_count FROM removed r;

            UPDATE larder.store s
            SET instant = locked.instant, floor = coalesce(new_floor, s.floor),
                forgotten_until = greatest(s.forgotten_until, removed_until), verdicts = s.verdicts - removed_count
            WHERE s.id = of_store;
            RETURN coalesce(removable > new_floor OR removable - locked.floor >= most_commits, false)
                OR removed_count >= most_verdicts;
        END
        $larder$;

        -- Returns what tools show about a store, and one row for each known replica.
        CREATE FUNCTION larder.status(
            of_store integer, OUT at_revision bigint, OUT at_token bigint, OUT at_instant bigint, OUT entry_count bigint,
            OUT history_start bigint, OUT replica_numbers bigint[], OUT replica_revisions bigint[], OUT replica_instants bigint[]
        )
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $larder$
            SELECT s.revision, s.token, larder.time_after(s.instant), (SELECT count(*) FROM larder.entry e WHERE e.store = of_store), s.floor,
                ARRAY (SELECT r.number FROM larder.replica r WHERE r.store = of_store ORDER BY r.number),
                ARRAY (SELECT r.revision FROM larder.replica r WHERE r.store = of_store ORDER BY r.number),
                ARRAY (SELECT r.seen FROM larder.replica r WHERE r.store = of_store ORDER BY r.number)
            FROM larder.store s WHERE s.id = of_store
        $larder$;

        REVOKE ALL ON ALL FUNCTIONS IN SCHEMA larder FROM PUBLIC;
        """#
}
#endif
