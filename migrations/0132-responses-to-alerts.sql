-- What people did about an open alert besides acknowledging it, for its history.
create table alert_responses (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  check_id uuid not null,
  alert_number integer not null,
  action text not null check (action in ('SNOOZED', 'REASSIGNED', 'ESCALATED')),
  at timestamptz not null,
  actor_name text not null,
  -- The end of a snooze.
  ends_at timestamptz,
  -- Who is paged instead, or which step follows.
  target text
);
create index alert_responses_alert on alert_responses (check_id, alert_number, id);
create index alert_responses_account on alert_responses (account_id);
create index alert_responses_at on alert_responses (at);
