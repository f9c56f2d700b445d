-- Jobs tell that they have run by pinging an address with a secret in it. The secret is a setting
-- of the check; here it is a column, so that a ping finds its check by an index.
alter table checks add column ping_token uuid
  generated always as ((settings #>> '{heartbeat,pingToken}')::uuid) stored;
create unique index checks_ping_token on checks (ping_token) where ping_token is not null;

-- When each check that is pinged expects the next ping. A row comes with the first ping.
create table heartbeats (
  check_id uuid primary key references checks on delete cascade,
  due_at timestamptz, -- when to look at it next: the deadline; null while nothing is expected
  expected_at timestamptz, -- when a ping is expected; null: with the first one this begins
  last_ping_at timestamptz,
  last_event_at timestamptz, -- no two events of a check are at the same time
  changed_at timestamptz, -- when other times were set; pings are not overdue by them at once
  is_missed boolean not null, -- the newest expected ping did not come
  is_active boolean not null,
  schedule text not null, -- by which `expected_at` was found
  starts jsonb -- jobs that have begun and not ended; null: none
) with (fillfactor = 70);
create index heartbeats_due on heartbeats (due_at) where due_at is not null;

-- Whether pings could be taken: servers mark it every second. After a gap `resumed_at` is its end.
create table ping_service (
  is_only boolean primary key default true check (is_only),
  alive_at timestamptz not null,
  resumed_at timestamptz not null
);
insert into ping_service (alive_at, resumed_at) values (to_timestamp(0), to_timestamp(0));

-- A check whose settings change is looked at again. A row of its own says so, and not the row of
-- the heartbeat, which a ping may hold while it waits for the check.
create table heartbeat_reviews (
  id bigint generated always as identity primary key,
  check_id uuid not null,
  was_off boolean not null -- it was switched off, though it may be on again
);
create index heartbeat_reviews_check on heartbeat_reviews (check_id);

create function review_heartbeat() returns trigger language plpgsql as $$
begin
  insert into heartbeat_reviews (check_id, was_off)
  values (new.id, new.settings -> 'activated' = 'false');
  return null;
end
$$;
create trigger checks_review_heartbeat after update of settings, group_id on checks
  for each row when (new.ping_token is not null)
  execute function review_heartbeat();

create function review_heartbeats_of_group() returns trigger language plpgsql as $$
begin
  insert into heartbeat_reviews (check_id, was_off)
  select id, new.settings -> 'activated' = 'false' from checks
  where group_id = new.id and ping_token is not null;
  return null;
end
$$;
create trigger check_groups_review_heartbeats after update of settings on check_groups
  for each row execute function review_heartbeats_of_group();
