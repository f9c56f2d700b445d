-- Notes and deployments that people and pipelines add to the charts of checks.
create table annotations (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- null if the annotation is not about one check only.
  check_id uuid references checks on delete cascade,
  -- Applies to checks with one of these tags; without tags and check, to every check of the account.
  tags text[] not null,
  type text not null check (type in ('NOTE', 'DEPLOYMENT')),
  text text not null,
  url text,
  at timestamptz not null,
  author text not null,
  created_at timestamptz not null
);
create index annotations_by_time on annotations (account_id, at desc, id desc);
create index annotations_of_check on annotations (check_id) where check_id is not null;
