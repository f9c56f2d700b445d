-- Documents that the application shows in a frame before anything is saved. They live for minutes,
-- so nothing is lost when a crash empties these tables.

create unlogged table previews (
  id bigint generated always as identity primary key,
  token_hash bytea not null unique,
  account_id uuid not null references accounts on delete cascade,
  content_security_policy text not null,
  byte_count integer not null,
  expires_at timestamptz not null
);
create index previews_account on previews (account_id, id desc);
create index previews_expiry on previews (expires_at);

create unlogged table preview_files (
  preview_id bigint not null references previews on delete cascade,
  path text not null,
  content_type text not null,
  bytes bytea not null,
  primary key (preview_id, path)
);
