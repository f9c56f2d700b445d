-- Resources of an account that a project may adopt: offered, then applied, then committed.
create table project_imports (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  project_id uuid not null references projects on delete cascade,
  resources jsonb not null,
  created_at timestamptz not null,
  applied_at timestamptz,
  committed_at timestamptz
);
create index project_imports_project on project_imports (project_id, created_at desc);
