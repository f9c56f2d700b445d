-- The channels that new checks of a source subscribe to, besides those that subscribe by themselves.
alter table alert_sources add column alert_channel_ids integer[] not null default '{}';
