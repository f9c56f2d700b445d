-- What an account shows the world. A page has cards, a card shows services; incidents name services,
-- and so appear on every page that shows one of them.
create table services (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index services_account on services (account_id, id);
-- Which checks open incidents for a service, asked before the service is deleted.
create index checks_trigger_service
  on checks (account_id, (settings -> 'triggerIncident' ->> 'serviceId'))
  where settings -> 'triggerIncident' ->> 'serviceId' is not null;

-- `url` is in lower case: two pages whose names differ in nothing else are the same to a browser.
create table status_pages (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  url text not null constraint status_pages_url unique,
  is_private boolean not null,
  settings jsonb not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index status_pages_account on status_pages (account_id, id);

create table status_page_cards (
  id uuid primary key,
  status_page_id uuid not null references status_pages on delete cascade,
  name text not null,
  position integer not null,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index status_page_cards_page on status_page_cards (status_page_id, position);

create table status_page_card_services (
  card_id uuid not null references status_page_cards on delete cascade,
  service_id uuid not null references services on delete cascade,
  position integer not null,
  primary key (card_id, service_id)
);
create index status_page_card_services_service on status_page_card_services (service_id);

-- A name on the internet leads to one page only, of whichever kind and account.
create table page_domains (
  domain text primary key,
  account_id uuid not null references accounts on delete cascade,
  page_kind text not null check (page_kind in ('status-page', 'dashboard')),
  page_id text not null,
  unique (page_kind, page_id)
);

-- Keys of private pages; only their hashes are kept.
create table page_keys (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  page_kind text not null check (page_kind in ('status-page', 'dashboard')),
  page_id text not null,
  key_hash bytea not null unique,
  last_four text not null,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index page_keys_page on page_keys (page_kind, page_id);

-- Pictures are fetched once and served from here, so that whoever looks at a page asks nobody else.
create table page_images (
  page_kind text not null check (page_kind in ('status-page', 'dashboard')),
  page_id text not null,
  role text not null check (role in ('logo', 'logo-dark', 'favicon')),
  account_id uuid not null references accounts on delete cascade,
  source_url text not null,
  content_type text,
  bytes bytea,
  hash text,
  fault text,
  attempts integer not null default 0,
  fetched_at timestamptz,
  next_attempt_at timestamptz,
  primary key (page_kind, page_id, role)
);
create index page_images_due on page_images (next_attempt_at) where next_attempt_at is not null;

-- A request that is sent again with the same key creates nothing again.
create table idempotency_keys (
  account_id uuid not null references accounts on delete cascade,
  key text not null,
  operation text not null,
  body_hash bytea not null,
  target_id text not null,
  created_at timestamptz not null,
  primary key (account_id, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);

-- Rendered pages are kept in memory; this tells every server whose pages to render again.
create function announce_page_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('pages_changed', coalesce(new.account_id, old.account_id)::text);
  return null;
end
$$;
create trigger services_changed after insert or update or delete on services
  for each row execute function announce_page_change();
create trigger status_pages_changed after insert or update or delete on status_pages
  for each row execute function announce_page_change();
create trigger page_domains_changed after insert or update or delete on page_domains
  for each row execute function announce_page_change();
create trigger page_keys_changed after insert or update or delete on page_keys
  for each row execute function announce_page_change();
create trigger page_images_changed after insert or update of hash or delete on page_images
  for each row execute function announce_page_change();
