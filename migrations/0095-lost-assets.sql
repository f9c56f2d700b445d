-- How many files of a run were deleted before their result, and why.
create table lost_assets (
  account_id uuid not null references accounts on delete cascade,
  run_id uuid not null,
  reason text not null,
  file_count integer not null,
  created_at timestamptz not null,
  primary key (run_id, account_id, reason)
);
create index lost_assets_age on lost_assets (created_at);
-- The run of a test, which its files are stored under.
alter table test_results add column run_id uuid;
