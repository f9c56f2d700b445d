-- Earlier settings of schedules, so that a change of layers does not change who was on call.
create table on_call_schedule_versions (
  account_id uuid not null references accounts on delete cascade,
  schedule_id uuid not null references on_call_schedules on delete cascade,
  -- They counted until then.
  ended_at timestamptz not null,
  time_zone text not null,
  layers jsonb not null,
  primary key (schedule_id, ended_at)
);
create index on_call_schedule_versions_account on on_call_schedule_versions (account_id, ended_at);

-- Pages of members, for reports.
create index deliveries_pages on deliveries (account_id, decided_at)
  where page_id is not null and method_id is null and user_id is not null;
