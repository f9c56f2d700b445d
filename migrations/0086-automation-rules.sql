-- Rules of status pages: while a check with one of the tags fails, an incident is open.
create table status_page_rules (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  status_page_id uuid not null references status_pages on delete cascade,
  name text not null,
  is_enabled boolean not null,
  first_update text not null,
  last_update text not null,
  notify_subscribers boolean not null,
  -- Minutes after an incident before the rule may open the next one.
  cool_down_minutes integer not null,
  tags text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  -- The checks whose failure the rule has acted on and that have not recovered.
  failing_check_ids uuid[] not null default '{}',
  -- The open incident of the rule.
  incident_id uuid references incidents on delete set null,
  -- When the checks of its last incident recovered.
  incident_ended_at timestamptz
);
create index status_page_rules_page on status_page_rules (status_page_id, id);
create index status_page_rules_account on status_page_rules (account_id);
create index status_page_rules_failing on status_page_rules (account_id)
  where failing_check_ids <> '{}';
create index status_page_rules_incident on status_page_rules (incident_id)
  where incident_id is not null;

-- What a rule does to a component: a group (card) or a service on a card.
create table status_page_rule_components (
  id uuid primary key,
  rule_id uuid not null references status_page_rules on delete cascade,
  card_id uuid references status_page_cards on delete cascade,
  card_service_id uuid references status_page_card_services (id) on delete cascade,
  impact text not null check (impact in
    ('UNDER_MAINTENANCE', 'DEGRADED_PERFORMANCE', 'PARTIAL_OUTAGE', 'MAJOR_OUTAGE')),
  position integer not null,
  check ((card_id is null) <> (card_service_id is null))
);
create index status_page_rule_components_rule on status_page_rule_components (rule_id, position);
create index status_page_rule_components_card on status_page_rule_components (card_id);
create index status_page_rule_components_service on status_page_rule_components (card_service_id);

-- The severity of an incident for one of its services, where it is not that of the incident.
alter table incident_services add column severity text
  check (severity in ('CRITICAL', 'MAJOR', 'MEDIUM', 'MINOR'));

create index check_troubles_failing on check_troubles (account_id)
  where ended_at is null and status = 'failing';

-- Accounts whose rules must be evaluated, because an alert was sent or a rule changed. Only inserted
-- by decisions on alerts, so that no alert waits for a row that somebody edits.
create table rule_evaluations (
  id bigint generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
  due_at timestamptz not null
);
create index rule_evaluations_due on rule_evaluations (due_at);
create trigger rule_evaluations_wait after insert on rule_evaluations
  for each statement execute function announce_work();
