-- Sources of alerts of other monitors, such as an Alertmanager. The token itself is not stored.
create table alert_sources (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  group_id integer references check_groups on delete set null,
  token_hash bytea not null unique,
  created_at timestamptz not null,
  updated_at timestamptz,
  last_used_at timestamptz
);
create index alert_sources_account on alert_sources (account_id, id);
create index alert_sources_group on alert_sources (group_id);

-- The alert groups of a source, by the hash of their key, and the check that follows each.
create table alert_source_groups (
  source_id uuid not null references alert_sources on delete cascade,
  key_hash bytea not null,
  check_id uuid not null unique references checks on delete cascade,
  -- Hash of the newest notification, so that a repeated one is recognized.
  digest bytea not null,
  is_firing boolean not null,
  received_at timestamptz not null,
  primary key (source_id, key_hash)
);

-- Alert groups have no schedule, like heartbeats.
create or replace view checks_with_period as
  select id, account_id, kind, name, status,
    case when kind in ('HEARTBEAT', 'ALERT_GROUP') then null else own_period_seconds end
      as period_seconds
  from checks;
