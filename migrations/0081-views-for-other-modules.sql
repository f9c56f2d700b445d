-- What a module lets later modules read with SQL. PostgreSQL inlines these views, so that a query has
-- the same plan as with the tables.

create view account_members as
  select members.account_id, members.user_id, users.email
  from members join users on users.id = members.user_id;

create view channel_subscriptions as
  select alert_channel_id, check_id, group_id, activated from alert_channel_subscriptions;

create view served_domains as
  select page_kind, page_id, name as domain from page_names where kind = 'domain';

create view shown_services as
  select card.status_page_id as page_id, link.service_id
  from status_page_cards card join status_page_card_services link on link.card_id = card.id;

-- What a message needs to name its page and link to it.
create view addressed_pages as
  select id, jsonb_build_object('name', name, 'url', url, 'servedDomain', (
    select domain from served_domains
    where page_kind = 'status-page' and page_id = status_pages.id::text)) as page
  from status_pages;

-- The number of subscribers that each announcement was addressed to.
create view notified_counts as
  select announced.source_id, count(delivery.id)::int as count
  from announcements announced
  left join subscriber_deliveries delivery on delivery.announcement_id = announced.id
  group by announced.source_id;

-- `period_seconds` is null for kinds without a schedule.
create view checks_with_period as
  select id, account_id, kind, name, status,
    case when kind = 'HEARTBEAT' then null else own_period_seconds end as period_seconds
  from checks;

-- A check with the settings of its group applied: `tags` are its own and then those of the group,
-- `is_active` means that both are activated, `is_muted` that either is muted.
create view checks_with_group as
  select one.id, one.account_id, one.kind, one.name, one.sort_name, one.status, one.group_id,
    in_group.name as group_name, one.tags as own_tags,
    one.tags || array(select jsonb_array_elements_text(in_group.settings -> 'tags')) as tags,
    one.settings -> 'activated' = 'true'
      and (in_group.id is null or in_group.settings -> 'activated' = 'true') as is_active,
    coalesce(one.settings -> 'muted' = 'true', false)
      or coalesce(in_group.settings -> 'muted' = 'true', false) as is_muted
  from checks one left join check_groups in_group on in_group.id = one.group_id;

create view group_labels as
  select id, account_id, name, array(select jsonb_array_elements_text(settings -> 'tags')) as tags
  from check_groups;
