-- An import remembers what its file described and what was stored then, as a project does. `sealed`
-- is encrypted. Null for objects of earlier versions, which the next import of the source completes.
-- `digest` is no longer used.
alter table imported_objects add column sealed text;
alter table imported_objects alter column digest set default '';
