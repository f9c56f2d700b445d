-- What was known of a check before its runs stopped learning anything: when the same status comes
-- back, it has lasted all along.
alter table check_states
  add column changed_at timestamptz,
  add column before_unknown jsonb;
