-- Where alerts go, and which checks and groups send them there. Secrets in a configuration are
-- sealed before they come here.
create table alert_channels (
  id integer generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
  type text not null,
  config jsonb not null,
  send_recovery boolean not null,
  send_failure boolean not null,
  send_degraded boolean not null,
  auto_subscribe boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index alert_channels_account on alert_channels (account_id, id);

create table alert_channel_subscriptions (
  id integer generated always as identity primary key,
  alert_channel_id integer not null references alert_channels on delete cascade,
  check_id uuid references checks on delete cascade,
  group_id integer references check_groups on delete cascade,
  activated boolean not null,
  check (num_nonnulls(check_id, group_id) = 1)
);
create unique index alert_channel_subscriptions_check
  on alert_channel_subscriptions (alert_channel_id, check_id) where check_id is not null;
create unique index alert_channel_subscriptions_group
  on alert_channel_subscriptions (alert_channel_id, group_id) where group_id is not null;
create index alert_channel_subscriptions_of_check on alert_channel_subscriptions (check_id);
create index alert_channel_subscriptions_of_group on alert_channel_subscriptions (group_id);
