-- One audit entry may record a batch, such as 500 new checks. The ids of its items are a column, so
-- that the history of one object includes the batches that changed it.
alter table audit_entries add column item_ids text[];
create index audit_entries_items on audit_entries using gin (item_ids) where item_ids is not null;

create or replace function announce_audit_entries() returns trigger language plpgsql as $$
begin
  perform notify_change(account_id, 'audit ' || action, jsonb_agg(distinct changed_id))
    from news, unnest(coalesce(item_ids, array[target_id])) as changed_id
    group by account_id, action;
  return null;
end
$$;
