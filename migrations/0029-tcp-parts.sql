-- The response time of a TCP run is its one sample; it is no longer kept as the first part as well.
update hourly_rollups set parts = parts[2:]
  where check_id in (select id from checks where kind = 'TCP');
update daily_rollups set parts = parts[2:]
  where check_id in (select id from checks where kind = 'TCP');
