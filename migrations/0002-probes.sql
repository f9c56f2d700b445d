-- The probes that have said hello, where they are and from which addresses their checks come.
create table probes (
  id text primary key,
  location text not null,
  is_built_in boolean not null,
  version text not null,
  ipv4_sources text[] not null,
  ipv6_sources text[] not null,
  started_at timestamptz not null,
  last_seen_at timestamptz not null
);
create index probes_last_seen on probes (last_seen_at);
