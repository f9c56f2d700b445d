-- What probes show to servers that ask who connects. The private key is sealed.
create table client_certificates (
  id uuid primary key,
  account_id uuid not null references accounts on delete cascade,
  host text not null,
  certificate text not null,
  ca text,
  sealed_key text not null,
  created_at timestamptz not null
);
create index client_certificates_account on client_certificates (account_id, id);

create trigger client_certificates_changed after insert or update or delete on client_certificates
  for each row execute function announce_order_values();
