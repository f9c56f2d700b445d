-- Values that requests name as {{KEY}}. Each is sealed with the key of the server.
create table variables (
  account_id uuid not null references accounts on delete cascade,
  key text not null,
  sealed text not null,
  is_locked boolean not null,
  is_secret boolean not null,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz,
  primary key (account_id, key)
);

-- Servers remember what the orders of an account need; this tells all of them to look again.
create function announce_order_values() returns trigger language plpgsql as $$
begin
  perform pg_notify('order_values_changed', coalesce(new.account_id, old.account_id)::text);
  return null;
end
$$;
create trigger variables_changed after insert or update or delete on variables
  for each row execute function announce_order_values();
