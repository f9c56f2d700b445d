-- Backups that a server made by itself or was asked for; those of `vedette backup` are not here. A row
-- without an end is the claim of the one server that makes a backup now.
create table backups (
  id uuid primary key,
  server_id text not null,
  reason text not null check (reason in ('SCHEDULE', 'REQUEST')),
  file text not null, -- its name in the folder of that server
  started_at timestamptz not null,
  alive_at timestamptz not null, -- of the server that makes it
  written_at timestamptz, -- when the file was whole
  finished_at timestamptz,
  size_bytes bigint,
  row_count bigint,
  has_key boolean,
  problem text, -- why there is no file
  verified_at timestamptz, -- when it was restored into a scratch database and was the same there
  verify_problem text, -- why it was not
  removed_at timestamptz -- when the file made room for newer ones
);
create unique index backups_one_at_a_time on backups ((true)) where finished_at is null;
create index backups_started on backups (started_at desc);
