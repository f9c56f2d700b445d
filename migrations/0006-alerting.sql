-- When to tell somebody. Every step is a row first: a run worth deciding on, what was decided, and
-- each message until it has been delivered.

-- Final runs that may change what people should know; written with the result, gone once decided.
create table notable_runs (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  check_id uuid not null references checks on delete cascade,
  result_id uuid not null,
  location text not null,
  verdict text not null,
  due_at timestamptz not null,
  heard_at timestamptz,
  recorded_at timestamptz not null
);

create table alert_states (
  check_id uuid primary key references checks on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  state jsonb not null,
  next_tick_at timestamptz
);
create index alert_states_tick on alert_states (next_tick_at) where next_tick_at is not null;

-- What was decided: told, or held back and why.
create table alerts (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  check_id uuid not null,
  alert_number integer not null,
  kind text not null, -- NO_ALERT for what was held back
  held_kind text,
  reason text not null,
  parent_id uuid,
  result_id uuid,
  is_reminder boolean not null,
  at timestamptz not null,
  decided_at timestamptz not null
);
create index alerts_account on alerts (account_id, id desc);
create index alerts_check on alerts (check_id, id desc);
create index alerts_decided on alerts (decided_at);

-- One message to one channel. It is a row until it is delivered or given up.
create table deliveries (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  alert_id uuid not null,
  check_id uuid not null,
  alert_channel_id integer references alert_channels on delete set null,
  channel_type text not null,
  recipient text not null,
  message jsonb not null,
  status text not null check (status in ('PENDING', 'SENT', 'DEAD')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  claimed_until timestamptz,
  status_code integer,
  reason text,
  decided_at timestamptz not null,
  sent_at timestamptz
);
create index deliveries_due on deliveries (next_attempt_at) where status = 'PENDING';
create index deliveries_order on deliveries (check_id, alert_channel_id, id)
  where status = 'PENDING';
create index deliveries_account on deliveries (account_id, id desc);
create index deliveries_decided on deliveries (decided_at);

-- For checks that use the account's settings, and for all of its checks what only an account has.
create table account_alert_settings (
  account_id uuid primary key references accounts on delete cascade,
  settings jsonb not null,
  updated_at timestamptz not null
);

create table maintenance_windows (
  id integer generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  schedule jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index maintenance_windows_account on maintenance_windows (account_id, id);

-- While a parent fails, its children's alerts are held.
create table check_parents (
  check_id uuid not null references checks on delete cascade,
  parent_id uuid not null references checks on delete cascade,
  primary key (check_id, parent_id)
);
create index check_parents_parent on check_parents (parent_id);
