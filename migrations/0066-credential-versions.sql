-- A sign-in that is half done belongs to the credentials it began with. Any change of them raises
-- the version, so that a challenge opened before the change opens nothing after it.
-- `email_proven_at` says since when the holder of this user is known to own its email address;
-- `taken_over_at` when that owner took a user over that somebody else had set up.

alter table users
  add column credential_version integer not null default 1,
  add column email_proven_at timestamptz,
  add column taken_over_at timestamptz;

-- The provider had verified these addresses.
update users set email_proven_at = created_at
  where id in (select user_id from oidc_identities);

-- An address that waits for the link in a mail; a later request replaces an earlier one.
create table email_changes (
  user_id uuid primary key references users on delete cascade,
  new_email text not null,
  token_hash bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index email_changes_expiry on email_changes (expires_at);

-- Sessions show the email address of their user.
create trigger users_changed after update of email on users
  for each statement execute function announce_caller_change();

-- Browsers of whoever set the user up must not receive alerts any longer.
create function drop_push_of_taken_over() returns trigger language plpgsql as $$
begin
  delete from push_subscriptions where user_id = new.id;
  return null;
end
$$;
create trigger users_taken_over after update of taken_over_at on users
  for each row when (new.taken_over_at is distinct from old.taken_over_at)
  execute function drop_push_of_taken_over();
