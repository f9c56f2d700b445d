-- Contract of 0088: the column digest has not been used since, and no release has used the table.
-- Several installations of the same source can be imported into one account: their objects have the
-- same origins, and the name of the installation tells them apart. Earlier imports have none.
alter table imports add column name text not null default '';
alter table imported_objects add column name text not null default '';
alter table imported_objects drop constraint imported_objects_pkey;
alter table imported_objects add primary key (account_id, source, name, origin);
alter table imported_objects drop column digest;
