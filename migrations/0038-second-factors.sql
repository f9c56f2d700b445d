-- A second proof beside the password: codes of an authenticator app, passkeys, and recovery codes
-- for who has lost both. What a client carries between two steps of signing in is sealed and not
-- stored; only what was spent is remembered, until it would have expired.

create table totp_secrets (
  user_id uuid primary key references users on delete cascade,
  sealed_secret text not null,
  created_at timestamptz not null,
  -- The step of the last code that was accepted: no code works twice.
  last_step bigint not null
);

create table recovery_codes (
  user_id uuid not null references users on delete cascade,
  code_hash bytea not null,
  created_at timestamptz not null,
  primary key (user_id, code_hash)
);

create table passkeys (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  name text not null,
  -- The host name it was made for; it works at no other.
  host text not null,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  is_synced boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_user on passkeys (user_id);

create table spent_challenges (
  id uuid primary key,
  expires_at timestamptz not null
);
create index spent_challenges_expiry on spent_challenges (expires_at);

alter table sessions add column second_factor text;
alter table accounts add column requires_second_factor boolean not null default false;

create trigger accounts_changed after update of requires_second_factor on accounts
  for each statement execute function announce_caller_change();
create trigger totp_secrets_changed after insert or delete on totp_secrets
  for each statement execute function announce_caller_change();
create trigger passkeys_changed after insert or delete on passkeys
  for each statement execute function announce_caller_change();
