/**
 * The bans as functions of Postgres. A ban is a row with its end and the probe, in microseconds of Postgres' clock. It counts for a day after
 * its end: until then a call goes first. An address that is not banned takes no lock.
 */
import { day, instant } from "./clock.js"

const prelude = `now bigint := ${instant};`

/** The tables and functions of a prefix, in one text of statements that can be run again. */
export const definitions = (prefix: string): string => `
CREATE TABLE IF NOT EXISTS ${prefix}bans (
  name text PRIMARY KEY,
  ends bigint NOT NULL,
  probe text,
  lease_end bigint
);
CREATE OR REPLACE FUNCTION ${prefix}enter(host text, new_probe text, lease bigint, OUT tag text, OUT remaining bigint)
LANGUAGE plpgsql AS $$
DECLARE
  ban ${prefix}bans;
  ${prelude}
BEGIN
  SELECT * INTO ban FROM ${prefix}bans WHERE name = host;
  IF ban.ends IS NULL OR ban.ends < now - ${day} THEN
    tag := 'Open';
    RETURN;
  END IF;
  IF now < ban.ends THEN
    tag := 'Closed';
    remaining := ban.ends - now;
    RETURN;
  END IF;
  UPDATE ${prefix}bans SET probe = new_probe, lease_end = now + lease
    WHERE name = host AND ends <= now AND (probe IS NULL OR lease_end <= now);
  tag := CASE WHEN FOUND THEN 'Probe' ELSE 'Probing' END;
END $$;
CREATE OR REPLACE FUNCTION ${prefix}close(host text, duration bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  ${prelude}
BEGIN
  INSERT INTO ${prefix}bans AS ban (name, ends) VALUES (host, now + duration)
    ON CONFLICT (name) DO UPDATE SET ends = greatest(ban.ends, excluded.ends), probe = NULL, lease_end = NULL;
END $$;
CREATE OR REPLACE FUNCTION ${prefix}leave(host text, its_probe text, is_unbanned boolean) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  IF is_unbanned THEN
    DELETE FROM ${prefix}bans WHERE name = host AND probe = its_probe;
  ELSE
    UPDATE ${prefix}bans SET probe = NULL, lease_end = NULL WHERE name = host AND probe = its_probe;
  END IF;
END $$;
CREATE OR REPLACE FUNCTION ${prefix}forget() RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  ${prelude}
BEGIN
  DELETE FROM ${prefix}bans WHERE ends < now - ${day};
END $$;
`
