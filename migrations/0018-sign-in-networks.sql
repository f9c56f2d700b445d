-- The networks (an IPv4 address, or the /64 of an IPv6 address) from which a person has signed in.
-- Wrong passwords that strangers try elsewhere never keep that person out there.

create table sign_in_networks (
  user_id uuid not null references users on delete cascade,
  network text not null,
  last_sign_in_at timestamptz not null,
  primary key (user_id, network)
);

-- Whoever is signed in when this is introduced is known at once; an IPv6 address signs in anew.
insert into sign_in_networks (user_id, network, last_sign_in_at)
select user_id, regexp_replace(address, '^::ffff:', ''), max(created_at)
from sessions
where regexp_replace(address, '^::ffff:', '') not like '%:%'
group by 1, 2;
