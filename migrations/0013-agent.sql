-- What the agent proposed and somebody is to confirm. The token that confirms it is not here: it is
-- sealed, and names the row.
create table agent_confirmations (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  -- Whoever asked the agent, and how.
  credential_id uuid not null,
  asked_by text not null,
  via text not null check (via in ('stream', 'mcp')),
  tool text not null,
  input jsonb not null,
  summary text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index agent_confirmations_account on agent_confirmations (account_id, id desc);
create index agent_confirmations_expiry on agent_confirmations (expires_at);

-- What left for a model outside, exactly as it was sent. A bounded number for each account.
create table agent_exchanges (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  host text not null,
  model text not null,
  request text not null,
  request_bytes integer not null,
  -- Null while the answer has not begun; what came instead of one is in `failure`.
  status integer,
  failure text,
  sent_at timestamptz not null
);
create index agent_exchanges_account on agent_exchanges (account_id, id desc);
create index agent_exchanges_sent on agent_exchanges (sent_at);
