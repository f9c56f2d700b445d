-- What the team writes about an incident for itself; no page shows it.
create table incident_notes (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  incident_id uuid not null references incidents on delete cascade,
  body text not null,
  author text not null,
  created_at timestamptz not null
);
create index incident_notes_incident on incident_notes (incident_id, id desc);

-- The review of an incident. The public sees it from published_at on; null: a draft.
create table incident_post_mortems (
  incident_id uuid primary key references incidents on delete cascade,
  account_id uuid not null references accounts on delete cascade,
  body text not null,
  author text not null,
  published_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
