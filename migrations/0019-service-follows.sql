-- What a check has been through, by its own alert rules: one row for each stretch of time in which it
-- was in trouble, whether or not anybody was told. A status page shows this, not single runs.
create table check_troubles (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  check_id uuid not null references checks on delete cascade,
  status text not null check (status in ('degraded', 'failing', 'unknown')),
  started_at timestamptz not null,
  -- Null while it goes on.
  ended_at timestamptz
);
create unique index check_troubles_open on check_troubles (check_id) where ended_at is null;
create index check_troubles_check on check_troubles (check_id, started_at);
create index check_troubles_ended on check_troubles (ended_at) where ended_at is not null;

-- What had been told and not taken back when this was introduced.
insert into check_troubles (id, account_id, check_id, status, started_at)
select gen_random_uuid(), account_id, check_id,
  case
    when state ->> 'alertedKind' in ('ALERT_FAILURE', 'ALERT_DEGRADED_FAILURE') then 'failing'
    when state ->> 'alertedKind' = 'ALERT_NO_DATA' then 'unknown'
    else 'degraded'
  end,
  to_timestamp(coalesce((state ->> 'openedAtMs')::float8, (state ->> 'sinceMs')::float8) / 1000)
from alert_states where state ->> 'alertedKind' is not null;

-- The checks whose troubles are those of a service: named one by one, or by a tag. What happened
-- before `since` is not the service's.
create table service_follows (
  service_id uuid not null references services on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  check_id uuid references checks on delete cascade,
  tag text,
  since timestamptz not null,
  check ((check_id is null) <> (tag is null))
);
create unique index service_follows_check on service_follows (service_id, check_id)
  where check_id is not null;
create unique index service_follows_tag on service_follows (service_id, tag) where tag is not null;
create index service_follows_followed on service_follows (check_id) where check_id is not null;

-- Pages are rendered again when any of this changes. One message an account and statement.
create function announce_page_changes() returns trigger language plpgsql as $$
begin
  perform pg_notify('pages_changed', account_id::text)
    from (select distinct account_id from news) as accounts_with_news;
  return null;
end
$$;
create trigger check_troubles_begun after insert on check_troubles
  referencing new table as news for each statement execute function announce_page_changes();
create trigger check_troubles_changed after update on check_troubles
  referencing new table as news for each statement execute function announce_page_changes();
create trigger service_follows_changed after insert or delete on service_follows
  for each row execute function announce_page_change();

-- A check that is paused, tagged, made or deleted counts, or no longer counts, for those who follow it.
create trigger checks_followed after insert or delete on checks
  for each row execute function announce_page_change();
create trigger checks_counted after update of settings, tags, group_id on checks
  for each row when (
    old.settings -> 'activated' is distinct from new.settings -> 'activated'
    or old.tags is distinct from new.tags or old.group_id is distinct from new.group_id
  ) execute function announce_page_change();
create trigger check_groups_counted after update of settings on check_groups
  for each row execute function announce_page_change();
