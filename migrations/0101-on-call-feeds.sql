-- Addresses of calendars of shifts: of one schedule, or of one member if it names none.
create table on_call_feeds (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  schedule_id uuid references on_call_schedules on delete cascade,
  -- Who created it; null for a key without a user.
  user_id uuid,
  author text not null,
  token_hash bytea not null unique,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index on_call_feeds_account on on_call_feeds (account_id, id);
