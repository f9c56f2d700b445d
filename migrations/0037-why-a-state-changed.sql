-- Why a check's status changed: the rule, what each location said and the reasons of the run that
-- brought the change. Runs are kept for a shorter time than changes. Null in rows from before.
alter table state_changes add column decision jsonb;
