-- Accounts and who may act for them: people (users), their membership and their sessions, and API
-- keys. Secrets are stored as hashes only. Every write leaves an audit entry.

create table accounts (
  id uuid primary key,
  name text not null,
  created_at timestamptz not null,
  updated_at timestamptz
);

create table users (
  id uuid primary key,
  email text not null,
  name text,
  password_hash text not null,
  created_at timestamptz not null,
  updated_at timestamptz
);
create unique index users_email on users (lower(email));

create table members (
  account_id uuid not null references accounts on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('OWNER', 'ADMIN', 'READ_WRITE', 'READ_RUN', 'READ_ONLY')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, user_id)
);
create index members_user on members (user_id);

create table invites (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  email text not null,
  role text not null check (role in ('ADMIN', 'READ_WRITE', 'READ_RUN', 'READ_ONLY')),
  token_hash bytea not null unique,
  inviter_email text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index invites_email on invites (account_id, lower(email));

create table sessions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  token_hash bytea not null unique,
  address text not null,
  user_agent text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz
);
create index sessions_user on sessions (user_id);
create index sessions_expiry on sessions (expires_at);

-- A key with a user acts for every account of that user; one without acts for its account only.
create table api_keys (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  user_id uuid references users on delete cascade,
  name text not null,
  key_hash bytea not null unique,
  last_four text not null,
  role text not null check (role in ('OWNER', 'ADMIN', 'READ_WRITE', 'READ_RUN', 'READ_ONLY')),
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz
);
create index api_keys_account on api_keys (account_id, id);
create index api_keys_user on api_keys (user_id);

create table audit_entries (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  at timestamptz not null,
  actor_type text not null,
  actor_id uuid,
  actor_name text not null,
  action text not null,
  target_type text not null,
  target_id text not null,
  changes jsonb not null,
  address text,
  request_id text
);
create index audit_entries_account on audit_entries (account_id, id desc);
create index audit_entries_at on audit_entries (at);

-- Servers remember who a key belongs to; this tells all of them to look again.
create function announce_caller_change() returns trigger language plpgsql as $$
begin
  perform pg_notify('caller_changed', '');
  return null;
end
$$;
create trigger api_keys_changed after update of role, expires_at, user_id or delete on api_keys
  for each statement execute function announce_caller_change();
create trigger sessions_changed after update of expires_at or delete on sessions
  for each statement execute function announce_caller_change();
create trigger members_changed after insert or update or delete on members
  for each statement execute function announce_caller_change();
