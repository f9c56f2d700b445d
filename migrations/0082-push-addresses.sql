-- Addresses that jobs pinged at another monitor, as aliases of heartbeat checks. Only a hash of the
-- secret is stored.
create table push_addresses (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  check_id uuid not null references checks on delete cascade,
  form text not null,
  digest bytea not null,
  -- The beginning of the address, to recognise it.
  hint text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create unique index push_addresses_digest on push_addresses (form, digest);
create index push_addresses_check on push_addresses (check_id);
create index push_addresses_account on push_addresses (account_id);
