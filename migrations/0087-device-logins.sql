-- Sign-in of a command line by a code that a signed-in user confirms in the browser (RFC 8628).
-- A login is a row until it expires. key_id is the short-lived key of a confirmed login.
create table device_logins (
  id uuid primary key,
  device_hash bytea not null unique,
  user_code text not null unique,
  client text not null,
  address text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  polled_at timestamptz,
  interval_seconds int not null,
  status text not null default 'PENDING' check (status in ('PENDING', 'APPROVED', 'DENIED', 'USED')),
  user_id uuid references users (id) on delete cascade,
  key_id uuid references api_keys (id) on delete set null,
  sealed_key text
);
create index device_logins_expiry on device_logins (expires_at);
