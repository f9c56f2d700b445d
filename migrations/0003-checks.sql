-- What is watched. `settings` is what the API shows; `private_settings` is accepted, kept and never
-- shown. `status` is the news from the runs, kept here so that a list can be filtered by it.

create table check_groups (
  id integer generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  settings jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index check_groups_account on check_groups (account_id, id);

create table checks (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  kind text not null,
  name text not null,
  tags text[] not null,
  group_id integer references check_groups,
  settings jsonb not null,
  private_settings jsonb not null,
  status text not null default 'unknown',
  created_at timestamptz not null,
  updated_at timestamptz
);
create index checks_account on checks (account_id, id);
create index checks_group on checks (group_id) where group_id is not null;
create index checks_shard on checks ((get_byte(uuid_send(id), 15) & 63));

-- Schedulers keep the checks in memory; this tells them what to read again.
create function announce_check_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('checks_changed', coalesce(new.id, old.id)::text);
  return null;
end
$$;
create trigger checks_changed after insert or update of settings, group_id or delete on checks
  for each row execute function announce_check_change();

create function announce_group_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('checks_changed', id::text) from checks where group_id = new.id;
  return null;
end
$$;
create trigger check_groups_changed after update of settings on check_groups
  for each row execute function announce_group_change();
