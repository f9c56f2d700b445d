-- A storm of alerts is one message to each channel. Deliveries stay one row per alert and channel,
-- so that every alert keeps its own receipt.
alter table alert_channels add column digest boolean not null default true;

-- The minute in which messages to a channel are counted.
create table channel_windows (
  alert_channel_id integer primary key references alert_channels on delete cascade,
  ends_at timestamptz not null,
  message_count integer not null
);

-- Part of a storm: sent together with the others that are due at the same time.
alter table deliveries add column is_collected boolean not null default false;
-- The same for all deliveries that are sent as one message. It is written before the first attempt,
-- so that every further attempt sends the same message under the same key.
alter table deliveries add column digest_id uuid;
create index deliveries_collected on deliveries (next_attempt_at)
  where status = 'PENDING' and is_collected and digest_id is null;
create index deliveries_digest on deliveries (digest_id, id)
  where status = 'PENDING' and digest_id is not null;
