/**
 * The rate limits as functions of Postgres, each of which is one statement and one transaction. They do what the store in memory does, on
 * instants in microseconds of Postgres' clock.
 *
 * A place is a row from its reservation until it is over, and beyond: `over_at` is one window after the last instant at which the service may
 * have counted the call, at the end of its lease while it is out. What is used is the sum over the rows that are not over: no sum is kept. A limit
 * is a row only once a response has said something of it. The row of `life` is lost with the rest of the state, because no table is logged: after
 * a crash, and on a replica that takes over, all are empty.
 *
 * Transactions take advisory locks of the limits in the order of their hashes, and the row of `life` last, so they do not wait in a circle.
 */
import { day, instant } from "./clock.js"

/** How long before its response a call may have been sent for what it says to be compared with what is known here, in microseconds. */
const longestRoundTrip = 10_000_000

const tables = (prefix: string): string => `
CREATE UNLOGGED TABLE IF NOT EXISTS ${prefix}life (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  life text NOT NULL,
  born bigint NOT NULL,
  last bigint NOT NULL,
  ahead bigint NOT NULL
);
CREATE UNLOGGED TABLE IF NOT EXISTS ${prefix}limits (
  name text PRIMARY KEY,
  closed bigint NOT NULL,
  observed bigint NOT NULL,
  learnt bigint,
  believed bigint
) WITH (fillfactor = 50);
CREATE UNLOGGED TABLE IF NOT EXISTS ${prefix}places (
  name text NOT NULL,
  id text NOT NULL,
  charge int NOT NULL,
  cost bigint NOT NULL,
  over_at bigint NOT NULL,
  is_out boolean NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX IF NOT EXISTS ${prefix}places_over ON ${prefix}places (name, over_at);
`

/**
 * The instant of a transaction and the life of the state, which begins where there is none. The clock never goes back: what it was set back by
 * is added from then on. The life is read before the clock, or the clock could seem to have gone back.
 */
const nowFunction = (prefix: string): string => `
CREATE OR REPLACE FUNCTION ${prefix}now(process text, rest boolean, OUT life text, OUT born bigint, OUT now bigint)
LANGUAGE plpgsql AS $$
DECLARE
  shared ${prefix}life;
  clock bigint;
BEGIN
  SELECT * INTO shared FROM ${prefix}life;
  clock := ${instant};
  IF shared.life IS NULL THEN
    INSERT INTO ${prefix}life (life, born, last, ahead)
      VALUES (process || '.' || clock, CASE WHEN rest THEN clock ELSE 0 END, clock, 0) ON CONFLICT DO NOTHING;
    SELECT * INTO shared FROM ${prefix}life;
    clock := ${instant};
  END IF;
  IF clock + shared.ahead NOT BETWEEN shared.last AND shared.last + 1000000 THEN
    SELECT * INTO shared FROM ${prefix}life FOR UPDATE;
    clock := ${instant};
    shared.ahead := shared.ahead + greatest(shared.last - clock - shared.ahead, 0);
    UPDATE ${prefix}life SET ahead = shared.ahead, last = clock + shared.ahead;
  END IF;
  life := shared.life;
  born := shared.born;
  now := clock + shared.ahead;
END $$;
`

const lockFunction = (prefix: string): string => `
CREATE OR REPLACE FUNCTION ${prefix}lock(names text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  hash bigint;
BEGIN
  -- Another level reads what was there before the locks were taken.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'rate limits need the isolation level read committed, not %', current_setting('transaction_isolation');
  END IF;
  FOR hash IN SELECT DISTINCT hashtextextended('${prefix}' || name, 0) FROM unnest(names) AS name ORDER BY 1 LOOP
    PERFORM pg_advisory_xact_lock(hash);
  END LOOP;
END $$;
`

/** A limit that was lost, or never observed, is closed for a window from the beginning of a life at rest. */
const limitFunction = (prefix: string): string => `
CREATE OR REPLACE FUNCTION ${prefix}limit(
  limit_name text, stated bigint, span bigint, born bigint, now bigint, OUT closed bigint, OUT in_force bigint, OUT used bigint
) LANGUAGE plpgsql AS $$
DECLARE
  entry ${prefix}limits;
BEGIN
  SELECT * INTO entry FROM ${prefix}limits WHERE name = limit_name;
  closed := coalesce(entry.closed, CASE WHEN born > 0 THEN born + span ELSE 0 END);
  in_force := stated;
  IF entry.learnt IS NOT NULL AND (entry.believed IS NULL OR now < entry.believed) THEN
    in_force := entry.learnt;
  END IF;
  SELECT coalesce(sum(cost), 0) INTO used FROM ${prefix}places WHERE name = limit_name AND over_at > now;
END $$;
`

/** From when on a call fits: now or earlier when it fits already, null when that depends on a response. */
const freeFunction = (prefix: string): string => `
CREATE OR REPLACE FUNCTION ${prefix}free(
  limit_name text, stated bigint, span bigint, price bigint, spare bigint, born bigint, now bigint, OUT free_at bigint
) LANGUAGE plpgsql AS $$
DECLARE
  entry record;
  allowed bigint;
BEGIN
  SELECT * INTO entry FROM ${prefix}limit(limit_name, stated, span, born, now);
  allowed := greatest(entry.in_force - price - spare, 0);
  IF entry.used <= allowed THEN
    free_at := greatest(now, entry.closed);
    RETURN;
  END IF;
  SELECT min(over_at) INTO free_at FROM (
    SELECT over_at, sum(place.cost) OVER (ORDER BY over_at, id, charge) AS freed FROM ${prefix}places AS place
    WHERE name = limit_name AND over_at > now AND NOT (is_out AND over_at - span > now)
  ) AS answered WHERE freed >= entry.used - allowed;
  IF free_at IS NOT NULL THEN
    free_at := greatest(free_at, entry.closed);
  END IF;
END $$;
`

/** Removes now and then what has been over for long enough that no response can say anything of it. */
const reserveFunction = (prefix: string): string => `
CREATE OR REPLACE FUNCTION ${prefix}reserve(
  process text, rest boolean, new_id text, lease bigint,
  names text[], stated bigint[], spans bigint[], costs bigint[], spares bigint[],
  OUT life text, OUT lease_end bigint, OUT retry_after bigint, OUT full_at text
) LANGUAGE plpgsql AS $$
DECLARE
  begun record;
  free_at bigint;
  latest bigint;
BEGIN
  PERFORM ${prefix}lock(names);
  SELECT * INTO begun FROM ${prefix}now(process, rest);
  life := begun.life;
  latest := begun.now;
  FOR i IN 1..cardinality(names) LOOP
    free_at := ${prefix}free(names[i], stated[i], spans[i], costs[i], spares[i], begun.born, begun.now);
    IF free_at <= begun.now THEN
      CONTINUE;
    END IF;
    full_at := concat_ws(' ', full_at, i - 1);
    latest := CASE WHEN free_at IS NOT NULL THEN greatest(latest, free_at) END;
    IF latest IS NULL THEN
      retry_after := -1;
    END IF;
  END LOOP;
  IF full_at IS NOT NULL THEN
    retry_after := coalesce(retry_after, latest - begun.now);
    RETURN;
  END IF;
  lease_end := begun.now + lease;
  INSERT INTO ${prefix}places (name, id, charge, cost, over_at, is_out)
    SELECT names[i], new_id, i, costs[i], lease_end + spans[i], true FROM generate_subscripts(names, 1) AS i;
  IF random() < 0.05 THEN
    DELETE FROM ${prefix}places WHERE name = ANY (names) AND over_at <= begun.now - ${longestRoundTrip};
  END IF;
  IF random() < 0.0005 THEN
    DELETE FROM ${prefix}places WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${prefix}places WHERE over_at <= begun.now - ${longestRoundTrip} FOR UPDATE SKIP LOCKED
    ));
  END IF;
END $$;
`

/** The end of the lease finds the row by the index. */
const settleFunction = (prefix: string): string => `
CREATE OR REPLACE FUNCTION ${prefix}settle(
  process text, rest boolean, taken_id text, taken_life text, lease_end bigint, is_sent boolean, ago bigint, arrives_within bigint,
  names text[], spans bigint[], costs bigint[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  begun record;
  ends bigint;
BEGIN
  PERFORM ${prefix}lock(names);
  SELECT * INTO begun FROM ${prefix}now(process, rest);
  FOR i IN 1..cardinality(names) LOOP
    ends := begun.now - ago + arrives_within + spans[i];
    IF is_sent THEN
      UPDATE ${prefix}places SET is_out = false, over_at = ends
        WHERE name = names[i] AND over_at = lease_end + spans[i] AND id = taken_id AND charge = i AND is_out;
      IF NOT FOUND AND (taken_life <> begun.life OR begun.now > lease_end) THEN
        UPDATE ${prefix}places SET over_at = greatest(over_at, ends)
          WHERE name = names[i] AND id = taken_id AND charge = i;
        IF NOT FOUND THEN
          INSERT INTO ${prefix}places (name, id, charge, cost, over_at, is_out)
            VALUES (names[i], taken_id, i, costs[i], ends, false);
        END IF;
      END IF;
    ELSE
      DELETE FROM ${prefix}places
        WHERE name = names[i] AND (lease_end = 0 OR over_at = lease_end + spans[i])
          AND id = taken_id AND charge = i AND is_out;
    END IF;
  END LOOP;
END $$;
`

const observeFunction = (prefix: string): string => `
CREATE OR REPLACE FUNCTION ${prefix}observe(
  process text, rest boolean, new_id text, limit_name text, stated bigint, span bigint,
  round_trip bigint, named bigint, remaining numeric, is_refused boolean, reset_after bigint
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  begun record;
  entry record;
  sent_at bigint;
  theirs bigint;
BEGIN
  PERFORM ${prefix}lock(ARRAY[limit_name]);
  SELECT * INTO begun FROM ${prefix}now(process, rest);
  sent_at := begun.now - round_trip;
  INSERT INTO ${prefix}limits (name, closed, observed)
    VALUES (limit_name, CASE WHEN begun.born > 0 THEN begun.born + span ELSE 0 END, -1) ON CONFLICT DO NOTHING;
  UPDATE ${prefix}limits SET observed = sent_at,
      learnt = CASE WHEN named IS NULL THEN learnt WHEN named <> stated THEN named END,
      believed = CASE WHEN named IS NULL THEN believed END
    WHERE name = limit_name AND observed <= sent_at;
  IF FOUND AND named IS NOT NULL AND remaining >= 0 AND round_trip <= ${longestRoundTrip} THEN
    SELECT ceil(named - remaining) - coalesce(sum(cost), 0) INTO theirs
      FROM ${prefix}places WHERE name = limit_name AND over_at > sent_at;
    IF theirs > 0 THEN
      INSERT INTO ${prefix}places (name, id, charge, cost, over_at, is_out)
        VALUES (limit_name, new_id, 1, theirs, begun.now + span, false);
    END IF;
  END IF;
  IF NOT is_refused THEN
    RETURN;
  END IF;
  UPDATE ${prefix}limits
    SET closed = greatest(closed, begun.now + CASE WHEN reset_after > 0 AND reset_after <= span THEN reset_after ELSE span END)
    WHERE name = limit_name;
  IF named IS NULL THEN
    SELECT * INTO entry FROM ${prefix}limit(limit_name, stated, span, begun.born, begun.now);
    UPDATE ${prefix}limits SET believed = begun.now + 600000000, learnt = greatest(1, least(entry.in_force, (
        SELECT coalesce(sum(cost), 0) FROM ${prefix}places
        WHERE name = limit_name AND over_at > sent_at AND over_at - span <= begun.now
      ))) WHERE name = limit_name;
  END IF;
END $$;
`

const stateFunction = (prefix: string): string => `
CREATE OR REPLACE FUNCTION ${prefix}state(
  process text, rest boolean, limit_name text, stated bigint, span bigint,
  OUT in_force bigint, OUT remaining bigint, OUT retry_after bigint
) LANGUAGE plpgsql AS $$
DECLARE
  begun record;
  entry record;
BEGIN
  SELECT * INTO begun FROM ${prefix}now(process, rest);
  SELECT * INTO entry FROM ${prefix}limit(limit_name, stated, span, begun.born, begun.now);
  in_force := entry.in_force;
  remaining := CASE WHEN begun.now < entry.closed THEN 0 ELSE greatest(entry.in_force - entry.used, 0) END;
  retry_after := coalesce(${prefix}free(limit_name, stated, span, 1, 0, begun.born, begun.now) - begun.now, -1);
END $$;
`

/**
 * Removes limits that have said nothing for a day: they are as if no response had ever named them. One whose lock another transaction has is in use.
 */
const forgetFunction = (prefix: string): string => `
CREATE OR REPLACE FUNCTION ${prefix}forget() RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  -- Not the clock of calls, which begins a new life of the state: that is for calls.
  now bigint := ${instant};
BEGIN
  DELETE FROM ${prefix}limits WHERE CASE
    WHEN greatest(observed, closed, coalesce(believed, 0)) < now - ${day}
    THEN pg_try_advisory_xact_lock(hashtextextended('${prefix}' || name, 0)) END;
END $$;
`

/** The tables and functions of a prefix, in one text of statements that can be run again. */
export const definitions = (prefix: string): string =>
  [
    tables,
    nowFunction,
    lockFunction,
    limitFunction,
    freeFunction,
    reserveFunction,
    settleFunction,
    observeFunction,
    stateFunction,
    forgetFunction
  ]
    .map((define) => define(prefix))
    .join("")
