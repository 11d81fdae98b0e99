#if Postgres
extension PostgresSchema {
    /// The functions that read the history and the entries.
    static let reading = #"""
        -- Returns the commits after a position. The first row has the time, and tells whether the history contains the position. Then each commit
        -- is one row with its position and identifiers, followed by one row for each of its writes.
        CREATE FUNCTION larder.changes(
            of_store integer, after_revision bigint, after_token bigint, most_commits integer, most_bytes bigint
        )
        RETURNS TABLE (is_found boolean, at_instant bigint, at_revision bigint, at_token bigint, commit_identifiers bytea,
            changed_key bytea, new_value bytea, new_expiry bigint)
        LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $larder$
        DECLARE
            known larder.store;
            start larder.revision;
            last_revision bigint;
        BEGIN
            SELECT * INTO known FROM larder.store s WHERE s.id = of_store;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'the store % was removed', of_store USING ERRCODE = 'no_data_found';
            END IF;
            SELECT * INTO start FROM larder.revision r
            WHERE r.store = of_store AND r.revision = after_revision AND r.token = after_token;
            is_found := FOUND;
            at_instant := larder.time_after(known.instant);
            RETURN NEXT;
            IF NOT is_found OR after_revision = known.revision THEN RETURN; END IF;
            SELECT max(page.revision) INTO last_revision FROM (
                SELECT r.revision, r.written FROM larder.revision r WHERE r.store = of_store AND r.revision > after_revision
                ORDER BY r.revision LIMIT most_commits
            ) AS page
            WHERE page.written - start.written <= most_bytes OR page.revision = after_revision + 1;
            RETURN QUERY
                SELECT listed.found, listed.instant, listed.revision, listed.token, listed.identifiers, listed.key, listed.value, listed.expiry
                FROM (
                    SELECT NULL::boolean AS found, NULL::bigint AS instant, r.revision, r.token, r.identifiers, 0 AS ordinal,
                        NULL::bytea AS key, NULL::bytea AS value, NULL::bigint AS expiry
                    FROM larder.revision r
                    WHERE r.store = of_store AND r.revision > after_revision AND r.revision <= last_revision
                    UNION ALL
                    SELECT NULL, NULL, c.revision, NULL, NULL, c.ordinal, c.key, c.value, c.expiry
                    FROM larder.change c
                    WHERE c.store = of_store AND c.revision > after_revision AND c.revision <= last_revision
                ) AS listed
                ORDER BY listed.revision, listed.ordinal;
        END
        $larder$;

        -- Returns the identity, the position and the time of a store. Call it and `entries` in one transaction that is REPEATABLE READ.
        CREATE FUNCTION larder.snapshot(
            of_store integer, OUT store_identity bytea, OUT at_revision bigint, OUT at_token bigint, OUT at_instant bigint
        )
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $larder$
            SELECT s.identity, s.revision, s.token, larder.time_after(s.instant) FROM larder.store s WHERE s.id = of_store
        $larder$;

        -- Returns entries in the order of their keys, beginning with the first key that is not below `first_key`; at least one, if there is any.
        CREATE FUNCTION larder.entries(of_store integer, first_key bytea, most_entries integer, most_bytes bigint)
        RETURNS TABLE (entry_key bytea, entry_value bytea, entry_expiry bigint)
        LANGUAGE sql STABLE SECURITY DEFINER
        SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off AS $larder$
            SELECT page.key, page.value, page.expiry FROM (
                SELECT e.key, e.value, e.expiry, row_number() OVER keys AS ordinal,
                    sum(octet_length(e.key) + octet_length(e.value)) OVER keys AS bytes
                FROM (
                    SELECT f.key, f.value, f.expiry FROM larder.entry f WHERE f.store = of_store AND f.key >= first_key
                    ORDER BY f.key LIMIT most_entries
                ) AS e
                WINDOW keys AS (ORDER BY e.key ROWS UNBOUNDED PRECEDING)
            ) AS page
            WHERE page.bytes <= most_bytes OR page.ordinal = 1
            ORDER BY page.key
        $larder$;
        """#
}
#endif
