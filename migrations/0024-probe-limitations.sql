-- What a probe cannot do, in words that say what to type; empty when it can do everything.
alter table probes add column limitations text[] not null default '{}';
