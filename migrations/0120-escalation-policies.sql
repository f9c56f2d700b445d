-- Whom an alert is escalated to, step by step.
create table escalation_policies (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  name text not null,
  -- Read and written as a whole: minutes, targets, and the channel that each target is sent through.
  steps jsonb not null,
  repeat integer not null,
  repeat_after_minutes integer not null,
  -- The channel that falls back when nobody acknowledged the last step; null if nothing does.
  fallback_channel_id integer,
  -- Null if alerts of low urgency do not wait.
  support_hours jsonb,
  -- Written by clients that only know the escalation stages of the account.
  from_stages boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz,
  unique (account_id, name)
);
create unique index escalation_policies_from_stages on escalation_policies (account_id)
  where from_stages;

-- A schedule, member or fallback that policies page. People do not see or change these channels.
alter table alert_channels add column for_policies boolean not null default false;
create index alert_channels_for_policies on alert_channels (account_id) where for_policies;

-- The stages of accounts become policies. They stay in the settings for servers of the previous
-- release, which read them there.
insert into escalation_policies (id, account_id, name, steps, repeat, repeat_after_minutes,
    from_stages, created_at)
  select gen_random_uuid(), s.account_id, 'Account escalation', (
      select jsonb_agg(jsonb_build_object(
          'afterMinutes', stage -> 'afterMinutes',
          'targets', (select coalesce(jsonb_agg(jsonb_build_object('channelId', id)), '[]')
            from jsonb_array_elements(stage -> 'alertChannelIds') as id),
          'channelIds', stage -> 'alertChannelIds'
        ) order by (stage ->> 'afterMinutes')::int, place)
      from jsonb_array_elements(s.settings -> 'escalationStages') with ordinality
        as stages (stage, place)),
    0, 10, true, now()
  from account_alert_settings s
  where jsonb_array_length(coalesce(s.settings -> 'escalationStages', '[]')) > 0;
update account_alert_settings s
  set settings = s.settings || jsonb_build_object('escalationPolicyId', p.id),
    version = s.version + 1
  from escalation_policies p where p.account_id = s.account_id and p.from_stages;
