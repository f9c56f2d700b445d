-- A known text under the key that seals secrets: a server whose key does not open it must not start.
create table sealing_key_check (
  is_only boolean primary key default true check (is_only),
  sealed text not null,
  written_at timestamptz not null default now()
);
