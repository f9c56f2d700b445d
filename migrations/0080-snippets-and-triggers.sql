-- Scripts that clients store for several checks.
create table snippets (
  id integer generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  script text not null,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index snippets_of_account on snippets (account_id, id);

-- Tokens of URLs that run a check, or the checks of a group.
create table run_triggers (
  id integer generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
  check_id uuid unique references checks on delete cascade,
  group_id integer unique references check_groups on delete cascade,
  token text not null,
  created_at timestamptz not null,
  called_at timestamptz,
  check (num_nonnulls(check_id, group_id) = 1)
);
