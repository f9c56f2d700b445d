-- What a list of checks is searched, filtered and sorted by is in columns: it is read for every check
-- of an account, and reading it from `settings` costs more than all the rest. The target is written
-- by the server, since each kind has its own words for it; null: not written yet.
create function join_lines(texts text[]) returns text language sql immutable as $$
  select array_to_string(texts, chr(10))
$$;
alter table checks
  add column target text,
  add column is_activated boolean not null
    generated always as (coalesce(settings -> 'activated' = 'true', true)) stored,
  add column is_muted boolean not null
    generated always as (coalesce(settings -> 'muted' = 'true', false)) stored,
  add column places jsonb not null generated always as (
    case when jsonb_typeof(settings -> 'locations') = 'array' then settings -> 'locations'
      else '[]' end
    || case when jsonb_typeof(settings -> 'privateLocations') = 'array'
      then settings -> 'privateLocations' else '[]' end) stored,
  add column own_period_seconds double precision generated always as (
    case when (settings ->> 'frequency')::float8 = 0 then (settings ->> 'frequencyOffset')::float8
      else (settings ->> 'frequency')::float8 * 60 end) stored,
  -- Numbers within a name have ten digits, so that host 2 comes before host 10.
  add column sort_name text not null generated always as (left(regexp_replace(
    regexp_replace(lower(name), '[0-9]+', '000000000\&', 'g'),
    '[0-9]*([0-9]{10})', '\1', 'g'), 400)) stored;
alter table checks add column search_text text not null generated always as (
  lower(name || chr(10) || coalesce(target, '') || chr(10) || join_lines(tags))) stored;
create index checks_sort_name on checks (account_id, sort_name, id);
create index checks_without_target on checks (id) where target is null;

alter table check_groups add column places jsonb not null generated always as (
  case when jsonb_typeof(settings -> 'locations') = 'array' then settings -> 'locations'
    else '[]' end
  || case when jsonb_typeof(settings -> 'privateLocations') = 'array'
    then settings -> 'privateLocations' else '[]' end) stored;

-- The bar of a check's last day is drawn from its changes of state.
create index state_changes_check_at on state_changes (check_id, at);

-- A list as somebody wants to see it again.
create table saved_views (
  id integer generated always as identity primary key,
  account_id uuid not null references accounts on delete cascade,
  user_id uuid references users on delete cascade, -- whose it is; null: of a key without a person
  name text not null,
  query text not null,
  is_shared boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz
);
create index saved_views_account on saved_views (account_id, id);
