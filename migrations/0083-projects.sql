-- Monitoring as code: a project owns resources, and deployments change them.
create table projects (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  logical_id text not null,
  name text not null,
  repo_url text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index projects_logical_id on projects (account_id, logical_id);

-- `sealed` is encrypted: what the code described and what was stored then, with secrets. Null after
-- an import, before the first deployment.
create table project_resources (
  project_id uuid not null references projects on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  type text not null,
  logical_id text not null,
  physical_id text not null,
  sealed text,
  source_file text,
  primary key (project_id, type, logical_id)
);
create unique index project_resources_owner on project_resources (account_id, type, physical_id);

-- A deployment is finished in the transaction that changes the resources. Its runner holds an
-- advisory lock meanwhile, so that a deployment whose runner died is recognised.
create table deployments (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  logical_id text not null,
  status text not null,
  progress integer not null,
  error jsonb,
  result jsonb,
  schedules boolean not null,
  created_at timestamptz not null,
  started_at timestamptz,
  ended_at timestamptz,
  cancel_requested_at timestamptz
);
create unique index deployments_active on deployments (account_id, logical_id)
  where status in ('PENDING', 'RUNNING');
create index deployments_account on deployments (account_id, logical_id, created_at desc);
create index deployments_created_at on deployments (created_at);
