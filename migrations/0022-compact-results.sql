-- What is only ever read with the whole of a result is packed into `detail` (detail-codec.ts), and
-- the probe is named by a number. Results from before keep their columns, so that none is rewritten.
create table result_probes (
  number integer generated always as identity primary key,
  name text not null unique
);

alter table results
  alter column probe_id drop not null,
  alter column stopped_at drop not null,
  alter column hostname drop not null,
  alter column ip_family drop not null,
  alter column ping_count drop not null,
  add column detail bytea,
  add column probe_number integer;
