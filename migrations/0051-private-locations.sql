-- Places of an account's own. Checks name them by slug; orders go by id, as slugs are unique within
-- an account only.
create table private_locations (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  slug_name text not null,
  icon text,
  created_at timestamptz not null,
  updated_at timestamptz,
  unique (account_id, slug_name)
);

-- What a probe shows to be let in: to one private location, or to one public region. Only the hash
-- is kept.
create table probe_keys (
  id uuid primary key,
  private_location_id uuid references private_locations on delete cascade,
  region text,
  key_hash bytea not null unique,
  last_four text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  check ((private_location_id is null) <> (region is null))
);
create index probe_keys_location on probe_keys (private_location_id)
  where private_location_id is not null;

-- The route says which orders a probe takes: those of the built-in probes, of a public region, or of
-- the private location with this id.
alter table probes
  add column route text not null default 'built-in',
  add column key_id uuid,
  add column clock_skew_ms double precision,
  add column transport text check (transport in ('built-in', 'websocket', 'nats')),
  add column server_id text,
  add column spool_depth integer,
  add column quarantined_at timestamptz,
  add column quarantine_reason text;
create index probes_route on probes (route);

-- A key that is gone must be out within a second, on every server. Its use is no news.
create function announce_probe_key() returns trigger language plpgsql as $$
begin
  perform pg_notify('probe_keys_changed', coalesce(new.id, old.id)::text);
  return null;
end
$$;
create trigger probe_keys_changed
  after insert or delete or update of private_location_id, region, key_hash on probe_keys
  for each row execute function announce_probe_key();

-- Who takes the orders of a place: servers keep it in memory. A hello that changes nothing is no
-- news.
create function announce_places() returns trigger language plpgsql as $$
begin
  perform pg_notify('places_changed', '');
  return null;
end
$$;
create trigger private_locations_changed
  after insert or delete or update of slug_name on private_locations
  for each statement execute function announce_places();
-- By row: a hello is an insert that becomes an update, and would count as a statement.
create trigger probes_came_or_went after insert or delete on probes
  for each row execute function announce_places();
create trigger probes_moved after update on probes for each row
  when (old.route is distinct from new.route or old.location is distinct from new.location
    or old.quarantined_at is distinct from new.quarantined_at)
  execute function announce_places();
