-- Certificates that checks have seen, and what was told of each: one row for each check and
-- certificate, so that a renewed one starts anew and nothing is told twice.
create table check_certificates (
  check_id uuid not null references checks on delete cascade,
  fingerprint text not null,
  account_id uuid not null references accounts on delete cascade,
  host text not null,
  issuer text not null,
  expires_at timestamptz not null,
  result_id uuid not null,
  location text not null,
  seen_at timestamptz not null,
  told_days smallint, -- the lowest threshold that was told; -1: that it has expired
  told_at timestamptz,
  look_at timestamptz not null,
  primary key (check_id, fingerprint)
);
create index check_certificates_look on check_certificates (look_at);
create index check_certificates_seen on check_certificates (seen_at);
create trigger certificates_wait after insert or update of look_at on check_certificates
  for each statement execute function announce_work();

-- Which channels are told of certificates that expire, and how long before.
alter table alert_channels
  add ssl_expiry boolean not null default false,
  add ssl_expiry_threshold smallint not null default 30;
