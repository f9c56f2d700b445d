-- Paths that belong to the first failing run of a problem, and the last path of each check and
-- location while it passed. The path is null until a trace was completed.
create table run_paths (
  check_id uuid not null references checks on delete cascade,
  result_id uuid not null,
  at timestamptz not null,
  report jsonb not null,
  primary key (check_id, result_id)
);
create index run_paths_at on run_paths (at);

create table good_paths (
  check_id uuid not null references checks on delete cascade,
  location text not null,
  tried_at timestamptz not null,
  learned_at timestamptz,
  path jsonb,
  primary key (check_id, location)
);
