-- A probe that cannot reach its own anchors says so: what looks down from there may be up.
alter table probes add column is_suspect boolean not null default false;
