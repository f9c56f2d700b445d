-- What went wrong, as the public is told, update by update.
create table incidents (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  severity text not null check (severity in ('CRITICAL', 'MAJOR', 'MEDIUM', 'MINOR')),
  -- The status of the newest update by its public date, kept here so that lists can be filtered.
  status text not null
    check (status in ('INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED')),
  -- From the first update to the last that resolved it; null while it goes on.
  started_at timestamptz not null,
  resolved_at timestamptz,
  -- When somebody first answered it; null while nobody did.
  acknowledged_at timestamptz,
  -- When it was open, as pairs of milliseconds: more than one pair once it was opened again.
  open_spans jsonb not null,
  -- For an incident that a check's alert opened: that check, until a person takes it over.
  check_id uuid,
  alert_number integer,
  is_automatic boolean not null,
  taken_over_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index incidents_account on incidents (account_id, id desc);
create index incidents_time on incidents (account_id, started_at desc);
-- Finds what goes on, which has no such date, and what reaches into a stretch of time.
create index incidents_resolved on incidents (account_id, resolved_at);
-- A check's alert opens one incident, however often it is told of.
create unique index incidents_alert on incidents (check_id, alert_number) where is_automatic;
-- A check has one open incident of its own; one that a person took over is no longer its own.
create unique index incidents_own on incidents (check_id)
  where is_automatic and resolved_at is null and taken_over_at is null;

create table incident_services (
  incident_id uuid not null references incidents on delete cascade,
  service_id uuid not null references services on delete cascade,
  position integer not null,
  primary key (incident_id, service_id)
);
create index incident_services_service on incident_services (service_id);

create table incident_updates (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  incident_id uuid not null references incidents on delete cascade,
  status text not null
    check (status in ('INVESTIGATING', 'IDENTIFIED', 'MONITORING', 'RESOLVED')),
  description text not null,
  public_at timestamptz not null,
  notify_subscribers boolean not null,
  -- Null for what the automation wrote.
  author text,
  -- In the order of writing, which decides between updates of the same moment.
  number bigint generated always as identity,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index incident_updates_incident
  on incident_updates (incident_id, public_at desc, number desc);

create trigger incidents_changed after insert or update or delete on incidents
  for each row execute function announce_page_change();
create trigger incident_updates_changed after insert or update or delete on incident_updates
  for each row execute function announce_page_change();

-- Words for incidents and updates that come again.
create table incident_templates (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  template jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  unique (account_id, name)
);
