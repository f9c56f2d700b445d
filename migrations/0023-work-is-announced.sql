-- Loops sleep until something is due. This wakes them when that changes, whoever changes it.
create function announce_work() returns trigger language plpgsql as $$
begin
  perform pg_notify('work_changed', tg_table_name);
  return null;
end
$$;

create trigger retries_wait after insert on pending_retries
  for each statement execute function announce_work();
create trigger notable_runs_wait after insert on notable_runs
  for each statement execute function announce_work();
create trigger ticks_wait after insert or update of next_tick_at on alert_states
  for each statement execute function announce_work();
-- Also when one has ended: the next to the same receiver may have waited for it.
create trigger deliveries_wait after insert or update of next_attempt_at on deliveries
  for each statement execute function announce_work();
create trigger owed_incidents_wait after insert or update of next_attempt_at on owed_incidents
  for each statement execute function announce_work();
create trigger maintenance_waits
  after insert or update of next_announcement_at on maintenance_windows
  for each statement execute function announce_work();
create trigger images_wait after insert or update of next_attempt_at on page_images
  for each statement execute function announce_work();
create trigger announcements_wait after insert or update of is_addressed on announcements
  for each statement execute function announce_work();
create trigger subscriber_deliveries_wait
  after insert or update of next_attempt_at on subscriber_deliveries
  for each statement execute function announce_work();

-- Finds the next message that is due without reading all that wait.
create index subscriber_deliveries_next on subscriber_deliveries (next_attempt_at)
  where status = 'PENDING';
