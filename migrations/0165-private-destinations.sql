-- Role of the owner or admin who entered the destination of a channel or contact method, which may
-- therefore be on a private network; null if another member entered it.
alter table alert_channels add column lan_allowed_by text;
alter table contact_methods add column lan_allowed_by text;
