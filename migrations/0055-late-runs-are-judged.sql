-- A run that came late and is to be decided on although later ones are known.
alter table notable_runs add column is_late boolean not null default false;
