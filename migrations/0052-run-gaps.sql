-- Runs that were due between two recorded ones of a check, at one place or, where places take turns,
-- at any (''). Missed are those that have no result: a probe may send late what it had kept.
create table run_gaps (
  check_id uuid not null references checks on delete cascade,
  location text not null,
  after_at timestamptz not null,
  before_at timestamptz not null,
  due_count integer not null,
  primary key (check_id, before_at, location)
);
create index run_gaps_before on run_gaps (before_at);
