-- Every server of this installation, as it was when it last looked in. All moments are by the
-- clock of the database, since those of the servers may differ.
create table servers (
  id text primary key,
  -- One process; the id stays the same after a restart.
  instance uuid not null,
  -- The machine's boot and the data folder, so that a restart is known from a copy.
  place text not null,
  name text not null,
  version text not null,
  address text,
  started_at timestamptz not null,
  seen_at timestamptz not null,
  -- False while it cannot record, and leaves its checks to others.
  is_scheduling boolean not null,
  clock_skew_ms double precision,
  -- Of the work in the background: how far the slowest is behind, and which one that is.
  lag_ms double precision not null default 0,
  slowest_loop text
);
