-- A wall draws 24 hours of every check. The totals of a day, of which the last is read anyway, carry
-- what each of its hours was: runs, degraded, failing, answered packets and the sum of their round
-- trips. So a line of 24 points is two rows and not 25, and no sketch is read for it.
alter table hourly_rollups add column rtt_sum_ms double precision, add column hours bytea;
alter table daily_rollups add column rtt_sum_ms double precision, add column hours bytea;

-- What is drawn now is rolled up again, with these.
insert into rollup_repairs (check_id, hour)
  select distinct check_id, starts_at from hourly_rollups
  where starts_at > now() - interval '26 hours' on conflict do nothing;
