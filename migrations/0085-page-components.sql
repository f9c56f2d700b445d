-- Components of status pages: a group is a card, and a service on a card is a component. Both views
-- read the same rows.
alter table status_pages
  -- Whether clients describe its content as components; cards otherwise.
  add column uses_components boolean not null default false;

alter table status_page_cards
  -- The card of components without a group.
  add column is_ungrouped boolean not null default false,
  add column description text,
  add column is_hidden boolean not null default false,
  add column shows_history boolean not null default true;
create unique index status_page_cards_ungrouped on status_page_cards (status_page_id)
  where is_ungrouped;

alter table status_page_card_services
  add column id uuid not null default gen_random_uuid(),
  add column description text,
  add column is_hidden boolean not null default false,
  add column shows_history boolean not null default true;
create unique index status_page_card_services_id on status_page_card_services (id);

-- The page whose component created the service, and which is deleted with it.
alter table services add column status_page_id uuid references status_pages on delete cascade;
create index services_of_page on services (status_page_id) where status_page_id is not null;

create or replace view shown_services as
  select card.status_page_id as page_id, link.service_id
  from status_page_cards card join status_page_card_services link on link.card_id = card.id
  where not card.is_hidden and not link.is_hidden;
