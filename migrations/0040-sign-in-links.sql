-- Links that work once: one signs its owner in, the other lets them choose a new password.

create table sign_in_links (
  token_hash bytea primary key,
  user_id uuid not null references users on delete cascade,
  purpose text not null check (purpose in ('SIGN_IN', 'RESET')),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index sign_in_links_user on sign_in_links (user_id);
create index sign_in_links_expiry on sign_in_links (expires_at);
