-- What the audit log is filtered by, with as many entries as an account can collect.
create index audit_entries_action on audit_entries (account_id, action, id desc);
create index audit_entries_type on audit_entries (account_id, target_type, id desc);
create index audit_entries_actor on audit_entries (account_id, actor_name, id desc);
create index audit_entries_target on audit_entries (account_id, target_id, id desc);
create index audit_entries_account_at on audit_entries (account_id, at);

-- The messages of an alert.
create index deliveries_alert on deliveries (alert_id);

alter table api_keys add column last_used_address text;
-- The audit log shows a key by its name, which servers remember.
drop trigger api_keys_changed on api_keys;
create trigger api_keys_changed after update of name, role, expires_at, user_id or delete on api_keys
  for each statement execute function announce_caller_change();

-- Every change raises the version; the ETag of an answer is made of it.
alter table alert_channels add column version integer not null default 1;
alter table account_alert_settings add column version integer not null default 1;
