-- Who left an account and when. A schedule gives the turns of such a person to the next one.
create table former_members (
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null,
  name text not null,
  left_at timestamptz not null,
  primary key (account_id, user_id)
);

create or replace view account_members as
  select members.account_id, members.user_id, users.email, users.name
  from members join users on users.id = members.user_id;

create view departed_members as
  select account_id, user_id, name, left_at from former_members;

create table on_call_schedules (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  time_zone text not null,
  -- Read and written as a whole: participants, rotation, times and restrictions of each layer.
  layers jsonb not null,
  warns_about_gaps boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz,
  unique (account_id, name)
);

create table on_call_overrides (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  schedule_id uuid not null references on_call_schedules on delete cascade,
  -- Null if nobody is on call.
  user_id uuid,
  starts_at timestamptz not null,
  ends_at timestamptz not null,
  reason text,
  author text not null,
  author_id uuid,
  -- Both overrides of a swap have the same.
  swap_id uuid,
  created_at timestamptz not null
);
create index on_call_overrides_schedule on on_call_overrides (schedule_id, ends_at);
create index on_call_overrides_account on on_call_overrides (account_id, ends_at);

-- Swaps that the other person has not accepted yet.
create table on_call_swaps (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  schedule_id uuid not null references on_call_schedules on delete cascade,
  requester_id uuid not null,
  other_id uuid not null,
  gives_from timestamptz not null,
  gives_to timestamptz not null,
  takes_from timestamptz not null,
  takes_to timestamptz not null,
  reason text,
  created_at timestamptz not null
);
create index on_call_swaps_schedule on on_call_swaps (schedule_id, id);
