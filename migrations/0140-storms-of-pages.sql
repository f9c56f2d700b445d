-- Pages of many alerts to one member are sent as one message that is updated as the storm grows.
create table page_storms (
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null references users on delete cascade,
  -- HIGH or LOW urgency, or RECOVERY.
  kind text not null,
  id uuid not null,
  started_at timestamptz not null,
  -- When the latest messages of the storm are due.
  slot_at timestamptz not null,
  primary key (account_id, user_id, kind)
);
create index page_storms_user on page_storms (user_id);

alter table deliveries add column storm_id uuid;
create index deliveries_storm on deliveries (storm_id, user_id, method_id, id)
  where storm_id is not null;

-- A message that a person sent again does not delay newer messages of its check.
alter table deliveries add column is_replay boolean not null default false;
