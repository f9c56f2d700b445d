-- The whole story of an alert: when the trouble began, why something was decided, who acknowledged
-- it, which the check's state forgets on recovery, and what became of every attempt to send.
-- Rows from before have no explanation.
alter table alerts add column started_at timestamptz;
alter table alerts add column explanation text;
-- All alerts from a failure to its recovery have the same number.
create index alerts_number on alerts (check_id, alert_number, id);

create table alert_acknowledgements (
  check_id uuid not null,
  alert_number integer not null,
  account_id uuid not null references accounts on delete cascade,
  at timestamptz not null,
  actor_name text not null,
  primary key (check_id, alert_number)
);
create index alert_acknowledgements_account on alert_acknowledgements (account_id);
insert into alert_acknowledgements (check_id, alert_number, account_id, at, actor_name)
  select target_id::uuid, (changes ->> 'alertNumber')::int, account_id, at, actor_name
  from audit_entries where action = 'alert.acknowledged'
    and target_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    and changes ->> 'alertNumber' ~ '^\d{1,9}$'
  order by at
  on conflict do nothing;

-- Oldest first: each attempt, and each time somebody had it sent again.
alter table deliveries add column history jsonb not null default '[]';
