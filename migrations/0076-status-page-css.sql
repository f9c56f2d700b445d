-- Custom CSS of a status page is in its settings; this is what the filter left out of it.
alter table status_pages add column css_warnings jsonb not null default '[]';
