-- Event streams tell what changed. Every message is [account, topic, ids] on one channel: ids are null
-- when there are more than a message should carry, and readers then look at all they show.
create function notify_change(account_id uuid, topic text, ids jsonb) returns void
  language sql as $$
  select pg_notify('changes', jsonb_build_array(account_id, topic,
    case when jsonb_array_length(ids) <= 100 and length(ids::text) <= 7000 then ids end)::text)
$$;

-- Once an account and statement, however many of its checks are concerned.
create function announce_news_of_checks() returns trigger language plpgsql as $$
begin
  perform notify_change(account_id, tg_argv[0], jsonb_agg(distinct check_id))
    from news group by account_id;
  return null;
end
$$;

-- This channel takes the place of `states_changed`.
drop trigger state_changes_made on state_changes;
drop function announce_state_changes();
create trigger state_changes_made after insert on state_changes
  referencing new table as news for each statement
  execute function announce_news_of_checks('check.state');
create trigger alerts_made after insert on alerts
  referencing new table as news for each statement
  execute function announce_news_of_checks('alert.changed');
create trigger deliveries_made after insert on deliveries
  referencing new table as news for each statement
  execute function announce_news_of_checks('delivery.changed');

-- Claims and attempts are updates too; what a reader sees is the outcome.
create function announce_delivery() returns trigger language plpgsql as $$
begin
  perform notify_change(new.account_id, 'delivery.changed', jsonb_build_array(new.check_id));
  return null;
end
$$;
create trigger deliveries_ended after update of status on deliveries for each row
  when (old.status is distinct from new.status) execute function announce_delivery();

-- Every write leaves an audit entry, so that one trigger covers whatever people and programs edit.
create function announce_audit_entries() returns trigger language plpgsql as $$
begin
  perform notify_change(account_id, 'audit ' || action, jsonb_agg(distinct target_id))
    from news group by account_id, action;
  return null;
end
$$;
create trigger audit_entries_made after insert on audit_entries
  referencing new table as news for each statement execute function announce_audit_entries();
