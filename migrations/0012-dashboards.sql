-- Walls of checks. `dashboard_id` is what every path says; `id` is its number.
create table dashboards (
  id integer generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
  dashboard_id text not null constraint dashboards_dashboard_id unique,
  settings jsonb not null,
  -- What was left out of the custom style sheet, with its place.
  css_warnings jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index dashboards_account on dashboards (account_id, id);

-- Every name under which a dashboard is found, in lower case: its id and its own address are of one
-- space, so that nobody takes the one for the other.
create table dashboard_names (
  name text primary key,
  kind text not null check (kind in ('id', 'url')),
  dashboard_id text not null
    references dashboards (dashboard_id) on delete cascade on update cascade,
  unique (dashboard_id, kind)
);

-- A name below the service's own host leads to a status page or to a dashboard, and whoever has it
-- keeps it. The lock makes two at once wait for each other, as no index can span both tables.
create function refuse_name_of_status_page() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('page name ' || new.name, 0));
  if new.kind = 'url' and exists (select from status_pages where url = new.name) then
    raise unique_violation using constraint = 'dashboard_names_pkey',
      message = 'the name is that of a status page';
  end if;
  return new;
end
$$;
create trigger dashboard_names_are_free before insert on dashboard_names
  for each row execute function refuse_name_of_status_page();

create function refuse_name_of_dashboard() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('page name ' || new.url, 0));
  if exists (select from dashboard_names where name = new.url and kind = 'url') then
    raise unique_violation using constraint = 'status_pages_url',
      message = 'the name is that of a dashboard';
  end if;
  return new;
end
$$;
create trigger status_pages_are_free before insert or update of url on status_pages
  for each row execute function refuse_name_of_dashboard();

create trigger dashboards_changed after insert or update or delete on dashboards
  for each row execute function announce_page_change();

-- Walls show a change of state when it happens. One message an account and transaction, however many
-- of its checks changed.
create function announce_state_changes() returns trigger language plpgsql as $$
begin
  perform pg_notify('states_changed', account_id::text)
    from (select distinct account_id from news) as accounts_with_news;
  return null;
end
$$;
create trigger state_changes_made after insert on state_changes
  referencing new table as news for each statement execute function announce_state_changes();
