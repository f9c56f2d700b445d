-- What happened. A result's id begins with the time its run was due, so ids sort by time: results are
-- partitioned by id, a day each, and one index per partition serves every question.

create table results (
  check_id uuid not null,
  id uuid not null,
  location text not null,
  probe_id text not null,
  attempt smallint not null,
  is_final boolean not null,
  verdict smallint not null, -- 0 unknown, 1 passing, 2 degraded, 3 failing
  started_at timestamptz not null,
  stopped_at timestamptz not null,
  hostname text not null,
  ip_family text not null,
  ping_count smallint not null,
  resolved_ip text,
  dns_ms real,
  packet_size smallint,
  packets_sent smallint,
  packets_received smallint,
  loss_percent real,
  min_ms real,
  avg_ms real,
  max_ms real,
  std_dev_ms real,
  jitter_ms real,
  loss_burst smallint,
  duplicates smallint,
  reordered smallint,
  late_replies smallint,
  trouble jsonb, -- why nothing was measured
  reasons jsonb, -- why the verdict is what it is, when it is not passing
  packets bytea, -- sixteen bytes each, see packet-codec.ts
  primary key (check_id, id)
) partition by range (id);

create table check_states (
  check_id uuid primary key references checks on delete cascade,
  status text not null,
  since timestamptz not null,
  last_due_at timestamptz not null,
  last_result_id uuid not null,
  last_location text not null,
  last_response_ms real,
  shortest_run_ms real,
  longest_run_ms real,
  consecutive_failures integer not null,
  locations jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 70);
create index check_states_shard on check_states ((get_byte(uuid_send(check_id), 15) & 63));

-- One row per change of a check's status, written with the results that caused it. Alerting reads
-- them in order.
create table state_changes (
  id bigint generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
  check_id uuid not null,
  from_status text not null,
  to_status text not null,
  at timestamptz not null,
  result_id uuid not null
);
create index state_changes_check on state_changes (check_id, id desc);
create index state_changes_at on state_changes (at);

-- Attempts that are still to be made. A row goes when the attempt's result is recorded.
create table pending_retries (
  run_id uuid primary key,
  check_id uuid not null references checks on delete cascade,
  start_at timestamptz not null,
  retry_order jsonb not null
);
create index pending_retries_start on pending_retries (start_at);

-- Which server schedules which sixty-fourth of the checks, and until when.
create table schedule_leases (
  shard smallint primary key,
  holder text not null,
  expires_at timestamptz not null
);

-- Runs asked for by hand.
create table check_sessions (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  check_id uuid not null references checks on delete cascade,
  locations text[] not null,
  started_at timestamptz not null
);
create index check_sessions_started on check_sessions (started_at);

-- Closed hours and days, per check and location. Sketches are of milliseconds or percent.
create table hourly_rollups (
  check_id uuid not null,
  starts_at timestamptz not null,
  location text not null,
  runs integer[] not null, -- by verdict: unknown, passing, degraded, failing
  retries integer not null,
  packets_sent integer not null,
  packets_received integer not null,
  rtt bytea not null,
  avg bytea not null,
  min bytea not null,
  max bytea not null,
  std_dev bytea not null,
  loss bytea not null,
  primary key (check_id, starts_at, location)
);
create table daily_rollups (like hourly_rollups including all);
create index hourly_rollups_start on hourly_rollups (starts_at);
create index daily_rollups_start on daily_rollups (starts_at);

-- Which hours and days have been rolled up, and which must be again because a result came late.
create table rollup_progress (
  unit text not null,
  starts_at timestamptz not null,
  primary key (unit, starts_at)
);
create table rollup_repairs (
  check_id uuid not null,
  hour timestamptz not null,
  primary key (check_id, hour)
);
