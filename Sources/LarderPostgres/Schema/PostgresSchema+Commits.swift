#if Postgres
extension PostgresSchema {
    /// The functions that find a store, and that decide about commits.
    static let commits = #"""
        CREATE FUNCTION larder.version(OUT current_version integer, OUT oldest_program integer)
        LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $larder$
            SELECT v.version, v.oldest_program FROM larder.schema_version v
        $larder$;

        -- The time of a store whose last used time is given.
        CREATE FUNCTION larder.time_after(last_instant bigint) RETURNS bigint
        LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $larder$
            SELECT greatest(last_instant, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)
        $larder$;

        -- Returns the number, the identity and the position of a store, or nothing. Creates the store first if it is missing and `creates` is
        -- true.
        CREATE FUNCTION larder.attach(
            store_name text, creates boolean, new_identity bytea, new_token bigint,
            OUT store_id integer, OUT store_identity bytea, OUT at_revision bigint, OUT at_token bigint
        )
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $larder$
        BEGIN
            SELECT s.id, s.identity, s.revision, s.token INTO store_id, store_identity, at_revision, at_token
            FROM larder.store s WHERE s.name = store_name;
            IF store_id IS NULL AND creates THEN
                INSERT INTO larder.store (name, identity, token, instant)
                VALUES (store_name, new_identity, new_token, larder.time_after(0))
                ON CONFLICT (name) DO NOTHING RETURNING id INTO store_id;
                IF store_id IS NOT NULL THEN
                    INSERT INTO larder.revision (store, revision, token, instant, written, identifiers)
                    SELECT s.id, 0, s.token, s.instant, 0, '' FROM larder.store s WHERE s.id = store_id;
                END IF;
                SELECT s.id, s.identity, s.revision, s.token INTO store_id, store_identity, at_revision, at_token
                FROM larder.store s WHERE s.name = store_name;
            END IF;
        END
        $larder$;

        -- Locks a store until the end of the transaction, and returns its row. All that decides about commits calls this first, and a later
        -- statement then sees all earlier commits. The lock is written to the log, so each answer waits for the synchronous standby, also
        -- one that was given before and whose wait was cancelled.
        CREATE FUNCTION larder.lock_store(of_store integer) RETURNS larder.store
        LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $larder$
        DECLARE
            locked larder.store;
        BEGIN
            SELECT * INTO locked FROM larder.store s WHERE s.id = of_store FOR NO KEY UPDATE;
            IF NOT FOUND THEN
                RAISE EXCEPTION 'the store % was removed', of_store USING ERRCODE = 'no_data_found';
            END IF;
            locked.instant := larder.time_after(locked.instant);
            RETURN locked;
        END
        $larder$;

        -- Ends the call unless there is an identifier, and all have 16 bytes. Programs treat the error LD001 as a refusal for good, so it
        -- means that the arguments can never be right.
        CREATE FUNCTION larder.check_identifiers(identifiers bytea[]) RETURNS void
        LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $larder$
        BEGIN
            IF coalesce(cardinality(identifiers), 0) = 0
                OR EXISTS (SELECT FROM unnest(identifiers) AS i (identifier) WHERE octet_length(i.identifier) IS DISTINCT FROM 16)
            THEN
                RAISE EXCEPTION 'an identifier does not have 16 bytes' USING ERRCODE = 'LD001';
            END IF;
        END
        $larder$;

        -- Makes all writes if the expectations hold, or none, and remembers the verdict.
        --
        -- The answer is 'committed', 'expectation', 'planted', 'divided' or 'forgotten'. The arrays `expected_keys` and `expected_values` belong
        -- together; a null value expects the key to be absent. The same holds for `new_keys`, `new_values` and `new_expiries`. Between
        -- `listing_starts` and `listing_ends`, there must be exactly `listing_counts` keys that are not reserved.
        CREATE FUNCTION larder.commit(
            of_store integer, identifiers bytea[], drawn bigint, new_token bigint,
            expected_keys bytea[], expected_values bytea[],
            listing_starts bytea[], listing_ends bytea[], listing_counts integer[],
            new_keys bytea[], new_values bytea[], new_expiries bigint[],
            OUT answer text, OUT at_revision bigint, OUT at_token bigint
        )
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER
        SET search_path = pg_catalog, pg_temp SET enable_seqscan = off AS $larder$
        DECLARE
            locked larder.store;
            known record;
            listed integer;
            removed_key bytea;
        BEGIN
            -- No statement compares a column with the elements of an array: if the statistics do not know a store yet, the planner would read
            -- all rows of the store instead.
            PERFORM larder.check_identifiers(identifiers);
            IF cardinality(expected_keys) IS DISTINCT FROM cardinality(expected_values)
                OR cardinality(listing_starts) IS DISTINCT FROM cardinality(listing_ends)
                OR cardinality(listing_starts) IS DISTINCT FROM cardinality(listing_counts)
                OR cardinality(new_keys) IS DISTINCT FROM cardinality(new_values)
                OR cardinality(new_keys) IS DISTINCT FROM cardinality(new_expiries)
            THEN
                RAISE EXCEPTION 'arrays that belong together have different lengths' USING ERRCODE = 'LD001';
            END IF;
            IF EXISTS (SELECT FROM unnest(new_keys) AS w (key) WHERE w.key IS NULL OR octet_length(w.key) > 2048) THEN
                RAISE EXCEPTION 'a key is missing or has more than 2048 bytes' USING ERRCODE = 'LD001';
            END IF;
            IF (SELECT count(DISTINCT w.key) FROM unnest(new_keys) AS w (key)) <> cardinality(new_keys) THEN
                RAISE EXCEPTION 'a key is written twice' USING ERRCODE = 'LD001';
            END IF;
            locked := larder.lock_store(of_store);
            SELECT count(*) AS number, count(DISTINCT v.revision) AS positions, min(v.revision) AS revision, min(v.token) AS token,
                max(v.refusal) AS refusal
            INTO known FROM unnest(identifiers) AS i (identifier)
            CROSS JOIN LATERAL (
                SELECT f.* FROM larder.verdict f WHERE f.store = of_store AND f.identifier = i.identifier LIMIT 1
            ) AS v;
            IF known.number > 0 THEN
                IF cardinality(identifiers) > 1
                    AND (known.number < cardinality(identifiers) OR known.positions > 1 OR known.refusal IS NOT NULL)
                THEN
                    SELECT 'divided', locked.revision, locked.token INTO answer, at_revision, at_token;
                    RETURN;
                END IF;
                UPDATE larder.store s SET instant = locked.instant WHERE s.id = of_store;
                SELECT coalesce(known.refusal, 'committed'), known.revision, known.token INTO answer, at_revision, at_token;
                RETURN;
            END IF;
            -- The clocks of two servers may differ by less than an hour.
            IF locked.forgotten_until IS NOT NULL AND (drawn IS NULL OR drawn <= locked.forgotten_until + 3600000) THEN
                SELECT 'forgotten', locked.revision, locked.token INTO answer, at_revision, at_token;
                RETURN;
            END IF;

            answer := 'committed';
            PERFORM FROM unnest(expected_keys, expected_values) AS x (key, value)
            WHERE x.value IS DISTINCT FROM (
                SELECT e.value FROM larder.entry e
                WHERE e.store = of_store AND e.key = x.key AND (e.expiry IS NULL OR e.expiry > locked.instant)
            )
            LIMIT 1;
            IF FOUND THEN answer := 'expectation'; END IF;
            FOR i IN 1 .. cardinality(listing_starts) LOOP
                EXIT WHEN answer <> 'committed';
                SELECT count(*) INTO listed FROM (
                    SELECT FROM larder.entry e
                    WHERE e.store = of_store AND e.key >= listing_starts[i] AND e.key < listing_ends[i]
                        AND (e.key < decode('006c6172646572', 'hex') OR e.key >= decode('006c6172646573', 'hex'))
                        AND (e.expiry IS NULL OR e.expiry > locked.instant)
                    LIMIT listing_counts[i] + 1
                ) AS found;
                IF listed <> listing_counts[i] THEN answer := 'expectation'; END IF;
            END LOOP;

            IF answer = 'committed' THEN
                at_revision := locked.revision + 1;
                at_token := new_token;
                UPDATE larder.store s
                SET revision = at_revision, token = at_token, instant = locked.instant,
                    verdicts = s.verdicts + cardinality(identifiers), written = s.written + (
                    SELECT coalesce(sum(octet_length(w.key) + coalesce(octet_length(w.value), 0) + 64), 0)
                    FROM unnest(new_keys, new_values) AS w (key, value)
                )
                WHERE s.id = of_store RETURNING s.written INTO locked.written;
                INSERT INTO larder.revision (store, revision, token, instant, written, identifiers)
                SELECT of_store, at_revision, at_token, locked.instant, locked.written, string_agg(i.identifier, '' ORDER BY i.ordinal)
                FROM unnest(identifiers) WITH ORDINALITY AS i (identifier, ordinal);
                INSERT INTO larder.change (store, revision, ordinal, key, value, expiry)
                SELECT of_store, at_revision, w.ordinal, w.key, w.value, w.expiry
                FROM unnest(new_keys, new_values, new_expiries) WITH ORDINALITY AS w (key, value, expiry, ordinal);
                FOR removed_key IN SELECT w.key FROM unnest(new_keys, new_values) AS w (key, value) WHERE w.value IS NULL LOOP
                    DELETE FROM larder.entry e WHERE e.store = of_store AND e.key = removed_key;
                END LOOP;
                INSERT INTO larder.entry (store, key, value, expiry, revision)
                SELECT of_store, w.key, w.value, w.expiry, at_revision
                FROM unnest(new_keys, new_values, new_expiries) AS w (key, value, expiry) WHERE w.value IS NOT NULL
                ON CONFLICT (store, key) DO UPDATE
                SET value = excluded.value, expiry = excluded.expiry, revision = excluded.revision;
            ELSE
                at_revision := locked.revision;
                at_token := locked.token;
                UPDATE larder.store s SET instant = locked.instant, verdicts = s.verdicts + cardinality(identifiers)
                WHERE s.id = of_store;
            END IF;
            INSERT INTO larder.verdict (store, identifier, revision, token, refusal, instant)
            -- The clock that told `drawn` may have been ahead. What is forgotten was never drawn later than `forgotten_until`.
            SELECT of_store, i.identifier, at_revision, at_token, nullif(answer, 'committed'), greatest(locked.instant, drawn)
            FROM unnest(identifiers) AS i (identifier);
        END
        $larder$;

        -- Returns the verdict about an identifier, after refusing the identifier if there is none.
        CREATE FUNCTION larder.outcome(
            of_store integer, identifier_asked bytea, drawn bigint,
            OUT answer text, OUT at_revision bigint, OUT at_token bigint
        )
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $larder$
        DECLARE
            locked larder.store;
        BEGIN
            PERFORM larder.check_identifiers(ARRAY[identifier_asked]);
            locked := larder.lock_store(of_store);
            SELECT coalesce(v.refusal, 'committed'), v.revision, v.token INTO answer, at_revision, at_token
            FROM larder.verdict v WHERE v.store = of_store AND v.identifier = identifier_asked;
            IF NOT FOUND THEN
                at_revision := locked.revision;
                at_token := locked.token;
                IF locked.forgotten_until IS NOT NULL AND (drawn IS NULL OR drawn <= locked.forgotten_until + 3600000) THEN
                    answer := 'forgotten';
                    RETURN;
                END IF;
                answer := 'planted';
                INSERT INTO larder.verdict (store, identifier, revision, token, refusal, instant)
                VALUES (of_store, identifier_asked, at_revision, at_token, answer, greatest(locked.instant, drawn));
                locked.verdicts := locked.verdicts + 1;
            END IF;
            UPDATE larder.store s SET instant = locked.instant, verdicts = locked.verdicts WHERE s.id = of_store;
        END
        $larder$;

        -- Notifies the programs that listen of the position of a store. It is called after a commit and not by it: transactions that notify take
        -- turns on the whole server up to their end, so a commit that hangs for its standby would stop all of them.
        CREATE FUNCTION larder.announce(of_store integer) RETURNS void
        LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $larder$
            SELECT pg_notify('larder_' || s.id, s.revision || ' ' || s.token) FROM larder.store s WHERE s.id = of_store
        $larder$;
        """#
}
#endif
