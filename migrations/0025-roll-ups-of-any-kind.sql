-- Roll-ups know no kind of check: what a kind counts is one array in the order of its definition, and
-- so are the sketches of what it measures of each run. Running totals, which were rows of a location
-- without a name, get tables of their own.
alter table hourly_rollups rename to old_hourly_rollups;
alter table daily_rollups rename to old_daily_rollups;

create table hourly_rollups (
  check_id uuid not null,
  starts_at timestamptz not null,
  location text not null,
  runs integer[] not null, -- by verdict: unknown, passing, degraded, failing
  retries integer not null,
  counters integer[] not null, -- as the kind defines them
  sample_count integer not null,
  sample_sum_ms double precision, -- null in rows from before it was kept
  samples bytea not null, -- a sketch of all samples, in milliseconds
  parts bytea[] not null -- a sketch of each part, as the kind defines them
);
create table daily_rollups (like hourly_rollups including all);

-- What all locations add up to, from the beginning of the day to the end of an hour; and from the
-- beginning of a block of 32 days to the end of a day. Any stretch is the difference of two of them.
create table hourly_running_totals (
  check_id uuid not null,
  starts_at timestamptz not null, -- the last hour in it
  runs integer[] not null,
  counters integer[] not null,
  samples bytea not null,
  parts bytea[] not null, -- of those parts that summaries show
  hours bytea -- each hour of the day so far, for a line of points; null in older rows
);
create table daily_running_totals (
  check_id uuid not null,
  starts_at timestamptz not null, -- the last day in it
  runs integer[] not null,
  counters integer[] not null,
  samples bytea not null,
  parts bytea[] not null
);

-- All roll-ups are of ICMP checks: packets sent and received; loss, shortest, longest and average
-- round trip and their standard deviation.
insert into hourly_rollups
  select check_id, starts_at, location, runs, retries, array[packets_sent, packets_received],
    packets_received, rtt_sum_ms, rtt, array[loss, min, max, avg, std_dev]
  from old_hourly_rollups where location <> '';
insert into hourly_running_totals
  select check_id, starts_at, runs, array[packets_sent, packets_received], rtt, array[loss], hours
  from old_hourly_rollups where location = '';
drop table old_hourly_rollups;

insert into daily_rollups
  select check_id, starts_at, location, runs, retries, array[packets_sent, packets_received],
    packets_received, rtt_sum_ms, rtt, array[loss, min, max, avg, std_dev]
  from old_daily_rollups where location <> '';
insert into daily_running_totals
  select check_id, starts_at, runs, array[packets_sent, packets_received], rtt, array[loss]
  from old_daily_rollups where location = '';
drop table old_daily_rollups;

-- After the rows, as building an index once is cheaper than adding to it row by row.
alter table hourly_rollups add primary key (check_id, starts_at, location);
alter table daily_rollups add primary key (check_id, starts_at, location);
alter table hourly_running_totals add primary key (check_id, starts_at);
alter table daily_running_totals add primary key (check_id, starts_at);
create index hourly_rollups_start on hourly_rollups (starts_at);
create index daily_rollups_start on daily_rollups (starts_at);
create index hourly_running_totals_start on hourly_running_totals (starts_at);
create index daily_running_totals_start on daily_running_totals (starts_at);

-- Runs write which hours got results late; statistics roll those up again.
alter table rollup_repairs rename to late_hours;
