-- Every change raises the version; the ETag of an answer is made of it. status_pages has one already.
alter table services add column version integer not null default 1;
alter table incidents add column version integer not null default 1;
alter table dashboards add column version integer not null default 1;
