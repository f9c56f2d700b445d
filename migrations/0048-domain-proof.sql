-- A domain that a page wants. Several accounts may want one name; `page_names` has the one page that
-- is served under it, which takes proof by a record in the DNS.
create table page_domains (
  page_kind text not null check (page_kind in ('status-page', 'dashboard')),
  page_id text not null,
  account_id uuid not null references accounts on delete cascade,
  -- As a browser asks for it: in lower case, without a dot at the end.
  domain text not null,
  claimed_at timestamptz not null,
  -- The record that proved it; null: none so far.
  proof text check (proof in ('TXT', 'CNAME')),
  proved_at timestamptz,
  -- Since when a record that was seen is no longer there.
  missing_since timestamptz,
  looked_at timestamptz,
  -- Looks in a row that did not see the record, which decide when the next is.
  vain_looks integer not null default 0,
  outcome text check (outcome in ('SEEN', 'NO_RECORD', 'OTHER_VALUE', 'TAKEN', 'NO_ANSWER')),
  is_txt_seen boolean not null default false,
  is_cname_seen boolean not null default false,
  -- What stands there in place of our record.
  found text[] not null default '{}',
  next_look_at timestamptz not null,
  primary key (page_kind, page_id),
  unique (account_id, domain)
);
create index page_domains_domain on page_domains (domain);
create index page_domains_due on page_domains (next_look_at);
create trigger domains_wait after insert or update of next_look_at on page_domains
  for each statement execute function announce_work();

-- Names from before proof was asked for are served on, until another account proves one of them.
insert into page_domains (page_kind, page_id, account_id, domain, claimed_at, next_look_at)
select page_kind, page_id, account_id, name, now(), now() from page_names where kind = 'domain';

-- When a key last opened its page. It changes nothing that a page shows.
alter table page_keys add column last_used_at timestamptz;
drop trigger page_keys_changed on page_keys;
create trigger page_keys_changed
  after insert or update of key_hash, updated_at or delete on page_keys
  for each row execute function announce_page_change();
