-- Quiet hours of channels: local-time ranges in which alerts are held or sent elsewhere.
alter table alert_channels
  add column quiet_hours jsonb,
  -- Null if the channel that alerts are sent to instead was deleted.
  add column quiet_reroute_id integer references alert_channels on delete set null;
create index alert_channels_rerouted on alert_channels (quiet_reroute_id)
  where quiet_reroute_id is not null;

alter table deliveries
  -- The end of the quiet hours that the message waited for.
  add column held_until timestamptz,
  -- The channel with quiet hours that the message was meant for.
  add column rerouted_from_id integer;
create index deliveries_held on deliveries (alert_channel_id)
  where status = 'PENDING' and held_until is not null;

-- Changed quiet hours end the old ones: what they held is due at once, so that it cannot wait for a
-- time that no longer has a meaning.
create function release_held_deliveries() returns trigger language plpgsql as $$
begin
  update deliveries set next_attempt_at = decided_at, held_until = null
  where alert_channel_id = new.id and status = 'PENDING' and held_until is not null
    and attempts = 0;
  return null;
end $$;
create trigger quiet_hours_change after update of quiet_hours on alert_channels
  for each row when (old.quiet_hours is distinct from new.quiet_hours)
  execute function release_held_deliveries();
