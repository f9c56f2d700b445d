-- Runs of unsaved or existing checks that a client started, apart from scheduled runs.
create table test_sessions (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  location text not null,
  invoker text not null,
  provider text not null,
  -- Commit, branch and environment, as the client sent them.
  details jsonb not null,
  is_recorded boolean not null,
  started_at timestamptz not null
);
create index test_sessions_by_time on test_sessions (account_id, started_at desc, id desc);

create table test_results (
  id uuid primary key,
  session_id uuid not null references test_sessions on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  place integer not null,
  -- No foreign key: a test of an unsaved check has none, and a result outlives its check.
  check_id uuid,
  check_type text not null,
  name text not null,
  file_path text,
  status text not null check (status in ('RUNNING', 'PASSED', 'FAILED', 'CANCELLED')),
  is_degraded boolean not null default false,
  -- Why there is no measurement; null if there is one.
  error text,
  response_ms double precision,
  started_at timestamptz,
  stopped_at timestamptz,
  -- The run as the API shows it.
  document jsonb
);
create index test_results_of_session on test_results (session_id, place);
