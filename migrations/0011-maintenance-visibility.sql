-- What a maintenance window tells the public, and when it tells subscribers next.
alter table maintenance_windows
  add column description text,
  add column visibility jsonb not null default '{}',
  add column next_announcement_at timestamptz;
create index maintenance_windows_due on maintenance_windows (next_announcement_at)
  where next_announcement_at is not null;

-- What was told of one occurrence of a window. It is a row before anybody hears of it, so that
-- nothing is told twice, whatever dies.
create table maintenance_announcements (
  window_id integer not null references maintenance_windows on delete cascade,
  occurrence_start timestamptz not null,
  kind text not null,
  announced_at timestamptz not null,
  primary key (window_id, occurrence_start, kind)
);
create index maintenance_announcements_time on maintenance_announcements (announced_at);

create trigger maintenance_windows_changed
  after insert or update of name, description, schedule, visibility or delete
  on maintenance_windows for each row execute function announce_page_change();

-- What an alert asked of its check's incident and could not have yet: because of a maintenance
-- window, or because it failed. It is tried again as long as the alert still asks for it.
create table owed_incidents (
  check_id uuid primary key references checks on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  alert_number integer not null,
  action text not null check (action in ('OPEN', 'RESOLVE')),
  -- The texts as they were when the alert was told.
  name text not null,
  description text not null,
  -- How often it failed; to wait for the end of a window is no failure.
  attempts integer not null,
  next_attempt_at timestamptz not null
);
create index owed_incidents_due on owed_incidents (next_attempt_at);
