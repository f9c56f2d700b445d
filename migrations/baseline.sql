-- Written by `npm run baseline`. The schema after the migrations named at its end, for new
-- databases. The migrations have the reasons.
set local check_function_bodies = off;

create function announce_caller_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('caller_changed', '');
  return null;
end
$function$;

create function announce_check_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('checks_changed', coalesce(new.id, old.id)::text);
  return null;
end
$function$;

create function announce_group_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('checks_changed', id::text) from checks where group_id = new.id;
  return null;
end
$function$;

create function announce_page_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('pages_changed', coalesce(new.account_id, old.account_id)::text);
  return null;
end
$function$;

create function announce_page_changes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('pages_changed', account_id::text)
    from (select distinct account_id from news) as accounts_with_news;
  return null;
end
$function$;

create function announce_work()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('work_changed', tg_table_name);
  return null;
end
$function$;

create function little_endian(bytes bytea)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select string_agg(substring(bytes from place for 1), ''::bytea order by place desc)
  from generate_series(1, octet_length(bytes)) as place
$function$;

create function with_length(value text)
 RETURNS bytea
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select set_byte('\x00'::bytea, 0, octet_length(convert_to(value, 'UTF8')))
    || convert_to(value, 'UTF8')
$function$;

create function announce_order_values()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('order_values_changed', coalesce(new.account_id, old.account_id)::text);
  return null;
end
$function$;

create function review_heartbeat()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into heartbeat_reviews (check_id, was_off)
  values (new.id, new.settings -> 'activated' = 'false');
  return null;
end
$function$;

create function review_heartbeats_of_group()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into heartbeat_reviews (check_id, was_off)
  select id, new.settings -> 'activated' = 'false' from checks
  where group_id = new.id and ping_token is not null;
  return null;
end
$function$;

create function notify_change(account_id uuid, topic text, ids jsonb)
 RETURNS void
 LANGUAGE sql
AS $function$
  select pg_notify('changes', jsonb_build_array(account_id, topic,
    case when jsonb_array_length(ids) <= 100 and length(ids::text) <= 7000 then ids end)::text)
$function$;

create function announce_news_of_checks()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_change(account_id, tg_argv[0], jsonb_agg(distinct check_id))
    from news group by account_id;
  return null;
end
$function$;

create function announce_delivery()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_change(new.account_id, 'delivery.changed', jsonb_build_array(new.check_id));
  return null;
end
$function$;

create function announce_audit_entries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform notify_change(account_id, 'audit ' || action, jsonb_agg(distinct changed_id))
    from news, unnest(coalesce(item_ids, array[target_id])) as changed_id
    group by account_id, action;
  return null;
end
$function$;

create function join_lines(texts text[])
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select array_to_string(texts, chr(10))
$function$;

create function announce_probe_key()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('probe_keys_changed', coalesce(new.id, old.id)::text);
  return null;
end
$function$;

create function announce_places()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('places_changed', '');
  return null;
end
$function$;

create function drop_push_of_taken_over()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from push_subscriptions where user_id = new.id;
  return null;
end
$function$;

create function note_asset_removal()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into asset_removals (path, server_id) select path, server_id from deleted_assets;
  return null;
end $function$;

create function release_held_deliveries()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update deliveries set next_attempt_at = decided_at, held_until = null
  where alert_channel_id = new.id and status = 'PENDING' and held_until is not null
    and attempts = 0;
  return null;
end $function$;

create function drop_contacts_of_taken_over()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from contact_methods where user_id = new.id;
  delete from notification_rules where user_id = new.id;
  return null;
end
$function$;

create function drop_feeds_of_taken_over()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  delete from on_call_feeds where user_id = new.id;
  return null;
end
$function$;

create table migrations (
  name text,
  checksum text not null,
  applied_at timestamp with time zone default now() not null,
  constraint migrations_pkey PRIMARY KEY (name)
);

create table accounts (
  id uuid,
  name text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  requires_second_factor boolean default false not null,
  constraint accounts_pkey PRIMARY KEY (id)
);

create table users (
  id uuid,
  email text not null,
  name text,
  password_hash text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  credential_version integer default 1 not null,
  email_proven_at timestamp with time zone,
  taken_over_at timestamp with time zone,
  constraint users_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX users_email ON users USING btree (lower(email));

create table members (
  account_id uuid,
  user_id uuid,
  role text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint members_pkey PRIMARY KEY (account_id, user_id),
  constraint members_role_check CHECK ((role = ANY (ARRAY['OWNER'::text, 'ADMIN'::text, 'READ_WRITE'::text, 'READ_RUN'::text, 'READ_ONLY'::text]))),
  constraint members_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX members_user ON members USING btree (user_id);

create table invites (
  id uuid,
  account_id uuid not null,
  email text not null,
  role text not null,
  token_hash bytea not null,
  inviter_email text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint invites_pkey PRIMARY KEY (id),
  constraint invites_token_hash_key UNIQUE (token_hash),
  constraint invites_role_check CHECK ((role = ANY (ARRAY['ADMIN'::text, 'READ_WRITE'::text, 'READ_RUN'::text, 'READ_ONLY'::text]))),
  constraint invites_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX invites_email ON invites USING btree (account_id, lower(email));

create table sessions (
  id uuid,
  user_id uuid not null,
  token_hash bytea not null,
  address text not null,
  user_agent text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  way text not null,
  second_factor text,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_hash_key UNIQUE (token_hash),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX sessions_user ON sessions USING btree (user_id);
CREATE INDEX sessions_expiry ON sessions USING btree (expires_at);

create table api_keys (
  id uuid,
  account_id uuid not null,
  user_id uuid,
  name text not null,
  key_hash bytea not null,
  last_four text not null,
  role text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  last_used_address text,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_key_hash_key UNIQUE (key_hash),
  constraint api_keys_role_check CHECK ((role = ANY (ARRAY['OWNER'::text, 'ADMIN'::text, 'READ_WRITE'::text, 'READ_RUN'::text, 'READ_ONLY'::text]))),
  constraint api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint api_keys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX api_keys_account ON api_keys USING btree (account_id, id);
CREATE INDEX api_keys_user ON api_keys USING btree (user_id);

create table audit_entries (
  id uuid,
  account_id uuid not null,
  at timestamp with time zone not null,
  actor_type text not null,
  actor_id uuid,
  actor_name text not null,
  action text not null,
  target_type text not null,
  target_id text not null,
  changes jsonb not null,
  address text,
  request_id text,
  item_ids text[],
  constraint audit_entries_pkey PRIMARY KEY (id),
  constraint audit_entries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX audit_entries_account ON audit_entries USING btree (account_id, id DESC);
CREATE INDEX audit_entries_at ON audit_entries USING btree (at);
CREATE INDEX audit_entries_action ON audit_entries USING btree (account_id, action, id DESC);
CREATE INDEX audit_entries_type ON audit_entries USING btree (account_id, target_type, id DESC);
CREATE INDEX audit_entries_actor ON audit_entries USING btree (account_id, actor_name, id DESC);
CREATE INDEX audit_entries_target ON audit_entries USING btree (account_id, target_id, id DESC);
CREATE INDEX audit_entries_account_at ON audit_entries USING btree (account_id, at);
CREATE INDEX audit_entries_items ON audit_entries USING gin (item_ids) WHERE item_ids IS NOT NULL;

create table probes (
  id text,
  location text not null,
  is_built_in boolean not null,
  version text not null,
  ipv4_sources text[] not null,
  ipv6_sources text[] not null,
  started_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  is_suspect boolean default false not null,
  limitations text[] default '{}'::text[] not null,
  route text default 'built-in'::text not null,
  key_id uuid,
  clock_skew_ms double precision,
  transport text,
  server_id text,
  spool_depth integer,
  quarantined_at timestamp with time zone,
  quarantine_reason text,
  compared_count integer,
  disagreeing_count integer,
  compared_at timestamp with time zone,
  constraint probes_pkey PRIMARY KEY (id),
  constraint probes_transport_check CHECK ((transport = ANY (ARRAY['built-in'::text, 'websocket'::text, 'nats'::text])))
);
CREATE INDEX probes_last_seen ON probes USING btree (last_seen_at);
CREATE INDEX probes_route ON probes USING btree (route);

create table check_groups (
  id integer generated always as identity,
  account_id uuid not null,
  name text not null,
  settings jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  variables jsonb default '[]'::jsonb not null,
  places jsonb generated always as ((
CASE
    WHEN (jsonb_typeof((settings -> 'locations'::text)) = 'array'::text) THEN (settings -> 'locations'::text)
    ELSE '[]'::jsonb
END ||
CASE
    WHEN (jsonb_typeof((settings -> 'privateLocations'::text)) = 'array'::text) THEN (settings -> 'privateLocations'::text)
    ELSE '[]'::jsonb
END)) stored not null,
  constraint check_groups_pkey PRIMARY KEY (id),
  constraint check_groups_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX check_groups_account ON check_groups USING btree (account_id, id);

create table checks (
  id uuid,
  account_id uuid not null,
  kind text not null,
  name text not null,
  tags text[] not null,
  group_id integer,
  settings jsonb not null,
  private_settings jsonb not null,
  status text default 'unknown'::text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  ping_token uuid generated always as (((settings #>> '{heartbeat,pingToken}'::text[]))::uuid) stored,
  variables jsonb default '[]'::jsonb not null,
  target text,
  is_activated boolean generated always as (COALESCE(((settings -> 'activated'::text) = 'true'::jsonb), true)) stored not null,
  is_muted boolean generated always as (COALESCE(((settings -> 'muted'::text) = 'true'::jsonb), false)) stored not null,
  places jsonb generated always as ((
CASE
    WHEN (jsonb_typeof((settings -> 'locations'::text)) = 'array'::text) THEN (settings -> 'locations'::text)
    ELSE '[]'::jsonb
END ||
CASE
    WHEN (jsonb_typeof((settings -> 'privateLocations'::text)) = 'array'::text) THEN (settings -> 'privateLocations'::text)
    ELSE '[]'::jsonb
END)) stored not null,
  own_period_seconds double precision generated always as (
CASE
    WHEN (((settings ->> 'frequency'::text))::double precision = (0)::double precision) THEN ((settings ->> 'frequencyOffset'::text))::double precision
    ELSE (((settings ->> 'frequency'::text))::double precision * (60)::double precision)
END) stored,
  sort_name text generated always as ("left"(regexp_replace(regexp_replace(lower(name), '[0-9]+'::text, '000000000\&'::text, 'g'::text), '[0-9]*([0-9]{10})'::text, '\1'::text, 'g'::text), 400)) stored not null,
  search_text text generated always as (lower(((((name || chr(10)) || COALESCE(target, ''::text)) || chr(10)) || join_lines(tags)))) stored not null,
  constraint checks_pkey PRIMARY KEY (id),
  constraint checks_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint checks_group_id_fkey FOREIGN KEY (group_id) REFERENCES check_groups(id)
);
CREATE INDEX checks_account ON checks USING btree (account_id, id);
CREATE INDEX checks_group ON checks USING btree (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX checks_shard ON checks USING btree ((get_byte(uuid_send(id), 15) & 63));
CREATE INDEX checks_trigger_service ON checks USING btree (account_id, ((settings -> 'triggerIncident'::text) ->> 'serviceId'::text)) WHERE ((settings -> 'triggerIncident'::text) ->> 'serviceId'::text) IS NOT NULL;
CREATE UNIQUE INDEX checks_ping_token ON checks USING btree (ping_token) WHERE ping_token IS NOT NULL;
CREATE INDEX checks_sort_name ON checks USING btree (account_id, sort_name, id);
CREATE INDEX checks_without_target ON checks USING btree (id) WHERE target IS NULL;

create table results (
  check_id uuid,
  id uuid,
  location text not null,
  probe_id text,
  attempt smallint not null,
  is_final boolean not null,
  verdict smallint not null,
  started_at timestamp with time zone not null,
  stopped_at timestamp with time zone,
  hostname text,
  ip_family text,
  ping_count smallint,
  resolved_ip text,
  dns_ms real,
  packet_size smallint,
  packets_sent smallint,
  packets_received smallint,
  loss_percent real,
  min_ms real,
  avg_ms real,
  max_ms real,
  std_dev_ms real,
  jitter_ms real,
  loss_burst smallint,
  duplicates smallint,
  reordered smallint,
  late_replies smallint,
  trouble jsonb,
  reasons jsonb,
  packets bytea,
  detail bytea,
  probe_number integer,
  response_ms real,
  duration_us integer,
  samples bytea,
  constraint results_pkey PRIMARY KEY (check_id, id)
) partition by RANGE (id);

create table check_states (
  check_id uuid,
  status text not null,
  since timestamp with time zone not null,
  last_due_at timestamp with time zone not null,
  last_result_id uuid not null,
  last_location text not null,
  last_response_ms real,
  shortest_run_ms real,
  longest_run_ms real,
  consecutive_failures integer not null,
  locations jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  changed_at timestamp with time zone,
  before_unknown jsonb,
  constraint check_states_pkey PRIMARY KEY (check_id),
  constraint check_states_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE
) with (fillfactor=70);
CREATE INDEX check_states_shard ON check_states USING btree ((get_byte(uuid_send(check_id), 15) & 63));

create table state_changes (
  id bigint generated always as identity,
  account_id uuid not null,
  check_id uuid not null,
  from_status text not null,
  to_status text not null,
  at timestamp with time zone not null,
  result_id uuid not null,
  decision jsonb,
  constraint state_changes_pkey PRIMARY KEY (id),
  constraint state_changes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX state_changes_check ON state_changes USING btree (check_id, id DESC);
CREATE INDEX state_changes_at ON state_changes USING btree (at);
CREATE INDEX state_changes_check_at ON state_changes USING btree (check_id, at);
CREATE INDEX state_changes_account ON state_changes USING btree (account_id, at);

create table pending_retries (
  run_id uuid,
  check_id uuid not null,
  start_at timestamp with time zone not null,
  retry_order jsonb not null,
  constraint pending_retries_pkey PRIMARY KEY (run_id),
  constraint pending_retries_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE
);
CREATE INDEX pending_retries_start ON pending_retries USING btree (start_at);

create table schedule_leases (
  shard smallint,
  holder text not null,
  expires_at timestamp with time zone not null,
  constraint schedule_leases_pkey PRIMARY KEY (shard)
);

create table check_sessions (
  id uuid,
  account_id uuid not null,
  check_id uuid not null,
  locations text[] not null,
  started_at timestamp with time zone not null,
  constraint check_sessions_pkey PRIMARY KEY (id),
  constraint check_sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint check_sessions_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE
);
CREATE INDEX check_sessions_started ON check_sessions USING btree (started_at);

create table rollup_progress (
  unit text,
  starts_at timestamp with time zone,
  constraint rollup_progress_pkey PRIMARY KEY (unit, starts_at)
);

create table late_hours (
  check_id uuid constraint rollup_repairs_check_id_not_null not null,
  hour timestamp with time zone constraint rollup_repairs_hour_not_null not null,
  constraint rollup_repairs_pkey PRIMARY KEY (check_id, hour)
);

create table alert_channels (
  id integer generated always as identity,
  account_id uuid not null,
  type text not null,
  config jsonb not null,
  send_recovery boolean not null,
  send_failure boolean not null,
  send_degraded boolean not null,
  auto_subscribe boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  ssl_expiry boolean default false not null,
  ssl_expiry_threshold smallint default 30 not null,
  version integer default 1 not null,
  digest boolean default true not null,
  quiet_hours jsonb,
  quiet_reroute_id integer,
  for_policies boolean default false not null,
  lan_allowed_by text,
  constraint alert_channels_pkey PRIMARY KEY (id),
  constraint alert_channels_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX alert_channels_account ON alert_channels USING btree (account_id, id);
CREATE INDEX alert_channels_rerouted ON alert_channels USING btree (quiet_reroute_id) WHERE quiet_reroute_id IS NOT NULL;
CREATE INDEX alert_channels_for_policies ON alert_channels USING btree (account_id) WHERE for_policies;

create table alert_channel_subscriptions (
  id integer generated always as identity,
  alert_channel_id integer not null,
  check_id uuid,
  group_id integer,
  activated boolean not null,
  constraint alert_channel_subscriptions_pkey PRIMARY KEY (id),
  constraint alert_channel_subscriptions_check CHECK ((num_nonnulls(check_id, group_id) = 1)),
  constraint alert_channel_subscriptions_alert_channel_id_fkey FOREIGN KEY (alert_channel_id) REFERENCES alert_channels(id) ON DELETE CASCADE,
  constraint alert_channel_subscriptions_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE,
  constraint alert_channel_subscriptions_group_id_fkey FOREIGN KEY (group_id) REFERENCES check_groups(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX alert_channel_subscriptions_check ON alert_channel_subscriptions USING btree (alert_channel_id, check_id) WHERE check_id IS NOT NULL;
CREATE UNIQUE INDEX alert_channel_subscriptions_group ON alert_channel_subscriptions USING btree (alert_channel_id, group_id) WHERE group_id IS NOT NULL;
CREATE INDEX alert_channel_subscriptions_of_check ON alert_channel_subscriptions USING btree (check_id);
CREATE INDEX alert_channel_subscriptions_of_group ON alert_channel_subscriptions USING btree (group_id);

create table notable_runs (
  id bigint generated always as identity,
  account_id uuid not null,
  check_id uuid not null,
  result_id uuid not null,
  location text not null,
  verdict text not null,
  due_at timestamp with time zone not null,
  heard_at timestamp with time zone,
  recorded_at timestamp with time zone not null,
  is_late boolean default false not null,
  constraint notable_runs_pkey PRIMARY KEY (id),
  constraint notable_runs_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE
);

create table alert_states (
  check_id uuid,
  account_id uuid not null,
  state jsonb not null,
  next_tick_at timestamp with time zone,
  constraint alert_states_pkey PRIMARY KEY (check_id),
  constraint alert_states_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE,
  constraint alert_states_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX alert_states_tick ON alert_states USING btree (next_tick_at) WHERE next_tick_at IS NOT NULL;
CREATE INDEX alert_states_account ON alert_states USING btree (account_id);

create table alerts (
  id uuid,
  account_id uuid not null,
  check_id uuid not null,
  alert_number integer not null,
  kind text not null,
  held_kind text,
  reason text not null,
  parent_id uuid,
  result_id uuid,
  is_reminder boolean not null,
  at timestamp with time zone not null,
  decided_at timestamp with time zone not null,
  started_at timestamp with time zone,
  explanation text,
  constraint alerts_pkey PRIMARY KEY (id),
  constraint alerts_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX alerts_account ON alerts USING btree (account_id, id DESC);
CREATE INDEX alerts_check ON alerts USING btree (check_id, id DESC);
CREATE INDEX alerts_decided ON alerts USING btree (decided_at);
CREATE INDEX alerts_number ON alerts USING btree (check_id, alert_number, id);

create table deliveries (
  id uuid,
  account_id uuid not null,
  alert_id uuid not null,
  check_id uuid not null,
  alert_channel_id integer,
  channel_type text not null,
  recipient text not null,
  message jsonb not null,
  status text not null,
  attempts integer default 0 not null,
  next_attempt_at timestamp with time zone not null,
  claimed_until timestamp with time zone,
  status_code integer,
  reason text,
  decided_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  history jsonb default '[]'::jsonb not null,
  is_collected boolean default false not null,
  digest_id uuid,
  held_until timestamp with time zone,
  rerouted_from_id integer,
  page_id uuid,
  user_id uuid,
  method_id text,
  after_minutes integer,
  fell_through boolean default false not null,
  storm_id uuid,
  is_replay boolean default false not null,
  constraint deliveries_pkey PRIMARY KEY (id),
  constraint deliveries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint deliveries_alert_channel_id_fkey FOREIGN KEY (alert_channel_id) REFERENCES alert_channels(id) ON DELETE SET NULL
);
CREATE INDEX deliveries_due ON deliveries USING btree (next_attempt_at) WHERE status = 'PENDING'::text;
CREATE INDEX deliveries_order ON deliveries USING btree (check_id, alert_channel_id, id) WHERE status = 'PENDING'::text;
CREATE INDEX deliveries_account ON deliveries USING btree (account_id, id DESC);
CREATE INDEX deliveries_decided ON deliveries USING btree (decided_at);
CREATE INDEX deliveries_alert ON deliveries USING btree (alert_id);
CREATE INDEX deliveries_collected ON deliveries USING btree (next_attempt_at) WHERE status = 'PENDING'::text AND is_collected AND digest_id IS NULL;
CREATE INDEX deliveries_digest ON deliveries USING btree (digest_id, id) WHERE status = 'PENDING'::text AND digest_id IS NOT NULL;
CREATE INDEX deliveries_held ON deliveries USING btree (alert_channel_id) WHERE status = 'PENDING'::text AND held_until IS NOT NULL;
CREATE INDEX deliveries_page ON deliveries USING btree (page_id) WHERE page_id IS NOT NULL;
CREATE INDEX deliveries_pages ON deliveries USING btree (account_id, decided_at) WHERE page_id IS NOT NULL AND method_id IS NULL AND user_id IS NOT NULL;
CREATE INDEX deliveries_storm ON deliveries USING btree (storm_id, user_id, method_id, id) WHERE storm_id IS NOT NULL;

create table account_alert_settings (
  account_id uuid,
  settings jsonb not null,
  updated_at timestamp with time zone not null,
  version integer default 1 not null,
  constraint account_alert_settings_pkey PRIMARY KEY (account_id),
  constraint account_alert_settings_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table maintenance_windows (
  id integer generated always as identity,
  account_id uuid not null,
  name text not null,
  schedule jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  description text,
  visibility jsonb default '{}'::jsonb not null,
  next_announcement_at timestamp with time zone,
  calendar_id uuid default gen_random_uuid() not null,
  sequence integer default 0 not null,
  constraint maintenance_windows_pkey PRIMARY KEY (id),
  constraint maintenance_windows_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX maintenance_windows_account ON maintenance_windows USING btree (account_id, id);
CREATE INDEX maintenance_windows_due ON maintenance_windows USING btree (next_announcement_at) WHERE next_announcement_at IS NOT NULL;

create table check_parents (
  check_id uuid,
  parent_id uuid,
  constraint check_parents_pkey PRIMARY KEY (check_id, parent_id),
  constraint check_parents_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE,
  constraint check_parents_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES checks(id) ON DELETE CASCADE
);
CREATE INDEX check_parents_parent ON check_parents USING btree (parent_id);

create table services (
  id uuid,
  account_id uuid not null,
  name text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  version integer default 1 not null,
  status_page_id uuid,
  constraint services_pkey PRIMARY KEY (id),
  constraint services_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX services_account ON services USING btree (account_id, id);
CREATE INDEX services_of_page ON services USING btree (status_page_id) WHERE status_page_id IS NOT NULL;

create table status_pages (
  id uuid,
  account_id uuid not null,
  name text not null,
  url text not null,
  is_private boolean not null,
  settings jsonb not null,
  version integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  css_warnings jsonb default '[]'::jsonb not null,
  uses_components boolean default false not null,
  constraint status_pages_pkey PRIMARY KEY (id),
  constraint status_pages_url UNIQUE (url),
  constraint status_pages_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX status_pages_account ON status_pages USING btree (account_id, id);

create table status_page_cards (
  id uuid,
  status_page_id uuid not null,
  name text not null,
  "position" integer not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  is_ungrouped boolean default false not null,
  description text,
  is_hidden boolean default false not null,
  shows_history boolean default true not null,
  constraint status_page_cards_pkey PRIMARY KEY (id),
  constraint status_page_cards_status_page_id_fkey FOREIGN KEY (status_page_id) REFERENCES status_pages(id) ON DELETE CASCADE
);
CREATE INDEX status_page_cards_page ON status_page_cards USING btree (status_page_id, "position");
CREATE UNIQUE INDEX status_page_cards_ungrouped ON status_page_cards USING btree (status_page_id) WHERE is_ungrouped;

create table status_page_card_services (
  card_id uuid,
  service_id uuid,
  "position" integer not null,
  id uuid default gen_random_uuid() not null,
  description text,
  is_hidden boolean default false not null,
  shows_history boolean default true not null,
  constraint status_page_card_services_pkey PRIMARY KEY (card_id, service_id),
  constraint status_page_card_services_card_id_fkey FOREIGN KEY (card_id) REFERENCES status_page_cards(id) ON DELETE CASCADE,
  constraint status_page_card_services_service_id_fkey FOREIGN KEY (service_id) REFERENCES services(id) ON DELETE CASCADE
);
CREATE INDEX status_page_card_services_service ON status_page_card_services USING btree (service_id);
CREATE UNIQUE INDEX status_page_card_services_id ON status_page_card_services USING btree (id);

create table page_keys (
  id uuid,
  account_id uuid not null,
  page_kind text not null,
  page_id text not null,
  key_hash bytea not null,
  last_four text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  last_used_at timestamp with time zone,
  constraint page_keys_pkey PRIMARY KEY (id),
  constraint page_keys_key_hash_key UNIQUE (key_hash),
  constraint page_keys_page_kind_check CHECK ((page_kind = ANY (ARRAY['status-page'::text, 'dashboard'::text]))),
  constraint page_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX page_keys_page ON page_keys USING btree (page_kind, page_id);

create table page_images (
  page_kind text,
  page_id text,
  role text,
  account_id uuid not null,
  source_url text not null,
  content_type text,
  bytes bytea,
  hash text,
  fault text,
  attempts integer default 0 not null,
  fetched_at timestamp with time zone,
  next_attempt_at timestamp with time zone,
  constraint page_images_pkey PRIMARY KEY (page_kind, page_id, role),
  constraint page_images_page_kind_check CHECK ((page_kind = ANY (ARRAY['status-page'::text, 'dashboard'::text]))),
  constraint page_images_role_check CHECK ((role = ANY (ARRAY['logo'::text, 'logo-dark'::text, 'favicon'::text]))),
  constraint page_images_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX page_images_due ON page_images USING btree (next_attempt_at) WHERE next_attempt_at IS NOT NULL;

create table idempotency_keys (
  account_id uuid,
  key text,
  operation text not null,
  body_hash bytea not null,
  target_id text not null,
  created_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (account_id, key),
  constraint idempotency_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX idempotency_keys_created ON idempotency_keys USING btree (created_at);

create table subscribers (
  id uuid,
  account_id uuid not null,
  status_page_id uuid not null,
  type text not null,
  address text not null,
  address_hash bytea not null,
  lane text not null,
  service_ids uuid[],
  status text not null,
  secret text,
  bounces integer default 0 not null,
  asked_at timestamp with time zone not null,
  verified_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  constraint subscribers_pkey PRIMARY KEY (id),
  constraint subscribers_status_page_id_type_address_hash_key UNIQUE (status_page_id, type, address_hash),
  constraint subscribers_type_check CHECK ((type = ANY (ARRAY['EMAIL'::text, 'WEBHOOK'::text, 'SLACK'::text]))),
  constraint subscribers_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'VERIFIED'::text, 'QUARANTINED'::text]))),
  constraint subscribers_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint subscribers_status_page_id_fkey FOREIGN KEY (status_page_id) REFERENCES status_pages(id) ON DELETE CASCADE
);
CREATE INDEX subscribers_page ON subscribers USING btree (status_page_id, id);
CREATE INDEX subscribers_account ON subscribers USING btree (account_id, id);
CREATE INDEX subscribers_pending ON subscribers USING btree (asked_at) WHERE status = 'PENDING'::text;

create table announcements (
  id uuid,
  account_id uuid not null,
  source_id text not null,
  message jsonb not null,
  reached_subscriber_id uuid,
  is_addressed boolean default false not null,
  created_at timestamp with time zone not null,
  constraint announcements_pkey PRIMARY KEY (id),
  constraint announcements_source_id_key UNIQUE (source_id),
  constraint announcements_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX announcements_open ON announcements USING btree (account_id, id) WHERE NOT is_addressed;
CREATE INDEX announcements_created ON announcements USING btree (created_at);

create table subscriber_deliveries (
  id uuid,
  number bigint generated always as identity not null,
  account_id uuid not null,
  status_page_id uuid not null,
  subscriber_id uuid not null,
  announcement_id uuid,
  purpose text not null,
  lane text not null,
  status text not null,
  attempts integer default 0 not null,
  next_attempt_at timestamp with time zone not null,
  claimed_until timestamp with time zone,
  status_code integer,
  reason text,
  decided_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  constraint subscriber_deliveries_pkey PRIMARY KEY (id),
  constraint subscriber_deliveries_announcement_id_subscriber_id_key UNIQUE (announcement_id, subscriber_id),
  constraint subscriber_deliveries_purpose_check CHECK ((purpose = ANY (ARRAY['announce'::text, 'confirm'::text, 'remind'::text]))),
  constraint subscriber_deliveries_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'SENT'::text, 'DEAD'::text]))),
  constraint subscriber_deliveries_check CHECK (((purpose = 'announce'::text) = (announcement_id IS NOT NULL))),
  constraint subscriber_deliveries_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint subscriber_deliveries_status_page_id_fkey FOREIGN KEY (status_page_id) REFERENCES status_pages(id) ON DELETE CASCADE,
  constraint subscriber_deliveries_subscriber_id_fkey FOREIGN KEY (subscriber_id) REFERENCES subscribers(id) ON DELETE CASCADE,
  constraint subscriber_deliveries_announcement_id_fkey FOREIGN KEY (announcement_id) REFERENCES announcements(id) ON DELETE CASCADE
);
CREATE INDEX subscriber_deliveries_due ON subscriber_deliveries USING btree (lane, next_attempt_at) WHERE status = 'PENDING'::text;
CREATE INDEX subscriber_deliveries_order ON subscriber_deliveries USING btree (subscriber_id, number) WHERE status = 'PENDING'::text;
CREATE INDEX subscriber_deliveries_subscriber ON subscriber_deliveries USING btree (subscriber_id);
CREATE INDEX subscriber_deliveries_page ON subscriber_deliveries USING btree (status_page_id, id DESC);
CREATE INDEX subscriber_deliveries_decided ON subscriber_deliveries USING btree (decided_at);
CREATE INDEX subscriber_deliveries_next ON subscriber_deliveries USING btree (next_attempt_at) WHERE status = 'PENDING'::text;

create table incidents (
  id uuid,
  account_id uuid not null,
  name text not null,
  severity text not null,
  status text not null,
  started_at timestamp with time zone not null,
  resolved_at timestamp with time zone,
  acknowledged_at timestamp with time zone,
  open_spans jsonb not null,
  check_id uuid,
  alert_number integer,
  is_automatic boolean not null,
  taken_over_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  version integer default 1 not null,
  constraint incidents_pkey PRIMARY KEY (id),
  constraint incidents_severity_check CHECK ((severity = ANY (ARRAY['CRITICAL'::text, 'MAJOR'::text, 'MEDIUM'::text, 'MINOR'::text]))),
  constraint incidents_status_check CHECK ((status = ANY (ARRAY['INVESTIGATING'::text, 'IDENTIFIED'::text, 'MONITORING'::text, 'RESOLVED'::text]))),
  constraint incidents_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX incidents_account ON incidents USING btree (account_id, id DESC);
CREATE INDEX incidents_time ON incidents USING btree (account_id, started_at DESC);
CREATE INDEX incidents_resolved ON incidents USING btree (account_id, resolved_at);
CREATE UNIQUE INDEX incidents_alert ON incidents USING btree (check_id, alert_number) WHERE is_automatic;
CREATE UNIQUE INDEX incidents_own ON incidents USING btree (check_id) WHERE is_automatic AND resolved_at IS NULL AND taken_over_at IS NULL;

create table incident_services (
  incident_id uuid,
  service_id uuid,
  "position" integer not null,
  severity text,
  constraint incident_services_pkey PRIMARY KEY (incident_id, service_id),
  constraint incident_services_severity_check CHECK ((severity = ANY (ARRAY['CRITICAL'::text, 'MAJOR'::text, 'MEDIUM'::text, 'MINOR'::text]))),
  constraint incident_services_incident_id_fkey FOREIGN KEY (incident_id) REFERENCES incidents(id) ON DELETE CASCADE,
  constraint incident_services_service_id_fkey FOREIGN KEY (service_id) REFERENCES services(id) ON DELETE CASCADE
);
CREATE INDEX incident_services_service ON incident_services USING btree (service_id);

create table incident_updates (
  id uuid,
  account_id uuid not null,
  incident_id uuid not null,
  status text not null,
  description text not null,
  public_at timestamp with time zone not null,
  notify_subscribers boolean not null,
  author text,
  number bigint generated always as identity not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  constraint incident_updates_pkey PRIMARY KEY (id),
  constraint incident_updates_status_check CHECK ((status = ANY (ARRAY['INVESTIGATING'::text, 'IDENTIFIED'::text, 'MONITORING'::text, 'RESOLVED'::text]))),
  constraint incident_updates_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint incident_updates_incident_id_fkey FOREIGN KEY (incident_id) REFERENCES incidents(id) ON DELETE CASCADE
);
CREATE INDEX incident_updates_incident ON incident_updates USING btree (incident_id, public_at DESC, number DESC);

create table incident_templates (
  id uuid,
  account_id uuid not null,
  name text not null,
  template jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  constraint incident_templates_pkey PRIMARY KEY (id),
  constraint incident_templates_account_id_name_key UNIQUE (account_id, name),
  constraint incident_templates_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table maintenance_announcements (
  window_id integer,
  occurrence_start timestamp with time zone,
  kind text,
  announced_at timestamp with time zone not null,
  constraint maintenance_announcements_pkey PRIMARY KEY (window_id, occurrence_start, kind),
  constraint maintenance_announcements_window_id_fkey FOREIGN KEY (window_id) REFERENCES maintenance_windows(id) ON DELETE CASCADE
);
CREATE INDEX maintenance_announcements_time ON maintenance_announcements USING btree (announced_at);

create table owed_incidents (
  check_id uuid,
  account_id uuid not null,
  alert_number integer not null,
  action text not null,
  name text not null,
  description text not null,
  attempts integer not null,
  next_attempt_at timestamp with time zone not null,
  constraint owed_incidents_pkey PRIMARY KEY (check_id),
  constraint owed_incidents_action_check CHECK ((action = ANY (ARRAY['OPEN'::text, 'RESOLVE'::text]))),
  constraint owed_incidents_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE,
  constraint owed_incidents_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX owed_incidents_due ON owed_incidents USING btree (next_attempt_at);

create table dashboards (
  id integer generated always as identity,
  account_id uuid not null,
  dashboard_id text not null,
  settings jsonb not null,
  css_warnings jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  version integer default 1 not null,
  constraint dashboards_pkey PRIMARY KEY (id),
  constraint dashboards_dashboard_id UNIQUE (dashboard_id),
  constraint dashboards_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX dashboards_account ON dashboards USING btree (account_id, id);

create table agent_confirmations (
  id uuid,
  account_id uuid not null,
  credential_id uuid not null,
  asked_by text not null,
  via text not null,
  tool text not null,
  input jsonb not null,
  summary text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint agent_confirmations_pkey PRIMARY KEY (id),
  constraint agent_confirmations_via_check CHECK ((via = ANY (ARRAY['stream'::text, 'mcp'::text]))),
  constraint agent_confirmations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX agent_confirmations_account ON agent_confirmations USING btree (account_id, id DESC);
CREATE INDEX agent_confirmations_expiry ON agent_confirmations USING btree (expires_at);

create table agent_exchanges (
  id uuid,
  account_id uuid not null,
  host text not null,
  model text not null,
  request text not null,
  request_bytes integer not null,
  status integer,
  failure text,
  sent_at timestamp with time zone not null,
  constraint agent_exchanges_pkey PRIMARY KEY (id),
  constraint agent_exchanges_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX agent_exchanges_account ON agent_exchanges USING btree (account_id, id DESC);
CREATE INDEX agent_exchanges_sent ON agent_exchanges USING btree (sent_at);

create table sealing_key_check (
  is_only boolean default true,
  sealed text not null,
  written_at timestamp with time zone default now() not null,
  constraint sealing_key_check_pkey PRIMARY KEY (is_only),
  constraint sealing_key_check_is_only_check CHECK (is_only)
);

create table set_aside (
  work text,
  key text,
  reason text not null,
  attempts integer not null,
  retry_at timestamp with time zone not null,
  first_at timestamp with time zone not null,
  constraint set_aside_pkey PRIMARY KEY (work, key)
);

create table sign_in_networks (
  user_id uuid,
  network text,
  last_sign_in_at timestamp with time zone not null,
  constraint sign_in_networks_pkey PRIMARY KEY (user_id, network),
  constraint sign_in_networks_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

create table check_troubles (
  id uuid,
  account_id uuid not null,
  check_id uuid not null,
  status text not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint check_troubles_pkey PRIMARY KEY (id),
  constraint check_troubles_status_check CHECK ((status = ANY (ARRAY['degraded'::text, 'failing'::text, 'unknown'::text]))),
  constraint check_troubles_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint check_troubles_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX check_troubles_open ON check_troubles USING btree (check_id) WHERE ended_at IS NULL;
CREATE INDEX check_troubles_check ON check_troubles USING btree (check_id, started_at);
CREATE INDEX check_troubles_ended ON check_troubles USING btree (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX check_troubles_failing ON check_troubles USING btree (account_id) WHERE ended_at IS NULL AND status = 'failing'::text;

create table service_follows (
  service_id uuid not null,
  account_id uuid not null,
  check_id uuid,
  tag text,
  since timestamp with time zone not null,
  constraint service_follows_check CHECK (((check_id IS NULL) <> (tag IS NULL))),
  constraint service_follows_service_id_fkey FOREIGN KEY (service_id) REFERENCES services(id) ON DELETE CASCADE,
  constraint service_follows_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint service_follows_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX service_follows_check ON service_follows USING btree (service_id, check_id) WHERE check_id IS NOT NULL;
CREATE UNIQUE INDEX service_follows_tag ON service_follows USING btree (service_id, tag) WHERE tag IS NOT NULL;
CREATE INDEX service_follows_followed ON service_follows USING btree (check_id) WHERE check_id IS NOT NULL;

create table result_probes (
  number integer generated always as identity,
  name text not null,
  constraint result_probes_pkey PRIMARY KEY (number),
  constraint result_probes_name_key UNIQUE (name)
);

create table hourly_rollups (
  check_id uuid constraint hourly_rollups_check_id_not_null1 not null,
  starts_at timestamp with time zone constraint hourly_rollups_starts_at_not_null1 not null,
  location text constraint hourly_rollups_location_not_null1 not null,
  runs integer[] constraint hourly_rollups_runs_not_null1 not null,
  retries integer constraint hourly_rollups_retries_not_null1 not null,
  counters integer[] not null,
  sample_count integer not null,
  sample_sum_ms double precision,
  samples bytea not null,
  parts bytea[] not null,
  constraint hourly_rollups_pkey PRIMARY KEY (check_id, starts_at, location)
);
CREATE INDEX hourly_rollups_start ON hourly_rollups USING btree (starts_at);

create table daily_rollups (
  check_id uuid constraint hourly_rollups_check_id_not_null1 not null,
  starts_at timestamp with time zone constraint hourly_rollups_starts_at_not_null1 not null,
  location text constraint hourly_rollups_location_not_null1 not null,
  runs integer[] constraint hourly_rollups_runs_not_null1 not null,
  retries integer constraint hourly_rollups_retries_not_null1 not null,
  counters integer[] constraint hourly_rollups_counters_not_null not null,
  sample_count integer constraint hourly_rollups_sample_count_not_null not null,
  sample_sum_ms double precision,
  samples bytea constraint hourly_rollups_samples_not_null not null,
  parts bytea[] constraint hourly_rollups_parts_not_null not null,
  constraint daily_rollups_pkey PRIMARY KEY (check_id, starts_at, location)
);
CREATE INDEX daily_rollups_start ON daily_rollups USING btree (starts_at);

create table hourly_running_totals (
  check_id uuid,
  starts_at timestamp with time zone,
  runs integer[] not null,
  counters integer[] not null,
  samples bytea not null,
  parts bytea[] not null,
  hours bytea,
  constraint hourly_running_totals_pkey PRIMARY KEY (check_id, starts_at)
);
CREATE INDEX hourly_running_totals_start ON hourly_running_totals USING btree (starts_at);

create table daily_running_totals (
  check_id uuid,
  starts_at timestamp with time zone,
  runs integer[] not null,
  counters integer[] not null,
  samples bytea not null,
  parts bytea[] not null,
  constraint daily_running_totals_pkey PRIMARY KEY (check_id, starts_at)
);
CREATE INDEX daily_running_totals_start ON daily_running_totals USING btree (starts_at);

create table page_names (
  name text not null,
  kind text,
  account_id uuid not null,
  page_kind text,
  page_id text,
  constraint page_names_pkey PRIMARY KEY (page_kind, page_id, kind),
  constraint page_names_kind_check CHECK ((kind = ANY (ARRAY['id'::text, 'label'::text, 'domain'::text]))),
  constraint page_names_page_kind_check CHECK ((page_kind = ANY (ARRAY['status-page'::text, 'dashboard'::text]))),
  constraint page_names_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX page_names_host ON page_names USING btree (name) WHERE kind <> 'id'::text;
CREATE UNIQUE INDEX page_names_dashboard ON page_names USING btree (name) WHERE page_kind = 'dashboard'::text;

create table variables (
  account_id uuid,
  key text,
  sealed text not null,
  is_locked boolean not null,
  is_secret boolean not null,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  constraint variables_pkey PRIMARY KEY (account_id, key),
  constraint variables_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table client_certificates (
  id uuid,
  account_id uuid not null,
  host text not null,
  certificate text not null,
  ca text,
  sealed_key text not null,
  created_at timestamp with time zone not null,
  constraint client_certificates_pkey PRIMARY KEY (id),
  constraint client_certificates_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX client_certificates_account ON client_certificates USING btree (account_id, id);

create table heartbeats (
  check_id uuid,
  due_at timestamp with time zone,
  expected_at timestamp with time zone,
  last_ping_at timestamp with time zone,
  last_event_at timestamp with time zone,
  changed_at timestamp with time zone,
  is_missed boolean not null,
  is_active boolean not null,
  schedule text not null,
  starts jsonb,
  constraint heartbeats_pkey PRIMARY KEY (check_id),
  constraint heartbeats_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE
) with (fillfactor=70);
CREATE INDEX heartbeats_due ON heartbeats USING btree (due_at) WHERE due_at IS NOT NULL;

create table ping_service (
  is_only boolean default true,
  alive_at timestamp with time zone not null,
  resumed_at timestamp with time zone not null,
  constraint ping_service_pkey PRIMARY KEY (is_only),
  constraint ping_service_is_only_check CHECK (is_only)
);

create table heartbeat_reviews (
  id bigint generated always as identity,
  check_id uuid not null,
  was_off boolean not null,
  constraint heartbeat_reviews_pkey PRIMARY KEY (id)
);
CREATE INDEX heartbeat_reviews_check ON heartbeat_reviews USING btree (check_id);

create table check_certificates (
  check_id uuid,
  fingerprint text,
  account_id uuid not null,
  host text not null,
  issuer text not null,
  expires_at timestamp with time zone not null,
  result_id uuid not null,
  location text not null,
  seen_at timestamp with time zone not null,
  told_days smallint,
  told_at timestamp with time zone,
  look_at timestamp with time zone not null,
  constraint check_certificates_pkey PRIMARY KEY (check_id, fingerprint),
  constraint check_certificates_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE,
  constraint check_certificates_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX check_certificates_look ON check_certificates USING btree (look_at);
CREATE INDEX check_certificates_seen ON check_certificates USING btree (seen_at);

create table totp_secrets (
  user_id uuid,
  sealed_secret text not null,
  created_at timestamp with time zone not null,
  last_step bigint not null,
  constraint totp_secrets_pkey PRIMARY KEY (user_id),
  constraint totp_secrets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

create table recovery_codes (
  user_id uuid,
  code_hash bytea,
  created_at timestamp with time zone not null,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, code_hash),
  constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

create table passkeys (
  id uuid,
  user_id uuid not null,
  name text not null,
  host text not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  is_synced boolean not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_credential_id_key UNIQUE (credential_id),
  constraint passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX passkeys_user ON passkeys USING btree (user_id);

create table spent_challenges (
  id uuid,
  expires_at timestamp with time zone not null,
  constraint spent_challenges_pkey PRIMARY KEY (id)
);
CREATE INDEX spent_challenges_expiry ON spent_challenges USING btree (expires_at);

create table sign_in_links (
  token_hash bytea,
  user_id uuid not null,
  purpose text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint sign_in_links_pkey PRIMARY KEY (token_hash),
  constraint sign_in_links_purpose_check CHECK ((purpose = ANY (ARRAY['SIGN_IN'::text, 'RESET'::text]))),
  constraint sign_in_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX sign_in_links_user ON sign_in_links USING btree (user_id);
CREATE INDEX sign_in_links_expiry ON sign_in_links USING btree (expires_at);

create table saved_views (
  id integer generated always as identity,
  account_id uuid not null,
  user_id uuid,
  name text not null,
  query text not null,
  is_shared boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  constraint saved_views_pkey PRIMARY KEY (id),
  constraint saved_views_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint saved_views_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX saved_views_account ON saved_views USING btree (account_id, id);

create table oidc_identities (
  issuer text,
  subject text,
  user_id uuid not null,
  is_role_mapped boolean not null,
  created_at timestamp with time zone not null,
  last_sign_in_at timestamp with time zone not null,
  constraint oidc_identities_pkey PRIMARY KEY (issuer, subject),
  constraint oidc_identities_issuer_user_id_key UNIQUE (issuer, user_id),
  constraint oidc_identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX oidc_identities_user ON oidc_identities USING btree (user_id);

create unlogged table previews (
  id bigint generated always as identity,
  token_hash bytea not null,
  account_id uuid not null,
  content_security_policy text not null,
  byte_count integer not null,
  expires_at timestamp with time zone not null,
  constraint previews_pkey PRIMARY KEY (id),
  constraint previews_token_hash_key UNIQUE (token_hash),
  constraint previews_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX previews_account ON previews USING btree (account_id, id DESC);
CREATE INDEX previews_expiry ON previews USING btree (expires_at);

create unlogged table preview_files (
  preview_id bigint,
  path text,
  content_type text not null,
  bytes bytea not null,
  constraint preview_files_pkey PRIMARY KEY (preview_id, path),
  constraint preview_files_preview_id_fkey FOREIGN KEY (preview_id) REFERENCES previews(id) ON DELETE CASCADE
);

create table maintenance_updates (
  id uuid,
  window_id integer not null,
  occurrence_index integer not null,
  status text not null,
  description text not null,
  notify_subscribers boolean not null,
  previous_status text,
  previous_starts_at timestamp with time zone,
  previous_ends_at timestamp with time zone,
  adjusted_starts_at timestamp with time zone,
  adjusted_ends_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint maintenance_updates_pkey PRIMARY KEY (id),
  constraint maintenance_updates_window_id_fkey FOREIGN KEY (window_id) REFERENCES maintenance_windows(id) ON DELETE CASCADE
);
CREATE INDEX maintenance_updates_occurrence ON maintenance_updates USING btree (window_id, occurrence_index);

create table page_domains (
  page_kind text,
  page_id text,
  account_id uuid not null,
  domain text not null,
  claimed_at timestamp with time zone not null,
  proof text,
  proved_at timestamp with time zone,
  missing_since timestamp with time zone,
  looked_at timestamp with time zone,
  vain_looks integer default 0 not null,
  outcome text,
  is_txt_seen boolean default false not null,
  is_cname_seen boolean default false not null,
  found text[] default '{}'::text[] not null,
  next_look_at timestamp with time zone not null,
  constraint page_domains_pkey PRIMARY KEY (page_kind, page_id),
  constraint page_domains_account_id_domain_key UNIQUE (account_id, domain),
  constraint page_domains_page_kind_check CHECK ((page_kind = ANY (ARRAY['status-page'::text, 'dashboard'::text]))),
  constraint page_domains_proof_check CHECK ((proof = ANY (ARRAY['TXT'::text, 'CNAME'::text]))),
  constraint page_domains_outcome_check CHECK ((outcome = ANY (ARRAY['SEEN'::text, 'NO_RECORD'::text, 'OTHER_VALUE'::text, 'TAKEN'::text, 'NO_ANSWER'::text]))),
  constraint page_domains_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX page_domains_domain ON page_domains USING btree (domain);
CREATE INDEX page_domains_due ON page_domains USING btree (next_look_at);

create table alert_acknowledgements (
  check_id uuid,
  alert_number integer,
  account_id uuid not null,
  at timestamp with time zone not null,
  actor_name text not null,
  constraint alert_acknowledgements_pkey PRIMARY KEY (check_id, alert_number),
  constraint alert_acknowledgements_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX alert_acknowledgements_account ON alert_acknowledgements USING btree (account_id);

create table push_keys (
  is_here boolean default true,
  public_key text not null,
  private_key text not null,
  constraint push_keys_pkey PRIMARY KEY (is_here),
  constraint push_keys_is_here_check CHECK (is_here)
);

create table push_subscriptions (
  id uuid,
  account_id uuid not null,
  user_id uuid not null,
  endpoint_hash bytea not null,
  sealed text not null,
  host text not null,
  name text not null,
  created_at timestamp with time zone not null,
  last_sent_at timestamp with time zone,
  constraint push_subscriptions_pkey PRIMARY KEY (id),
  constraint push_subscriptions_account_id_endpoint_hash_key UNIQUE (account_id, endpoint_hash),
  constraint push_subscriptions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint push_subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX push_subscriptions_user ON push_subscriptions USING btree (user_id);

create table private_locations (
  id uuid,
  account_id uuid not null,
  name text not null,
  slug_name text not null,
  icon text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  served_at timestamp with time zone,
  silence_told_at timestamp with time zone,
  constraint private_locations_pkey PRIMARY KEY (id),
  constraint private_locations_account_id_slug_name_key UNIQUE (account_id, slug_name),
  constraint private_locations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table probe_keys (
  id uuid,
  private_location_id uuid,
  region text,
  key_hash bytea not null,
  last_four text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint probe_keys_pkey PRIMARY KEY (id),
  constraint probe_keys_key_hash_key UNIQUE (key_hash),
  constraint probe_keys_check CHECK (((private_location_id IS NULL) <> (region IS NULL))),
  constraint probe_keys_private_location_id_fkey FOREIGN KEY (private_location_id) REFERENCES private_locations(id) ON DELETE CASCADE
);
CREATE INDEX probe_keys_location ON probe_keys USING btree (private_location_id) WHERE private_location_id IS NOT NULL;

create table run_gaps (
  check_id uuid,
  location text,
  after_at timestamp with time zone not null,
  before_at timestamp with time zone,
  due_count integer not null,
  constraint run_gaps_pkey PRIMARY KEY (check_id, before_at, location),
  constraint run_gaps_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE
);
CREATE INDEX run_gaps_before ON run_gaps USING btree (before_at);

create table servers (
  id text,
  instance uuid not null,
  place text not null,
  name text not null,
  version text not null,
  address text,
  started_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  is_scheduling boolean not null,
  clock_skew_ms double precision,
  lag_ms double precision default 0 not null,
  slowest_loop text,
  skipped_share double precision default 0 not null,
  constraint servers_pkey PRIMARY KEY (id)
);

create table private_location_queues (
  private_location_id uuid,
  at timestamp with time zone,
  queue_size integer not null,
  oldest_seconds integer not null,
  constraint private_location_queues_pkey PRIMARY KEY (private_location_id, at),
  constraint private_location_queues_private_location_id_fkey FOREIGN KEY (private_location_id) REFERENCES private_locations(id) ON DELETE CASCADE
);

create table backups (
  id uuid,
  server_id text not null,
  reason text not null,
  file text not null,
  started_at timestamp with time zone not null,
  alive_at timestamp with time zone not null,
  written_at timestamp with time zone,
  finished_at timestamp with time zone,
  size_bytes bigint,
  row_count bigint,
  has_key boolean,
  problem text,
  verified_at timestamp with time zone,
  verify_problem text,
  removed_at timestamp with time zone,
  constraint backups_pkey PRIMARY KEY (id),
  constraint backups_reason_check CHECK ((reason = ANY (ARRAY['SCHEDULE'::text, 'REQUEST'::text])))
);
CREATE UNIQUE INDEX backups_one_at_a_time ON backups USING btree ((true)) WHERE finished_at IS NULL;
CREATE INDEX backups_started ON backups USING btree (started_at DESC);

create table email_changes (
  user_id uuid,
  new_email text not null,
  token_hash bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint email_changes_pkey PRIMARY KEY (user_id),
  constraint email_changes_token_hash_key UNIQUE (token_hash),
  constraint email_changes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX email_changes_expiry ON email_changes USING btree (expires_at);

create table channel_windows (
  alert_channel_id integer,
  ends_at timestamp with time zone not null,
  message_count integer not null,
  constraint channel_windows_pkey PRIMARY KEY (alert_channel_id),
  constraint channel_windows_alert_channel_id_fkey FOREIGN KEY (alert_channel_id) REFERENCES alert_channels(id) ON DELETE CASCADE
);

create table annotations (
  id uuid,
  account_id uuid not null,
  check_id uuid,
  tags text[] not null,
  type text not null,
  text text not null,
  url text,
  at timestamp with time zone not null,
  author text not null,
  created_at timestamp with time zone not null,
  constraint annotations_pkey PRIMARY KEY (id),
  constraint annotations_type_check CHECK ((type = ANY (ARRAY['NOTE'::text, 'DEPLOYMENT'::text]))),
  constraint annotations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint annotations_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE
);
CREATE INDEX annotations_by_time ON annotations USING btree (account_id, at DESC, id DESC);
CREATE INDEX annotations_of_check ON annotations USING btree (check_id) WHERE check_id IS NOT NULL;

create table incident_notes (
  id uuid,
  account_id uuid not null,
  incident_id uuid not null,
  body text not null,
  author text not null,
  created_at timestamp with time zone not null,
  constraint incident_notes_pkey PRIMARY KEY (id),
  constraint incident_notes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint incident_notes_incident_id_fkey FOREIGN KEY (incident_id) REFERENCES incidents(id) ON DELETE CASCADE
);
CREATE INDEX incident_notes_incident ON incident_notes USING btree (incident_id, id DESC);

create table incident_post_mortems (
  incident_id uuid,
  account_id uuid not null,
  body text not null,
  author text not null,
  published_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint incident_post_mortems_pkey PRIMARY KEY (incident_id),
  constraint incident_post_mortems_incident_id_fkey FOREIGN KEY (incident_id) REFERENCES incidents(id) ON DELETE CASCADE,
  constraint incident_post_mortems_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table imports (
  id uuid,
  account_id uuid not null,
  source text not null,
  file_name text not null,
  report jsonb not null,
  facts jsonb not null,
  sealed_reading text,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  outcome jsonb,
  name text default ''::text not null,
  constraint imports_pkey PRIMARY KEY (id),
  constraint imports_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX imports_account ON imports USING btree (account_id, created_at);

create table imported_objects (
  account_id uuid,
  source text,
  origin text,
  type text not null,
  object_id text not null,
  created_at timestamp with time zone not null,
  sealed text,
  name text default ''::text,
  constraint imported_objects_pkey PRIMARY KEY (account_id, source, name, origin),
  constraint imported_objects_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table snippets (
  id integer generated always as identity,
  account_id uuid not null,
  name text not null,
  script text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  constraint snippets_pkey PRIMARY KEY (id),
  constraint snippets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX snippets_of_account ON snippets USING btree (account_id, id);

create table run_triggers (
  id integer generated always as identity,
  account_id uuid not null,
  check_id uuid,
  group_id integer,
  token text not null,
  created_at timestamp with time zone not null,
  called_at timestamp with time zone,
  constraint run_triggers_pkey PRIMARY KEY (id),
  constraint run_triggers_check_id_key UNIQUE (check_id),
  constraint run_triggers_group_id_key UNIQUE (group_id),
  constraint run_triggers_check CHECK ((num_nonnulls(check_id, group_id) = 1)),
  constraint run_triggers_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint run_triggers_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE,
  constraint run_triggers_group_id_fkey FOREIGN KEY (group_id) REFERENCES check_groups(id) ON DELETE CASCADE
);

create table push_addresses (
  id uuid,
  account_id uuid not null,
  check_id uuid not null,
  form text not null,
  digest bytea not null,
  hint text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint push_addresses_pkey PRIMARY KEY (id),
  constraint push_addresses_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint push_addresses_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX push_addresses_digest ON push_addresses USING btree (form, digest);
CREATE INDEX push_addresses_check ON push_addresses USING btree (check_id);
CREATE INDEX push_addresses_account ON push_addresses USING btree (account_id);

create table projects (
  id uuid,
  account_id uuid not null,
  logical_id text not null,
  name text not null,
  repo_url text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint projects_pkey PRIMARY KEY (id),
  constraint projects_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX projects_logical_id ON projects USING btree (account_id, logical_id);

create table project_resources (
  project_id uuid,
  account_id uuid not null,
  type text,
  logical_id text,
  physical_id text not null,
  sealed text,
  source_file text,
  constraint project_resources_pkey PRIMARY KEY (project_id, type, logical_id),
  constraint project_resources_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint project_resources_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX project_resources_owner ON project_resources USING btree (account_id, type, physical_id);

create table deployments (
  id uuid,
  account_id uuid not null,
  logical_id text not null,
  status text not null,
  progress integer not null,
  error jsonb,
  result jsonb,
  schedules boolean not null,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  ended_at timestamp with time zone,
  cancel_requested_at timestamp with time zone,
  constraint deployments_pkey PRIMARY KEY (id),
  constraint deployments_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX deployments_active ON deployments USING btree (account_id, logical_id) WHERE status = ANY (ARRAY['PENDING'::text, 'RUNNING'::text]);
CREATE INDEX deployments_account ON deployments USING btree (account_id, logical_id, created_at DESC);
CREATE INDEX deployments_created_at ON deployments USING btree (created_at);

create table project_imports (
  id uuid,
  account_id uuid not null,
  project_id uuid not null,
  resources jsonb not null,
  created_at timestamp with time zone not null,
  applied_at timestamp with time zone,
  committed_at timestamp with time zone,
  constraint project_imports_pkey PRIMARY KEY (id),
  constraint project_imports_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint project_imports_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE
);
CREATE INDEX project_imports_project ON project_imports USING btree (project_id, created_at DESC);

create table test_sessions (
  id uuid,
  account_id uuid not null,
  name text not null,
  location text not null,
  invoker text not null,
  provider text not null,
  details jsonb not null,
  is_recorded boolean not null,
  started_at timestamp with time zone not null,
  constraint test_sessions_pkey PRIMARY KEY (id),
  constraint test_sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX test_sessions_by_time ON test_sessions USING btree (account_id, started_at DESC, id DESC);

create table test_results (
  id uuid,
  session_id uuid not null,
  account_id uuid not null,
  place integer not null,
  check_id uuid,
  check_type text not null,
  name text not null,
  file_path text,
  status text not null,
  is_degraded boolean default false not null,
  error text,
  response_ms double precision,
  started_at timestamp with time zone,
  stopped_at timestamp with time zone,
  document jsonb,
  run_id uuid,
  constraint test_results_pkey PRIMARY KEY (id),
  constraint test_results_status_check CHECK ((status = ANY (ARRAY['RUNNING'::text, 'PASSED'::text, 'FAILED'::text, 'CANCELLED'::text]))),
  constraint test_results_session_id_fkey FOREIGN KEY (session_id) REFERENCES test_sessions(id) ON DELETE CASCADE,
  constraint test_results_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX test_results_of_session ON test_results USING btree (session_id, place);
alter table services add constraint services_status_page_id_fkey FOREIGN KEY (status_page_id) REFERENCES status_pages(id) ON DELETE CASCADE;

create table status_page_rules (
  id uuid,
  account_id uuid not null,
  status_page_id uuid not null,
  name text not null,
  is_enabled boolean not null,
  first_update text not null,
  last_update text not null,
  notify_subscribers boolean not null,
  cool_down_minutes integer not null,
  tags text[] not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  failing_check_ids uuid[] default '{}'::uuid[] not null,
  incident_id uuid,
  incident_ended_at timestamp with time zone,
  constraint status_page_rules_pkey PRIMARY KEY (id),
  constraint status_page_rules_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint status_page_rules_status_page_id_fkey FOREIGN KEY (status_page_id) REFERENCES status_pages(id) ON DELETE CASCADE,
  constraint status_page_rules_incident_id_fkey FOREIGN KEY (incident_id) REFERENCES incidents(id) ON DELETE SET NULL
);
CREATE INDEX status_page_rules_page ON status_page_rules USING btree (status_page_id, id);
CREATE INDEX status_page_rules_account ON status_page_rules USING btree (account_id);
CREATE INDEX status_page_rules_failing ON status_page_rules USING btree (account_id) WHERE failing_check_ids <> '{}'::uuid[];
CREATE INDEX status_page_rules_incident ON status_page_rules USING btree (incident_id) WHERE incident_id IS NOT NULL;

create table status_page_rule_components (
  id uuid,
  rule_id uuid not null,
  card_id uuid,
  card_service_id uuid,
  impact text not null,
  "position" integer not null,
  constraint status_page_rule_components_pkey PRIMARY KEY (id),
  constraint status_page_rule_components_impact_check CHECK ((impact = ANY (ARRAY['UNDER_MAINTENANCE'::text, 'DEGRADED_PERFORMANCE'::text, 'PARTIAL_OUTAGE'::text, 'MAJOR_OUTAGE'::text]))),
  constraint status_page_rule_components_check CHECK (((card_id IS NULL) <> (card_service_id IS NULL))),
  constraint status_page_rule_components_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES status_page_rules(id) ON DELETE CASCADE,
  constraint status_page_rule_components_card_id_fkey FOREIGN KEY (card_id) REFERENCES status_page_cards(id) ON DELETE CASCADE,
  constraint status_page_rule_components_card_service_id_fkey FOREIGN KEY (card_service_id) REFERENCES status_page_card_services(id) ON DELETE CASCADE
);
CREATE INDEX status_page_rule_components_rule ON status_page_rule_components USING btree (rule_id, "position");
CREATE INDEX status_page_rule_components_card ON status_page_rule_components USING btree (card_id);
CREATE INDEX status_page_rule_components_service ON status_page_rule_components USING btree (card_service_id);

create table rule_evaluations (
  id bigint generated always as identity,
  account_id uuid not null,
  due_at timestamp with time zone not null,
  constraint rule_evaluations_pkey PRIMARY KEY (id),
  constraint rule_evaluations_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX rule_evaluations_due ON rule_evaluations USING btree (due_at);

create table device_logins (
  id uuid,
  device_hash bytea not null,
  user_code text not null,
  client text not null,
  address text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  polled_at timestamp with time zone,
  interval_seconds integer not null,
  status text default 'PENDING'::text not null,
  user_id uuid,
  key_id uuid,
  sealed_key text,
  constraint device_logins_pkey PRIMARY KEY (id),
  constraint device_logins_device_hash_key UNIQUE (device_hash),
  constraint device_logins_user_code_key UNIQUE (user_code),
  constraint device_logins_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'APPROVED'::text, 'DENIED'::text, 'USED'::text]))),
  constraint device_logins_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE,
  constraint device_logins_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id) ON DELETE SET NULL
);
CREATE INDEX device_logins_expiry ON device_logins USING btree (expires_at);

create table code_bundles (
  account_id uuid,
  key text,
  content bytea not null,
  uploaded_at timestamp with time zone not null,
  constraint code_bundles_pkey PRIMARY KEY (account_id, key),
  constraint code_bundles_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
alter table code_bundles alter column content set storage external;

create table run_assets (
  id uuid,
  account_id uuid not null,
  check_id uuid,
  run_id uuid not null,
  type text not null,
  name text not null,
  content_type text not null,
  byte_count integer not null,
  path text not null,
  server_id uuid,
  is_complete boolean default false not null,
  created_at timestamp with time zone not null,
  constraint run_assets_pkey PRIMARY KEY (id),
  constraint run_assets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint run_assets_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE
);
CREATE INDEX run_assets_run ON run_assets USING btree (run_id);
CREATE INDEX run_assets_check ON run_assets USING btree (check_id);
CREATE INDEX run_assets_age ON run_assets USING btree (account_id, created_at, id) INCLUDE (byte_count);
CREATE INDEX run_assets_created ON run_assets USING btree (created_at);

create table asset_removals (
  path text not null,
  server_id uuid,
  removed_at timestamp with time zone default now() not null
);
CREATE INDEX asset_removals_server ON asset_removals USING btree (server_id, path);

create table lost_assets (
  account_id uuid,
  run_id uuid,
  reason text,
  file_count integer not null,
  created_at timestamp with time zone not null,
  constraint lost_assets_pkey PRIMARY KEY (run_id, account_id, reason),
  constraint lost_assets_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX lost_assets_age ON lost_assets USING btree (created_at);

create table former_members (
  account_id uuid,
  user_id uuid,
  name text not null,
  left_at timestamp with time zone not null,
  constraint former_members_pkey PRIMARY KEY (account_id, user_id),
  constraint former_members_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table on_call_schedules (
  id uuid,
  account_id uuid not null,
  name text not null,
  time_zone text not null,
  layers jsonb not null,
  warns_about_gaps boolean not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  constraint on_call_schedules_pkey PRIMARY KEY (id),
  constraint on_call_schedules_account_id_name_key UNIQUE (account_id, name),
  constraint on_call_schedules_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table on_call_overrides (
  id uuid,
  account_id uuid not null,
  schedule_id uuid not null,
  user_id uuid,
  starts_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  reason text,
  author text not null,
  author_id uuid,
  swap_id uuid,
  created_at timestamp with time zone not null,
  constraint on_call_overrides_pkey PRIMARY KEY (id),
  constraint on_call_overrides_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint on_call_overrides_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES on_call_schedules(id) ON DELETE CASCADE
);
CREATE INDEX on_call_overrides_schedule ON on_call_overrides USING btree (schedule_id, ends_at);
CREATE INDEX on_call_overrides_account ON on_call_overrides USING btree (account_id, ends_at);

create table on_call_swaps (
  id uuid,
  account_id uuid not null,
  schedule_id uuid not null,
  requester_id uuid not null,
  other_id uuid not null,
  gives_from timestamp with time zone not null,
  gives_to timestamp with time zone not null,
  takes_from timestamp with time zone not null,
  takes_to timestamp with time zone not null,
  reason text,
  created_at timestamp with time zone not null,
  constraint on_call_swaps_pkey PRIMARY KEY (id),
  constraint on_call_swaps_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint on_call_swaps_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES on_call_schedules(id) ON DELETE CASCADE
);
CREATE INDEX on_call_swaps_schedule ON on_call_swaps USING btree (schedule_id, id);

create table on_call_feeds (
  id uuid,
  account_id uuid not null,
  schedule_id uuid,
  user_id uuid,
  author text not null,
  token_hash bytea not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint on_call_feeds_pkey PRIMARY KEY (id),
  constraint on_call_feeds_token_hash_key UNIQUE (token_hash),
  constraint on_call_feeds_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint on_call_feeds_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES on_call_schedules(id) ON DELETE CASCADE
);
CREATE INDEX on_call_feeds_account ON on_call_feeds USING btree (account_id, id);

create table mutes (
  id uuid,
  account_id uuid not null,
  check_id uuid,
  group_id integer,
  tag text,
  target text not null,
  ends_at timestamp with time zone not null,
  reason text not null,
  author text not null,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  constraint mutes_pkey PRIMARY KEY (id),
  constraint mutes_account_id_target_key UNIQUE (account_id, target),
  constraint mutes_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint mutes_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE,
  constraint mutes_group_id_fkey FOREIGN KEY (group_id) REFERENCES check_groups(id) ON DELETE CASCADE
);
CREATE INDEX mutes_of_check ON mutes USING btree (check_id) WHERE check_id IS NOT NULL;
CREATE INDEX mutes_of_group ON mutes USING btree (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX mutes_of_many ON mutes USING btree (account_id) WHERE check_id IS NULL;
CREATE INDEX mutes_by_end ON mutes USING btree (ends_at);
alter table alert_channels add constraint alert_channels_quiet_reroute_id_fkey FOREIGN KEY (quiet_reroute_id) REFERENCES alert_channels(id) ON DELETE SET NULL;

create table contact_methods (
  id uuid,
  account_id uuid not null,
  user_id uuid not null,
  type text not null,
  config jsonb not null,
  verified_at timestamp with time zone,
  sealed_code text,
  code_expires_at timestamp with time zone,
  wrong_codes integer default 0 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  version integer default 1 not null,
  lan_allowed_by text,
  constraint contact_methods_pkey PRIMARY KEY (id),
  constraint contact_methods_account_id_user_id_fkey FOREIGN KEY (account_id, user_id) REFERENCES members(account_id, user_id) ON DELETE CASCADE
);
CREATE INDEX contact_methods_member ON contact_methods USING btree (account_id, user_id, id);

create table notification_rules (
  account_id uuid,
  user_id uuid,
  rules jsonb not null,
  updated_at timestamp with time zone not null,
  constraint notification_rules_pkey PRIMARY KEY (account_id, user_id),
  constraint notification_rules_account_id_user_id_fkey FOREIGN KEY (account_id, user_id) REFERENCES members(account_id, user_id) ON DELETE CASCADE
);
alter table deliveries add constraint deliveries_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'SENT'::text, 'DEAD'::text, 'CANCELLED'::text]))) NOT VALID;

create table run_paths (
  check_id uuid,
  result_id uuid,
  at timestamp with time zone not null,
  report jsonb not null,
  constraint run_paths_pkey PRIMARY KEY (check_id, result_id),
  constraint run_paths_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE
);
CREATE INDEX run_paths_at ON run_paths USING btree (at);

create table good_paths (
  check_id uuid,
  location text,
  tried_at timestamp with time zone not null,
  learned_at timestamp with time zone,
  path jsonb,
  constraint good_paths_pkey PRIMARY KEY (check_id, location),
  constraint good_paths_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE
);

create table escalation_policies (
  id uuid,
  account_id uuid not null,
  name text not null,
  steps jsonb not null,
  repeat integer not null,
  repeat_after_minutes integer not null,
  fallback_channel_id integer,
  support_hours jsonb,
  from_stages boolean default false not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  constraint escalation_policies_pkey PRIMARY KEY (id),
  constraint escalation_policies_account_id_name_key UNIQUE (account_id, name),
  constraint escalation_policies_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX escalation_policies_from_stages ON escalation_policies USING btree (account_id) WHERE from_stages;

create table on_call_schedule_versions (
  account_id uuid not null,
  schedule_id uuid,
  ended_at timestamp with time zone,
  time_zone text not null,
  layers jsonb not null,
  constraint on_call_schedule_versions_pkey PRIMARY KEY (schedule_id, ended_at),
  constraint on_call_schedule_versions_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint on_call_schedule_versions_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES on_call_schedules(id) ON DELETE CASCADE
);
CREATE INDEX on_call_schedule_versions_account ON on_call_schedule_versions USING btree (account_id, ended_at);

create table on_call_preferences (
  account_id uuid,
  user_id uuid,
  time_zone text,
  sends_handoffs boolean not null,
  reminder_minutes integer,
  updated_at timestamp with time zone not null,
  constraint on_call_preferences_pkey PRIMARY KEY (account_id, user_id),
  constraint on_call_preferences_account_id_user_id_fkey FOREIGN KEY (account_id, user_id) REFERENCES members(account_id, user_id) ON DELETE CASCADE
);

create table shift_mail_cursors (
  account_id uuid,
  done_until timestamp with time zone not null,
  constraint shift_mail_cursors_pkey PRIMARY KEY (account_id),
  constraint shift_mail_cursors_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);

create table shift_mails (
  id uuid,
  account_id uuid not null,
  schedule_id uuid not null,
  user_id uuid not null,
  kind text not null,
  shift_from timestamp with time zone not null,
  status text not null,
  attempts integer default 0 not null,
  next_attempt_at timestamp with time zone not null,
  claimed_until timestamp with time zone,
  reason text,
  constraint shift_mails_pkey PRIMARY KEY (id),
  constraint shift_mails_schedule_id_user_id_kind_shift_from_key UNIQUE (schedule_id, user_id, kind, shift_from),
  constraint shift_mails_kind_check CHECK ((kind = ANY (ARRAY['HANDOFF'::text, 'REMINDER'::text]))),
  constraint shift_mails_status_check CHECK ((status = ANY (ARRAY['PENDING'::text, 'SENT'::text, 'DEAD'::text]))),
  constraint shift_mails_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint shift_mails_schedule_id_fkey FOREIGN KEY (schedule_id) REFERENCES on_call_schedules(id) ON DELETE CASCADE
);
CREATE INDEX shift_mails_due ON shift_mails USING btree (next_attempt_at) WHERE status = 'PENDING'::text;
CREATE INDEX shift_mails_account ON shift_mails USING btree (account_id, shift_from);

create table alert_sources (
  id uuid,
  account_id uuid not null,
  name text not null,
  group_id integer,
  token_hash bytea not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone,
  last_used_at timestamp with time zone,
  alert_channel_ids integer[] default '{}'::integer[] not null,
  constraint alert_sources_pkey PRIMARY KEY (id),
  constraint alert_sources_token_hash_key UNIQUE (token_hash),
  constraint alert_sources_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint alert_sources_group_id_fkey FOREIGN KEY (group_id) REFERENCES check_groups(id) ON DELETE SET NULL
);
CREATE INDEX alert_sources_account ON alert_sources USING btree (account_id, id);
CREATE INDEX alert_sources_group ON alert_sources USING btree (group_id);

create table alert_source_groups (
  source_id uuid,
  key_hash bytea,
  check_id uuid not null,
  digest bytea not null,
  is_firing boolean not null,
  received_at timestamp with time zone not null,
  constraint alert_source_groups_pkey PRIMARY KEY (source_id, key_hash),
  constraint alert_source_groups_check_id_key UNIQUE (check_id),
  constraint alert_source_groups_source_id_fkey FOREIGN KEY (source_id) REFERENCES alert_sources(id) ON DELETE CASCADE,
  constraint alert_source_groups_check_id_fkey FOREIGN KEY (check_id) REFERENCES checks(id) ON DELETE CASCADE
);

create table alert_responses (
  id uuid,
  account_id uuid not null,
  check_id uuid not null,
  alert_number integer not null,
  action text not null,
  at timestamp with time zone not null,
  actor_name text not null,
  ends_at timestamp with time zone,
  target text,
  constraint alert_responses_pkey PRIMARY KEY (id),
  constraint alert_responses_action_check CHECK ((action = ANY (ARRAY['SNOOZED'::text, 'REASSIGNED'::text, 'ESCALATED'::text]))),
  constraint alert_responses_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE
);
CREATE INDEX alert_responses_alert ON alert_responses USING btree (check_id, alert_number, id);
CREATE INDEX alert_responses_account ON alert_responses USING btree (account_id);
CREATE INDEX alert_responses_at ON alert_responses USING btree (at);

create table page_storms (
  account_id uuid,
  user_id uuid,
  kind text,
  id uuid not null,
  started_at timestamp with time zone not null,
  slot_at timestamp with time zone not null,
  constraint page_storms_pkey PRIMARY KEY (account_id, user_id, kind),
  constraint page_storms_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE,
  constraint page_storms_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);
CREATE INDEX page_storms_user ON page_storms USING btree (user_id);

create function old_result_rest(old results)
 RETURNS bytea
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  flags integer := case when old.ip_family = 'IPv6' then 1 else 0 end;
  rest bytea := set_byte('\x00'::bytea, 0, old.ping_count);
begin
  if old.resolved_ip is not null then
    flags := flags | 2;
    rest := rest || with_length(old.resolved_ip);
  end if;
  if old.hostname = old.resolved_ip then
    flags := flags | 8;
  else
    rest := rest || with_length(old.hostname);
  end if;
  if old.dns_ms is not null then
    flags := flags | 16;
    if old.dns_ms <> 0 then
      flags := flags | 32;
      rest := rest || little_endian(float4send(old.dns_ms));
    end if;
  end if;
  if old.packet_size is not null then
    flags := flags | 64;
    rest := rest || little_endian(int2send(old.packet_size));
  end if;
  if old.jitter_ms is not null then
    flags := flags | 128;
    if old.jitter_ms <> 0 then
      flags := flags | 256;
      rest := rest || little_endian(float4send(old.jitter_ms));
    end if;
  end if;
  if coalesce(old.loss_burst, 0) <> 0 or coalesce(old.duplicates, 0) <> 0
    or coalesce(old.reordered, 0) <> 0 or coalesce(old.late_replies, 0) <> 0 then
    flags := flags | 512;
    rest := rest || little_endian(int2send(coalesce(old.loss_burst, 0::smallint)))
      || little_endian(int2send(coalesce(old.duplicates, 0::smallint)))
      || little_endian(int2send(coalesce(old.reordered, 0::smallint)))
      || little_endian(int2send(coalesce(old.late_replies, 0::smallint)));
  end if;
  return little_endian(int2send(flags::smallint)) || rest;
end
$function$;

create function old_result_detail(old results)
 RETURNS bytea
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
declare
  packets bytea := coalesce(old.packets, '');
  -- The two bytes of flags, then without the duration, which has a column now.
  rest bytea := case when old.detail is null then old_result_rest(old)
    else substring(old.detail from 1 for 2) || substring(old.detail from 7) end;
begin
  if old.trouble is not null then
    return '\x00'::bytea || rest;
  end if;
  return '\x01'::bytea || int2send(old.packets_sent) || int2send(old.packets_received)
    || float4send(coalesce(old.loss_percent, 'NaN'))
    || float4send(coalesce(old.min_ms, 'NaN')) || float4send(coalesce(old.max_ms, 'NaN'))
    || float4send(coalesce(old.avg_ms, 'NaN')) || float4send(coalesce(old.std_dev_ms, 'NaN'))
    || set_byte('\x00'::bytea, 0, octet_length(packets) / 16) || packets || rest;
end
$function$;

create function old_result_duration_us(old results)
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select least(case when old.detail is null
    then round(extract(epoch from old.stopped_at - old.started_at) * 1000000)
    else get_byte(old.detail, 2) + get_byte(old.detail, 3) * 256::bigint
      + get_byte(old.detail, 4) * 65536::bigint + get_byte(old.detail, 5) * 16777216::bigint
    end, 2147483647)::integer
$function$;

create view readable_results as
 SELECT check_id,
    id,
    location,
    COALESCE(probe_id, ( SELECT result_probes.name
           FROM result_probes
          WHERE (result_probes.number = results.probe_number))) AS probe_id,
    attempt,
    is_final,
    verdict,
    started_at,
        CASE
            WHEN (samples IS NULL) THEN old_result_duration_us(results.*)
            ELSE duration_us
        END AS duration_us,
        CASE
            WHEN (samples IS NULL) THEN avg_ms
            ELSE response_ms
        END AS response_ms,
    trouble,
    reasons,
    samples,
        CASE
            WHEN (samples IS NULL) THEN old_result_detail(results.*)
            ELSE detail
        END AS detail
   FROM results;

create view account_members as
 SELECT members.account_id,
    members.user_id,
    users.email,
    users.name
   FROM (members
     JOIN users ON ((users.id = members.user_id)));

create view channel_subscriptions as
 SELECT alert_channel_id,
    check_id,
    group_id,
    activated
   FROM alert_channel_subscriptions;

create view served_domains as
 SELECT page_kind,
    page_id,
    name AS domain
   FROM page_names
  WHERE (kind = 'domain'::text);

create view shown_services as
 SELECT card.status_page_id AS page_id,
    link.service_id
   FROM (status_page_cards card
     JOIN status_page_card_services link ON ((link.card_id = card.id)))
  WHERE ((NOT card.is_hidden) AND (NOT link.is_hidden));

create view addressed_pages as
 SELECT id,
    jsonb_build_object('name', name, 'url', url, 'servedDomain', ( SELECT served_domains.domain
           FROM served_domains
          WHERE ((served_domains.page_kind = 'status-page'::text) AND (served_domains.page_id = (status_pages.id)::text)))) AS page
   FROM status_pages;

create view notified_counts as
 SELECT announced.source_id,
    (count(delivery.id))::integer AS count
   FROM (announcements announced
     LEFT JOIN subscriber_deliveries delivery ON ((delivery.announcement_id = announced.id)))
  GROUP BY announced.source_id;

create view checks_with_period as
 SELECT id,
    account_id,
    kind,
    name,
    status,
        CASE
            WHEN (kind = ANY (ARRAY['HEARTBEAT'::text, 'ALERT_GROUP'::text])) THEN NULL::double precision
            ELSE own_period_seconds
        END AS period_seconds
   FROM checks;

create view checks_with_group as
 SELECT one.id,
    one.account_id,
    one.kind,
    one.name,
    one.sort_name,
    one.status,
    one.group_id,
    in_group.name AS group_name,
    one.tags AS own_tags,
    (one.tags || ARRAY( SELECT jsonb_array_elements_text((in_group.settings -> 'tags'::text)) AS jsonb_array_elements_text)) AS tags,
    (((one.settings -> 'activated'::text) = 'true'::jsonb) AND ((in_group.id IS NULL) OR ((in_group.settings -> 'activated'::text) = 'true'::jsonb))) AS is_active,
    (COALESCE(((one.settings -> 'muted'::text) = 'true'::jsonb), false) OR COALESCE(((in_group.settings -> 'muted'::text) = 'true'::jsonb), false)) AS is_muted
   FROM (checks one
     LEFT JOIN check_groups in_group ON ((in_group.id = one.group_id)));

create view group_labels as
 SELECT id,
    account_id,
    name,
    ARRAY( SELECT jsonb_array_elements_text((check_groups.settings -> 'tags'::text)) AS jsonb_array_elements_text) AS tags
   FROM check_groups;

create view departed_members as
 SELECT account_id,
    user_id,
    name,
    left_at
   FROM former_members;

insert into ping_service (is_only, alive_at, resumed_at) values ('true', '1970-01-01 00:00:00+00', '1970-01-01 00:00:00+00');

CREATE TRIGGER sessions_changed AFTER DELETE OR UPDATE OF expires_at ON sessions FOR EACH STATEMENT EXECUTE FUNCTION announce_caller_change();
CREATE TRIGGER members_changed AFTER INSERT OR DELETE OR UPDATE ON members FOR EACH STATEMENT EXECUTE FUNCTION announce_caller_change();
CREATE TRIGGER checks_changed AFTER INSERT OR DELETE OR UPDATE OF settings, group_id ON checks FOR EACH ROW EXECUTE FUNCTION announce_check_change();
CREATE TRIGGER check_groups_changed AFTER UPDATE OF settings ON check_groups FOR EACH ROW EXECUTE FUNCTION announce_group_change();
CREATE TRIGGER services_changed AFTER INSERT OR DELETE OR UPDATE ON services FOR EACH ROW EXECUTE FUNCTION announce_page_change();
CREATE TRIGGER status_pages_changed AFTER INSERT OR DELETE OR UPDATE ON status_pages FOR EACH ROW EXECUTE FUNCTION announce_page_change();
CREATE TRIGGER page_images_changed AFTER INSERT OR DELETE OR UPDATE OF hash ON page_images FOR EACH ROW EXECUTE FUNCTION announce_page_change();
CREATE TRIGGER incidents_changed AFTER INSERT OR DELETE OR UPDATE ON incidents FOR EACH ROW EXECUTE FUNCTION announce_page_change();
CREATE TRIGGER incident_updates_changed AFTER INSERT OR DELETE OR UPDATE ON incident_updates FOR EACH ROW EXECUTE FUNCTION announce_page_change();
CREATE TRIGGER maintenance_windows_changed AFTER INSERT OR DELETE OR UPDATE OF name, description, schedule, visibility ON maintenance_windows FOR EACH ROW EXECUTE FUNCTION announce_page_change();
CREATE TRIGGER dashboards_changed AFTER INSERT OR DELETE OR UPDATE ON dashboards FOR EACH ROW EXECUTE FUNCTION announce_page_change();
CREATE TRIGGER check_troubles_begun AFTER INSERT ON check_troubles REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION announce_page_changes();
CREATE TRIGGER check_troubles_changed AFTER UPDATE ON check_troubles REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION announce_page_changes();
CREATE TRIGGER service_follows_changed AFTER INSERT OR DELETE ON service_follows FOR EACH ROW EXECUTE FUNCTION announce_page_change();
CREATE TRIGGER checks_followed AFTER INSERT OR DELETE ON checks FOR EACH ROW EXECUTE FUNCTION announce_page_change();
CREATE TRIGGER checks_counted AFTER UPDATE OF settings, tags, group_id ON checks FOR EACH ROW WHEN ((old.settings -> 'activated'::text) IS DISTINCT FROM (new.settings -> 'activated'::text) OR old.tags IS DISTINCT FROM new.tags OR old.group_id IS DISTINCT FROM new.group_id) EXECUTE FUNCTION announce_page_change();
CREATE TRIGGER check_groups_counted AFTER UPDATE OF settings ON check_groups FOR EACH ROW EXECUTE FUNCTION announce_page_change();
CREATE TRIGGER retries_wait AFTER INSERT ON pending_retries FOR EACH STATEMENT EXECUTE FUNCTION announce_work();
CREATE TRIGGER notable_runs_wait AFTER INSERT ON notable_runs FOR EACH STATEMENT EXECUTE FUNCTION announce_work();
CREATE TRIGGER ticks_wait AFTER INSERT OR UPDATE OF next_tick_at ON alert_states FOR EACH STATEMENT EXECUTE FUNCTION announce_work();
CREATE TRIGGER deliveries_wait AFTER INSERT OR UPDATE OF next_attempt_at ON deliveries FOR EACH STATEMENT EXECUTE FUNCTION announce_work();
CREATE TRIGGER owed_incidents_wait AFTER INSERT OR UPDATE OF next_attempt_at ON owed_incidents FOR EACH STATEMENT EXECUTE FUNCTION announce_work();
CREATE TRIGGER maintenance_waits AFTER INSERT OR UPDATE OF next_announcement_at ON maintenance_windows FOR EACH STATEMENT EXECUTE FUNCTION announce_work();
CREATE TRIGGER images_wait AFTER INSERT OR UPDATE OF next_attempt_at ON page_images FOR EACH STATEMENT EXECUTE FUNCTION announce_work();
CREATE TRIGGER announcements_wait AFTER INSERT OR UPDATE OF is_addressed ON announcements FOR EACH STATEMENT EXECUTE FUNCTION announce_work();
CREATE TRIGGER subscriber_deliveries_wait AFTER INSERT OR UPDATE OF next_attempt_at ON subscriber_deliveries FOR EACH STATEMENT EXECUTE FUNCTION announce_work();
CREATE TRIGGER page_names_changed AFTER INSERT OR DELETE OR UPDATE ON page_names FOR EACH ROW EXECUTE FUNCTION announce_page_change();
CREATE TRIGGER variables_changed AFTER INSERT OR DELETE OR UPDATE ON variables FOR EACH ROW EXECUTE FUNCTION announce_order_values();
CREATE TRIGGER client_certificates_changed AFTER INSERT OR DELETE OR UPDATE ON client_certificates FOR EACH ROW EXECUTE FUNCTION announce_order_values();
CREATE TRIGGER checks_review_heartbeat AFTER UPDATE OF settings, group_id ON checks FOR EACH ROW WHEN (new.ping_token IS NOT NULL) EXECUTE FUNCTION review_heartbeat();
CREATE TRIGGER check_groups_review_heartbeats AFTER UPDATE OF settings ON check_groups FOR EACH ROW EXECUTE FUNCTION review_heartbeats_of_group();
CREATE TRIGGER certificates_wait AFTER INSERT OR UPDATE OF look_at ON check_certificates FOR EACH STATEMENT EXECUTE FUNCTION announce_work();
CREATE TRIGGER state_changes_made AFTER INSERT ON state_changes REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION announce_news_of_checks('check.state');
CREATE TRIGGER alerts_made AFTER INSERT ON alerts REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION announce_news_of_checks('alert.changed');
CREATE TRIGGER deliveries_made AFTER INSERT ON deliveries REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION announce_news_of_checks('delivery.changed');
CREATE TRIGGER deliveries_ended AFTER UPDATE OF status ON deliveries FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status) EXECUTE FUNCTION announce_delivery();
CREATE TRIGGER audit_entries_made AFTER INSERT ON audit_entries REFERENCING NEW TABLE AS news FOR EACH STATEMENT EXECUTE FUNCTION announce_audit_entries();
CREATE TRIGGER accounts_changed AFTER UPDATE OF requires_second_factor ON accounts FOR EACH STATEMENT EXECUTE FUNCTION announce_caller_change();
CREATE TRIGGER totp_secrets_changed AFTER INSERT OR DELETE ON totp_secrets FOR EACH STATEMENT EXECUTE FUNCTION announce_caller_change();
CREATE TRIGGER passkeys_changed AFTER INSERT OR DELETE ON passkeys FOR EACH STATEMENT EXECUTE FUNCTION announce_caller_change();
CREATE TRIGGER api_keys_changed AFTER DELETE OR UPDATE OF name, role, expires_at, user_id ON api_keys FOR EACH STATEMENT EXECUTE FUNCTION announce_caller_change();
CREATE TRIGGER domains_wait AFTER INSERT OR UPDATE OF next_look_at ON page_domains FOR EACH STATEMENT EXECUTE FUNCTION announce_work();
CREATE TRIGGER page_keys_changed AFTER INSERT OR DELETE OR UPDATE OF key_hash, updated_at ON page_keys FOR EACH ROW EXECUTE FUNCTION announce_page_change();
CREATE TRIGGER probe_keys_changed AFTER INSERT OR DELETE OR UPDATE OF private_location_id, region, key_hash ON probe_keys FOR EACH ROW EXECUTE FUNCTION announce_probe_key();
CREATE TRIGGER private_locations_changed AFTER INSERT OR DELETE OR UPDATE OF slug_name ON private_locations FOR EACH STATEMENT EXECUTE FUNCTION announce_places();
CREATE TRIGGER probes_came_or_went AFTER INSERT OR DELETE ON probes FOR EACH ROW EXECUTE FUNCTION announce_places();
CREATE TRIGGER probes_moved AFTER UPDATE ON probes FOR EACH ROW WHEN (old.route IS DISTINCT FROM new.route OR old.location IS DISTINCT FROM new.location OR old.quarantined_at IS DISTINCT FROM new.quarantined_at) EXECUTE FUNCTION announce_places();
CREATE TRIGGER users_changed AFTER UPDATE OF email ON users FOR EACH STATEMENT EXECUTE FUNCTION announce_caller_change();
CREATE TRIGGER users_taken_over AFTER UPDATE OF taken_over_at ON users FOR EACH ROW WHEN (new.taken_over_at IS DISTINCT FROM old.taken_over_at) EXECUTE FUNCTION drop_push_of_taken_over();
CREATE TRIGGER rule_evaluations_wait AFTER INSERT ON rule_evaluations FOR EACH STATEMENT EXECUTE FUNCTION announce_work();
CREATE TRIGGER run_assets_removed AFTER DELETE ON run_assets REFERENCING OLD TABLE AS deleted_assets FOR EACH STATEMENT EXECUTE FUNCTION note_asset_removal();
CREATE TRIGGER quiet_hours_change AFTER UPDATE OF quiet_hours ON alert_channels FOR EACH ROW WHEN (old.quiet_hours IS DISTINCT FROM new.quiet_hours) EXECUTE FUNCTION release_held_deliveries();
CREATE TRIGGER users_taken_over_contacts AFTER UPDATE OF taken_over_at ON users FOR EACH ROW WHEN (new.taken_over_at IS DISTINCT FROM old.taken_over_at) EXECUTE FUNCTION drop_contacts_of_taken_over();
CREATE TRIGGER users_taken_over_feeds AFTER UPDATE OF taken_over_at ON users FOR EACH ROW WHEN (new.taken_over_at IS DISTINCT FROM old.taken_over_at) EXECUTE FUNCTION drop_feeds_of_taken_over();

insert into migrations (name, checksum) values
  ('0001-accounts.sql', 'aa249de74abe3a092a330fbfa80b5a73979d7e32e741c240b8ab8cbb087dfabe'),
  ('0002-probes.sql', '5526fd618cbd1af7745c27593f8996db9f9cea290f5328983af8535f54628eb5'),
  ('0003-checks.sql', '2b8564316ec1ca6ecfb0523c7bf61e3b408764010a357f3dd88dfe1e96636c05'),
  ('0004-runs.sql', '19df6ac35775a016cf4e10d5bcf616bb7e49842f99b77080331f0f350fc92447'),
  ('0005-alert-channels.sql', '581bd05342e3f85801d4479dbbb1c342109ef46df73ede0454096ae89434142c'),
  ('0006-alerting.sql', 'f918090a06ea7a9ab8c9278437cdadab2025ccfdf04018b844738b0b336dbe02'),
  ('0007-suspect-probes.sql', '5a3d794a6cd9b60dad50028eb4f2ab26026b5e256791686410ee9ef431b25181'),
  ('0008-status-pages.sql', '3e10bf4f095bfe6d740b52f1aa98922d948093e89858996d54da1fd573dcb4f9'),
  ('0009-subscribers.sql', 'ce9f9c4bf575260a70025353866bd2fe81a37f0791946b06f1cebbe50c01d398'),
  ('0010-incidents.sql', '1d30f5317f9690f921c6c0db1fdd8d70678624195ad78c3005adb63b66b64ce5'),
  ('0011-maintenance-visibility.sql', 'a781fceecf18c7e115b1afbf0aca08c8b3172c335200eae50191f30eba71fae0'),
  ('0012-dashboards.sql', '4ec5a145a10d2124cc8fba336baf58cab6c8e538a9b430b74920c65f782a97cb'),
  ('0013-agent.sql', '27c5ac9bc3144a1334399d98beeb65f70ff1477b086a80c7e0266ec0bec338d1'),
  ('0014-hours-of-a-day.sql', 'b4ceab8ac7f0fa85d0cd5be6774c2679412926ee83ff373d363c695b4d7982d2'),
  ('0015-states-outlast-missing-data.sql', '40dd39783a93289fd214f9c557edd86f4c420a9d2ae53116a5569c4d8e14c6be'),
  ('0016-sealing-key-check.sql', 'aeaa7074772cb643ec4a902b243565593d144706aff5d030f9716048884564ea'),
  ('0017-set-aside.sql', '67a9778701d4d8526ec610b5fa6276cd2395004f43ee509e71f72b07a2bdd63a'),
  ('0018-sign-in-networks.sql', '3a2fad1bd2e69e736e9438d9647ad566b61082ac94cd8ac423debbd0227d64b7'),
  ('0019-service-follows.sql', '895a53cee98f4b52ab6dab879bc3802fdf8bd9218917651557d3fb606f24385f'),
  ('0020-calendar-ids.sql', '54aa5290a0c38a105bb2702b819e256af324859e972142fc7879c3882ee5c6f0'),
  ('0021-open-alerts.sql', '4729eca19365d06b692b32b88344884388de74566c6d8121f307899847296863'),
  ('0022-compact-results.sql', '489611c1ce2292195629c98bd2289c72c19db120542169dc52c423dfdd09e0b4'),
  ('0023-work-is-announced.sql', '6a44c130f2750c9b4959c3ba4fe1f9825aff392d658ba1c5036fc8740df5f11c'),
  ('0024-probe-limitations.sql', '0e502e5577786b522f63d48476695864824efdd9ccb0c5f2611187ebe227e21e'),
  ('0025-roll-ups-of-any-kind.sql', '11b68aa408829296cf37b31a9baec5d3e8cfb9526b6c484678518cb7b62b6034'),
  ('0026-results-of-any-kind.sql', '7f88ac530639b5764fae4b0a43644a145808d92868ffddf6ce4012f38b2b9617'),
  ('0027-page-names.sql', '53a5f618f67a0681a8138a05e71c3e1e57c33db4ed1b47576959d766f58b96c6'),
  ('0028-versions.sql', 'd151bc2a1ee295db94296fab12efef3a6c9c389593e32ba8605b81a56b2d4df8'),
  ('0029-tcp-parts.sql', '35ba9efc0cbc9732cc7cb2d16f98402ec69d236af1b9352a95cf65344af29e35'),
  ('0030-variables.sql', '7213b3e4472ad49d68a5cab118a5947503215634dceb5273cfad3f781e228f15'),
  ('0031-client-certificates.sql', '74a3b8c33fa23059b697b05f5992e018709c87be7d9553a22975fa8f459b041b'),
  ('0032-heartbeats.sql', '27caf867a715011a8274d6326a0c605fbd7f2b29cb960407169b0493769ebd13'),
  ('0033-variables-of-checks.sql', '7615c6baefa81832467290aad6e5ec4b03dff2bb4757bdade7b0a45477b1c38c'),
  ('0034-certificates.sql', 'ec643e1fd47a8c743a7587a569f3c50d268430c8c248d8a47ae3810cc99d1c66'),
  ('0035-ways-in.sql', '24e9fb21416dea098de1bf63a9e9c3425ba2b35e40d90478ea4c4d7c172647c3'),
  ('0036-changes-are-announced.sql', '27f27dd6f085ae28f94d3205c240c19757d7513b57d02054c1d85e51aed35b18'),
  ('0037-why-a-state-changed.sql', '9be36d9a4e00074ad3cd2fb36545a02b5a5c0d26ad12d4a893bfb6766eed5e57'),
  ('0038-second-factors.sql', 'd67f6698d4d39d49be40211970efa71c225c09fc588d4e944850e048e2566ef6'),
  ('0039-settings.sql', '41fa5413bbc4dd46b966ef9fa72426aa9f3c8cb7dab450ad76fb0a037c00ab66'),
  ('0040-sign-in-links.sql', '91961795bd4e74228ace3c48013eb592a3bd8281f154ef19d16e1309a9ed0134'),
  ('0041-check-lists.sql', 'f0d69ed14322f6f71d6006dccea35d1c3521848948f8f30a388a9adbb0a9781a'),
  ('0042-what-happened-lately.sql', 'af6ff7ab7e1e7d276ae3124b4f9536f4f626f5a7c7f449bbe298b5fe77a717d3'),
  ('0045-oidc-identities.sql', 'e3a798030d4a7fdef272b40464ce7758483ae4e919bf6ba2b20f5f1a14047b8f'),
  ('0046-previews.sql', 'c492cc3ec8c2f01491021851b10d7470a8e80956e565b428ca305e6962001646'),
  ('0047-maintenance-updates.sql', 'b101e7deba226a7c0c723f830ec50ec496f48671ee787ce0ac51428a5f836998'),
  ('0048-domain-proof.sql', 'e7ddf48aa9b92dce49bfa251a583ee99c6d4df131f8aa381a641a1776db1c36e'),
  ('0049-alert-stories.sql', 'a54353c978920fb58a44f6c81c5c6bd6befc8d19903b08cd70119a085f2bcd69'),
  ('0050-push.sql', 'b5b7b295c8b45b94b3f64e4404320ec0855116efc4afb2a923946ef9742c7b3d'),
  ('0051-private-locations.sql', 'd118c5b9d352a12fdc7b06fe3d07806e7387f404ac8b874671874167bc0d1fba'),
  ('0052-run-gaps.sql', '4b1bca09b351fce034332fa62a7b89c80fd5c276274e54658fe89619131ee1e0'),
  ('0053-servers.sql', 'b8ce24b9ffc606e78bb25a984545b4ac951580b2a802bf847373c84419cc9c0d'),
  ('0054-health-of-locations.sql', '032b19743c3717f5541a7d7695296f3d3a6208e9c8addd421d3c05a2a83ba743'),
  ('0055-late-runs-are-judged.sql', 'bd9ebd7e284dc1895925079b7c5e524d7cb718aaee29d5479b77b442b1cf3121'),
  ('0056-backups.sql', '22823aea0e52a9706737d1dbd48821382575e4a7498a8a54a1bd4b084a1ca736'),
  ('0062-skipped-runs.sql', 'd64968b11f94751e3e8884a75deebeeeedfe4b426bd492429b7570d2f3292d9f'),
  ('0066-credential-versions.sql', 'f35ed31a9b38927fdb5581a8cc29f98aa94c60b5d070aab256d63884bd0c0bc5'),
  ('0068-digests.sql', 'b16deca60d94aec04c58280426e0ad99a2a7e1cc961dcba78b1204483f8bd793'),
  ('0073-annotations.sql', '04c290f5082c37b78fd992bb80f9e89f7a0c6ffbffc4ade7b56f9b0eddcfa18a'),
  ('0076-status-page-css.sql', 'c1a162ff1de8f8ca71f69c79238a585774b9ad6194ef1b7db2170dc48410c6d2'),
  ('0077-incident-notes.sql', '459e085981dbe86d9cb57029089104a9c6ac4d177ccfce2cf8ab02fc54c1c4de'),
  ('0078-audit-batches.sql', '10d1603a4605fa082e121c0cff0503a0ecb13a2f9c8a2dc179a031e09869c3c3'),
  ('0079-imports.sql', '7cb91f77adff97aec499700a8e1b4c5cf7e2907fbf4ea042b9618e5a0e21d91c'),
  ('0080-snippets-and-triggers.sql', 'd6dfe982c8f18b8cd7f9ca6fd88741263e6600dc265f21152d7d78f753746214'),
  ('0081-views-for-other-modules.sql', 'f0473e1211976f6c34c2e1f5630bb4ef8eaf28983c8bc65e97bf183699214e39'),
  ('0082-push-addresses.sql', '3663be3ad69108dc7c2bec15a70675f4c9c60206cc998f8ad006e157f7f1f052'),
  ('0083-projects.sql', 'b1926ce280b812634cbf40446e0e4ea1eee9fd86d73c60f24e58c943d6034593'),
  ('0084-project-imports.sql', '6994dd114c3e659d57edd94dbcfa8e34a10df4eb9696ba868d97e38ea735fd9e'),
  ('0084-test-sessions.sql', 'db9a0bb9f519d42b66bf86f2d14205f7144e3ab73f63e6ab6d42170dbd098e4b'),
  ('0085-page-components.sql', '41c7088bda832798b7c5fb38e12b4abc046d4fa22c667efa654a20336efb3c82'),
  ('0086-automation-rules.sql', '195e73367d70708edd24e23797496e40c46167087ccc4557af6eaf6027341b4a'),
  ('0087-device-logins.sql', '719514b18098f62a10481b366f9bb19c04230d73dc333259208d3f4e545ff30d'),
  ('0088-import-baselines.sql', '85c19b211c7ba52c1e7362ac4bf6b05244670885a0dda069187854b4fd2aff22'),
  ('0089-code-bundles.sql', 'd42e3d49c71a6222ad75e5db244142ce08fb8a46417ee255414886ba576c1771'),
  ('0092-import-names.sql', '905353935f9fbf573c3997f972289e0832e2b78bf8b01071b6b28261e50a0f57'),
  ('0094-run-assets.sql', '24f1faeaa85d96fe1e8855240b6f85806f374729aacce807932826af83cf1719'),
  ('0095-lost-assets.sql', 'deabe8b978c1170c4695dce31970286f65d2941e5ee1cbd877d2c9b686d8eeb0'),
  ('0100-on-call.sql', '204ec32163eae4c2c5bcf507afc36f847f969cdea857309048876f6b117d986b'),
  ('0101-on-call-feeds.sql', 'f46b806d54941232dd545018d1dd43ea5bc15d488415374c5fcec3785581afbe'),
  ('0103-mutes.sql', 'c2b001d4c497206af7f9b95149b195ed6b83f3ce5bea1b64402573560d667445'),
  ('0104-quiet-hours.sql', '352889c1c10bc9a58f41cf4f02bdecf0bca0de8aba3a1076f661bf1e8909474d'),
  ('0105-contact-methods.sql', '2b25d8c1e9963e1349c282f198f03c517a7768e37dddc120f961aece9be2d9f4'),
  ('0106-pages.sql', '2b9c8442a0faaab20af7482627d2450a2b07361a32e6eadc991b55df9079b44c'),
  ('0114-paths.sql', 'dc8179cc372322610db63f511372da1b24a4419dbcb027e194b73c56fe390be6'),
  ('0120-escalation-policies.sql', 'beecce3f58d0031037158767398e70ee0feb26c743cc147f903a15cd1dcf57c8'),
  ('0125-on-call-history.sql', '609802e1d564ace0c23ca4918f5e74f6328d0a7b3d0e5650132c7651b84fc76c'),
  ('0126-shift-mails.sql', '447913b47edd77cb0ff679b2f497883fc3fd0b5171842f2e606bd16b8d91c50d'),
  ('0130-alert-sources.sql', '524f89bfab7e3c9bd5eab98377529799448eadb4a9515f2dcd6addb3b5476a00'),
  ('0131-channels-of-alert-sources.sql', '05e871c197a6b4b8263630dfa5d32f4f1f3ea664ccacb8446a94427a51105b96'),
  ('0132-responses-to-alerts.sql', '47023523827dfbe1b6fed0cebacbb21cb337fb4c91a525dd4e6b0523a1bec309'),
  ('0133-feeds-of-taken-over-users.sql', 'a5c09c5c06bcc544d05ad15a4b3901a0fda7c43db6772f1ce26c3e8b611d3a73'),
  ('0140-storms-of-pages.sql', '33b50059d9334e76a0f3dfebb360f995ee68f65cbcb83122900de4e1d24ae39f'),
  ('0165-private-destinations.sql', '082eecdea6bc69d60c030d4c7909d3f0882b7c4e29e22891bc63cd6428c042bd');
