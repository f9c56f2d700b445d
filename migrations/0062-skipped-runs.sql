-- The share of the runs due in the last minute that a server skipped because it was overloaded.
alter table servers add column skipped_share double precision not null default 0;
