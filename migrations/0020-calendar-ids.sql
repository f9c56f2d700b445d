-- What calendars know a maintenance window by: an id that no other installation gives away, which
-- stays when the window is moved, and a number that rises with every change.
alter table maintenance_windows
  add column calendar_id uuid not null default gen_random_uuid(),
  add column sequence integer not null default 0;
