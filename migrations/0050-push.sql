-- Push messages to browsers. One pair of keys for all accounts: a browser subscribes with the public
-- one, and the private one is sealed.
create table push_keys (
  is_here boolean primary key default true check (is_here),
  public_key text not null,
  private_key text not null
);

-- A browser of a member. Its address and keys are sealed: whoever has them can send to it.
create table push_subscriptions (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null references users on delete cascade,
  endpoint_hash bytea not null,
  sealed text not null,
  host text not null,
  name text not null,
  created_at timestamptz not null,
  last_sent_at timestamptz,
  unique (account_id, endpoint_hash)
);
create index push_subscriptions_user on push_subscriptions (user_id);
