-- How a member is reached, in addition to the email address of the account and to push devices.
create table contact_methods (
  id uuid primary key,
  account_id uuid not null,
  user_id uuid not null,
  type text not null,
  -- Secrets are encrypted.
  config jsonb not null,
  -- Null until the member has confirmed a code that was sent there.
  verified_at timestamptz,
  -- The encrypted code of the newest test message; null if none is pending.
  sealed_code text,
  code_expires_at timestamptz,
  wrong_codes integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz,
  version integer not null default 1,
  foreign key (account_id, user_id) references members on delete cascade
);
create index contact_methods_member on contact_methods (account_id, user_id, id);

-- Which methods are used when; members without a row have the default.
create table notification_rules (
  account_id uuid not null,
  user_id uuid not null,
  rules jsonb not null,
  updated_at timestamptz not null,
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references members on delete cascade
);

-- Whoever set the user up must not receive pages any longer.
create function drop_contacts_of_taken_over() returns trigger language plpgsql as $$
begin
  delete from contact_methods where user_id = new.id;
  delete from notification_rules where user_id = new.id;
  return null;
end
$$;
create trigger users_taken_over_contacts after update of taken_over_at on users
  for each row when (new.taken_over_at is distinct from old.taken_over_at)
  execute function drop_contacts_of_taken_over();
