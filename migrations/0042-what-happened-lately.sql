-- What happened lately in an account, the newest first.
create index state_changes_account on state_changes (account_id, at);
