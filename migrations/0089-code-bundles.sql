-- Files that existing clients upload: code of a project and snapshots of its tests. The key names
-- the content by its hash.
create table code_bundles (
  account_id uuid not null references accounts on delete cascade,
  key text not null,
  content bytea not null,
  uploaded_at timestamptz not null,
  primary key (account_id, key)
);
-- Gzipped files do not become smaller.
alter table code_bundles alter column content set storage external;
