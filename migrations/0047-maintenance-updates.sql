-- What people said of one occurrence of a maintenance window, and what that changed. The changed
-- times and states themselves are in the window's schedule, where everything that asks whether a
-- window is open finds them.
create table maintenance_updates (
  id uuid primary key,
  window_id integer not null references maintenance_windows on delete cascade,
  occurrence_index integer not null,
  status text not null,
  description text not null,
  notify_subscribers boolean not null,
  previous_status text,
  previous_starts_at timestamptz,
  previous_ends_at timestamptz,
  adjusted_starts_at timestamptz,
  adjusted_ends_at timestamptz,
  created_at timestamptz not null
);
create index maintenance_updates_occurrence on maintenance_updates (window_id, occurrence_index);
