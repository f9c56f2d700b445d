-- Who somebody is at the OpenID provider. The subject never changes, an email address may.

create table oidc_identities (
  issuer text not null,
  subject text not null,
  user_id uuid not null references users on delete cascade,
  -- Whether their role came from a claim, and so follows it.
  is_role_mapped boolean not null,
  created_at timestamptz not null,
  last_sign_in_at timestamptz not null,
  primary key (issuer, subject),
  unique (issuer, user_id)
);
create index oidc_identities_user on oidc_identities (user_id);
