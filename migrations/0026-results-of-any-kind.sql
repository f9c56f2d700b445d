-- No column of a result belongs to one kind of check: `detail` is written and read by the kind, and
-- `samples` is a sketch of the run's samples, from which statistics are made. Results from before have
-- no samples and keep their columns, so that none is rewritten; whoever reads them reads the view,
-- which shows them as if they were new. Both go in a later version, when the last of them has aged out.
alter table results
  add column response_ms real,
  add column duration_us integer,
  add column samples bytea;

create function little_endian(bytes bytea) returns bytea language sql immutable as $$
  select string_agg(substring(bytes from place for 1), ''::bytea order by place desc)
  from generate_series(1, octet_length(bytes)) as place
$$;

create function with_length(value text) returns bytea language sql immutable as $$
  select set_byte('\x00'::bytea, 0, octet_length(convert_to(value, 'UTF8')))
    || convert_to(value, 'UTF8')
$$;

-- What `detail` had been packed from before migration 0022.
create function old_result_rest(old results) returns bytea language plpgsql immutable as $$
declare
  flags integer := case when old.ip_family = 'IPv6' then 1 else 0 end;
  rest bytea := set_byte('\x00'::bytea, 0, old.ping_count);
begin
  if old.resolved_ip is not null then
    flags := flags | 2;
    rest := rest || with_length(old.resolved_ip);
  end if;
  if old.hostname = old.resolved_ip then
    flags := flags | 8;
  else
    rest := rest || with_length(old.hostname);
  end if;
  if old.dns_ms is not null then
    flags := flags | 16;
    if old.dns_ms <> 0 then
      flags := flags | 32;
      rest := rest || little_endian(float4send(old.dns_ms));
    end if;
  end if;
  if old.packet_size is not null then
    flags := flags | 64;
    rest := rest || little_endian(int2send(old.packet_size));
  end if;
  if old.jitter_ms is not null then
    flags := flags | 128;
    if old.jitter_ms <> 0 then
      flags := flags | 256;
      rest := rest || little_endian(float4send(old.jitter_ms));
    end if;
  end if;
  if coalesce(old.loss_burst, 0) <> 0 or coalesce(old.duplicates, 0) <> 0
    or coalesce(old.reordered, 0) <> 0 or coalesce(old.late_replies, 0) <> 0 then
    flags := flags | 512;
    rest := rest || little_endian(int2send(coalesce(old.loss_burst, 0::smallint)))
      || little_endian(int2send(coalesce(old.duplicates, 0::smallint)))
      || little_endian(int2send(coalesce(old.reordered, 0::smallint)))
      || little_endian(int2send(coalesce(old.late_replies, 0::smallint)));
  end if;
  return little_endian(int2send(flags::smallint)) || rest;
end
$$;

create function old_result_detail(old results) returns bytea language plpgsql immutable as $$
declare
  packets bytea := coalesce(old.packets, '');
  -- The two bytes of flags, then without the duration, which has a column now.
  rest bytea := case when old.detail is null then old_result_rest(old)
    else substring(old.detail from 1 for 2) || substring(old.detail from 7) end;
begin
  if old.trouble is not null then
    return '\x00'::bytea || rest;
  end if;
  return '\x01'::bytea || int2send(old.packets_sent) || int2send(old.packets_received)
    || float4send(coalesce(old.loss_percent, 'NaN'))
    || float4send(coalesce(old.min_ms, 'NaN')) || float4send(coalesce(old.max_ms, 'NaN'))
    || float4send(coalesce(old.avg_ms, 'NaN')) || float4send(coalesce(old.std_dev_ms, 'NaN'))
    || set_byte('\x00'::bytea, 0, octet_length(packets) / 16) || packets || rest;
end
$$;

create function old_result_duration_us(old results) returns integer language sql immutable as $$
  select least(case when old.detail is null
    then round(extract(epoch from old.stopped_at - old.started_at) * 1000000)
    else get_byte(old.detail, 2) + get_byte(old.detail, 3) * 256::bigint
      + get_byte(old.detail, 4) * 65536::bigint + get_byte(old.detail, 5) * 16777216::bigint
    end, 2147483647)::integer
$$;

create view readable_results as
  select check_id, id, location,
    coalesce(probe_id, (select name from result_probes where number = probe_number)) as probe_id,
    attempt, is_final, verdict, started_at,
    case when samples is null then old_result_duration_us(results) else duration_us end
      as duration_us,
    case when samples is null then avg_ms else response_ms end as response_ms,
    trouble, reasons, samples,
    case when samples is null then old_result_detail(results) else detail end as detail
  from results;
