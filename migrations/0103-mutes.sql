-- Mutes that end by themselves. Without check, group and tag, a mute applies to the whole account.
create table mutes (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  check_id uuid references checks on delete cascade,
  group_id integer references check_groups on delete cascade,
  tag text,
  -- Names the target, so that each target has at most one mute.
  target text not null,
  ends_at timestamptz not null,
  reason text not null,
  author text not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz,
  unique (account_id, target)
);
create index mutes_of_check on mutes (check_id) where check_id is not null;
create index mutes_of_group on mutes (group_id) where group_id is not null;
-- A decision reads the mutes of its checks by id, and these by account.
create index mutes_of_many on mutes (account_id) where check_id is null;
create index mutes_by_end on mutes (ends_at);
