-- Files of runs: screenshots, traces, videos. A row is inserted before its file is written and
-- completed afterwards, so that every file has a row.
create table run_assets (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- Null for a run of settings that are not saved as a check.
  check_id uuid references checks on delete cascade,
  run_id uuid not null,
  type text not null,
  name text not null,
  content_type text not null,
  byte_count integer not null,
  path text not null,
  -- The server whose disk has the file; null for the shared object storage.
  server_id uuid,
  is_complete boolean not null default false,
  created_at timestamptz not null
);
create index run_assets_run on run_assets (run_id);
create index run_assets_check on run_assets (check_id);
create index run_assets_age on run_assets (account_id, created_at, id) include (byte_count);
create index run_assets_created on run_assets (created_at);

-- Files whose row was deleted, by whatever statement, until they are deleted too.
create table asset_removals (
  path text not null,
  server_id uuid,
  removed_at timestamptz not null default now()
);
create index asset_removals_server on asset_removals (server_id, path);

create function note_asset_removal() returns trigger language plpgsql as $$
begin
  insert into asset_removals (path, server_id) select path, server_id from deleted_assets;
  return null;
end $$;
create trigger run_assets_removed after delete on run_assets
  referencing old table as deleted_assets
  for each statement execute function note_asset_removal();
