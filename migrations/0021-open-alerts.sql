-- Lists what an account has open. The state itself stays out of the index: it changes often.
create index alert_states_account on alert_states (account_id);
