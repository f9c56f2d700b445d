-- When a private location was last seen with a probe that is trusted, and since when its silence has
-- been told. A probe that stops in order leaves no row behind, so that the location must remember.
alter table private_locations
  add column served_at timestamptz,
  add column silence_told_at timestamptz;

-- Runs that were due at a private location and had no result yet, minute by minute. A minute without
-- any has no row.
create table private_location_queues (
  private_location_id uuid not null references private_locations on delete cascade,
  at timestamptz not null,
  queue_size integer not null,
  oldest_seconds integer not null,
  primary key (private_location_id, at)
);

-- Whether a probe sees what the others of its place see: of so many checks, so many differently.
alter table probes
  add column compared_count integer,
  add column disagreeing_count integer,
  add column compared_at timestamptz;
