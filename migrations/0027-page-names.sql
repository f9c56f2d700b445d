-- Every name under which a public page is found, in one table. A label (`acme` of /status/acme and
-- acme.example.com) and a domain lead to one page, of whichever kind and account. A dashboard is also
-- found by its id, below the same path as by its label, so that the two must differ as well.
create table page_names (
  -- In lower case.
  name text not null,
  kind text not null check (kind in ('id', 'label', 'domain')),
  account_id uuid not null references accounts on delete cascade,
  page_kind text not null check (page_kind in ('status-page', 'dashboard')),
  page_id text not null,
  primary key (page_kind, page_id, kind)
);
create unique index page_names_host on page_names (name) where kind <> 'id';
create unique index page_names_dashboard on page_names (name) where page_kind = 'dashboard';

insert into page_names (name, kind, account_id, page_kind, page_id)
select url, 'label', account_id, 'status-page', id::text from status_pages
union all
select n.name, case n.kind when 'id' then 'id' else 'label' end, d.account_id, 'dashboard',
  d.dashboard_id
from dashboard_names as n join dashboards as d on d.dashboard_id = n.dashboard_id
union all
select domain, 'domain', account_id, page_kind, page_id from page_domains;

create trigger page_names_changed after insert or update or delete on page_names
  for each row execute function announce_page_change();

drop trigger status_pages_are_free on status_pages;
drop function refuse_name_of_dashboard();
drop table dashboard_names;
drop function refuse_name_of_status_page();
drop table page_domains;
