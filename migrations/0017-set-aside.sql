-- What a loop could not work on: kept with the reason, so that it stops nobody else's work.
create table set_aside (
  work text not null,
  key text not null,
  reason text not null,
  attempts integer not null,
  retry_at timestamptz not null,
  first_at timestamptz not null,
  primary key (work, key)
);
