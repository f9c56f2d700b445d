-- Pages of members. The delivery to a channel of type ONCALL is the page itself; the messages to the
-- member, and to the fallback if nobody was reached, are deliveries with the same page.
alter table deliveries add column page_id uuid;
-- The paged member; on a message, its recipient.
alter table deliveries add column user_id uuid;
-- The contact method of a message, or `fallback`; null for the page itself.
alter table deliveries add column method_id text;
alter table deliveries add column after_minutes integer;
alter table deliveries add column fell_through boolean not null default false;
create index deliveries_page on deliveries (page_id) where page_id is not null;

-- Steps that are not needed any longer. Existing rows satisfy the rule, so they are not read.
alter table deliveries drop constraint deliveries_status_check;
alter table deliveries add constraint deliveries_status_check
  check (status in ('PENDING', 'SENT', 'DEAD', 'CANCELLED')) not valid;
