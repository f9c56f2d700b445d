-- Who asked to be told. A page's subscriber is told nothing until the address has been confirmed.
create table subscribers (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  status_page_id uuid not null references status_pages on delete cascade,
  type text not null check (type in ('EMAIL', 'WEBHOOK', 'SLACK')),
  -- An email address as it was typed; a sealed URL for the others.
  address text not null,
  -- A hash of the address as it is compared, so that nobody is there twice.
  address_hash bytea not null,
  -- Messages that share a provider: all mail, or one host of webhooks.
  lane text not null,
  -- Null: every service of the page.
  service_ids uuid[],
  status text not null check (status in ('PENDING', 'VERIFIED', 'QUARANTINED')),
  -- Signs what is sent to a webhook; sealed.
  secret text,
  -- Messages in a row that the address itself refused for good.
  bounces integer not null default 0,
  asked_at timestamptz not null,
  verified_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz,
  unique (status_page_id, type, address_hash)
);
create index subscribers_page on subscribers (status_page_id, id);
create index subscribers_account on subscribers (account_id, id);
create index subscribers_pending on subscribers (asked_at) where status = 'PENDING';

-- Something to tell the subscribers of some services. `source_id` is what it is about, for example
-- an incident's update: the same thing is never told twice.
create table announcements (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  source_id text not null unique,
  message jsonb not null,
  -- How far the list of subscribers has been turned into messages; null: not begun.
  reached_subscriber_id uuid,
  is_addressed boolean not null default false,
  -- Whoever confirmed a subscription later is not told.
  created_at timestamptz not null
);
create index announcements_open on announcements (account_id, id) where not is_addressed;
create index announcements_created on announcements (created_at);

-- One message to one subscriber. It is a row until it is delivered or given up.
create table subscriber_deliveries (
  id uuid primary key,
  -- What a subscriber is told comes in this order.
  number bigint generated always as identity,
  account_id uuid not null references accounts on delete cascade,
  status_page_id uuid not null references status_pages on delete cascade,
  subscriber_id uuid not null references subscribers on delete cascade,
  -- Null for what is about the subscription itself, which `purpose` then names.
  announcement_id uuid references announcements on delete cascade,
  purpose text not null check (purpose in ('announce', 'confirm', 'remind')),
  lane text not null,
  status text not null check (status in ('PENDING', 'SENT', 'DEAD')),
  attempts integer not null default 0,
  next_attempt_at timestamptz not null,
  claimed_until timestamptz,
  status_code integer,
  reason text,
  decided_at timestamptz not null,
  sent_at timestamptz,
  unique (announcement_id, subscriber_id),
  check ((purpose = 'announce') = (announcement_id is not null))
);
create index subscriber_deliveries_due on subscriber_deliveries (lane, next_attempt_at)
  where status = 'PENDING';
create index subscriber_deliveries_order on subscriber_deliveries (subscriber_id, number)
  where status = 'PENDING';
create index subscriber_deliveries_subscriber on subscriber_deliveries (subscriber_id);
create index subscriber_deliveries_page on subscriber_deliveries (status_page_id, id desc);
create index subscriber_deliveries_decided on subscriber_deliveries (decided_at);
