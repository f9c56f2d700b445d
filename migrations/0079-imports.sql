-- A file of another monitor, its report, and what running it did. The translated content contains
-- secrets and is encrypted. It is removed when another file of the same source is uploaded.
create table imports (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  source text not null,
  file_name text not null,
  report jsonb not null,
  facts jsonb not null,
  sealed_reading text,
  created_at timestamptz not null,
  finished_at timestamptz,
  outcome jsonb
);
create index imports_account on imports (account_id, created_at);

-- Where each object came from, so that importing again changes it instead of creating another.
create table imported_objects (
  account_id uuid not null references accounts on delete cascade,
  source text not null,
  origin text not null,
  type text not null,
  object_id text not null,
  -- Hash of the body that was written last.
  digest text not null,
  created_at timestamptz not null,
  primary key (account_id, source, origin)
);
