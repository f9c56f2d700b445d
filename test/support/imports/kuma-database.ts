import { DatabaseSync } from "node:sqlite";

/** Tables of version 1 of Uptime Kuma, with the columns that exist after its migrations. */
const versionOne = `
create table user (id integer primary key autoincrement, username varchar(255) not null unique,
  password varchar(255), active boolean not null default 1, timezone varchar(150));
create table monitor (id integer primary key autoincrement, name varchar(150),
  active boolean not null default 1, user_id integer, interval integer not null default 20,
  url text, type varchar(20), weight integer default 2000, hostname varchar(255), port integer,
  created_date datetime, keyword varchar(255), maxretries integer not null default 0,
  ignore_tls boolean not null default 0, upside_down boolean not null default 0,
  maxredirects integer not null default 10,
  accepted_statuscodes_json text not null default '["200-299"]', dns_resolve_type varchar(5),
  dns_resolve_server varchar(255), dns_last_result varchar(255),
  retry_interval integer not null default 0, push_token varchar(20) default null,
  method text not null default 'GET', body text default null, headers text default null,
  basic_auth_user text default null, basic_auth_pass text default null,
  docker_host integer, docker_container varchar(255), proxy_id integer,
  expiry_notification boolean default 1, mqtt_topic text, mqtt_success_message varchar(255),
  mqtt_username varchar(255), mqtt_password varchar(255), database_connection_string varchar(2000),
  database_query text, auth_method varchar(250), auth_domain text, auth_workstation text,
  grpc_url varchar(255) default null, grpc_protobuf text default null, grpc_body text default null,
  grpc_metadata text default null, grpc_method varchar(255) default null,
  grpc_service_name varchar(255) default null, grpc_enable_tls boolean not null default 0,
  radius_username varchar(255), radius_password varchar(255), radius_secret varchar(255),
  resend_interval integer not null default 0, packet_size integer default 56, game varchar(255),
  http_body_encoding varchar(25), description text default null, tls_ca text default null,
  tls_cert text default null, tls_key text default null, parent integer default null,
  invert_keyword boolean not null default 0, json_path text, expected_value varchar(255),
  kafka_producer_topic varchar(255), kafka_producer_brokers text,
  timeout double default 0 not null, gamedig_given_port_only boolean default 1 not null);
create table heartbeat (id integer primary key autoincrement, important boolean not null default 0,
  monitor_id integer not null, status smallint not null, msg text, time datetime not null,
  ping integer, duration integer not null default 0, down_count integer not null default 0);
create table notification (id integer primary key autoincrement, name varchar(255),
  config varchar(255), active boolean not null default 1, user_id integer not null,
  is_default boolean not null default 0);
create table monitor_notification (id integer primary key autoincrement,
  monitor_id integer not null, notification_id integer not null);
create table tag (id integer primary key autoincrement, name varchar(255) not null,
  color varchar(255) not null, created_date datetime);
create table monitor_tag (id integer primary key autoincrement, monitor_id integer not null,
  tag_id integer not null, value text);
create table proxy (id integer primary key autoincrement, user_id int not null,
  protocol varchar(10) not null, host varchar(255) not null, port smallint not null, auth boolean,
  username varchar(255), password varchar(255), active boolean, "default" boolean,
  created_date datetime);
create table setting (id integer primary key autoincrement, key varchar(200) not null unique,
  value text, type varchar(20));
create table status_page (id integer primary key autoincrement, slug varchar(255) not null unique,
  title varchar(255) not null, description text, icon varchar(255) not null,
  theme varchar(30) not null, published boolean not null default 1,
  search_engine_index boolean not null default 1, show_tags boolean not null default 0,
  password varchar, created_date datetime, modified_date datetime, footer_text text,
  custom_css text, show_powered_by boolean not null default 1, google_analytics_tag_id varchar);
create table status_page_cname (id integer primary key autoincrement, status_page_id integer,
  domain varchar not null unique);
create table "group" (id integer primary key autoincrement, name varchar(255) not null,
  created_date datetime, public boolean not null default 0, active boolean not null default 1,
  weight integer not null default 1000, status_page_id integer);
create table monitor_group (id integer primary key autoincrement, monitor_id integer not null,
  group_id integer not null, weight integer not null default 1000, send_url boolean default 0);
create table incident (id integer primary key autoincrement, title varchar(255) not null,
  content text not null, style varchar(30) not null default 'warning', created_date datetime,
  last_updated_date datetime, pin boolean not null default 1, active boolean not null default 1,
  status_page_id integer);
create table maintenance (id integer primary key autoincrement, title varchar(150) not null,
  description text not null, user_id integer, active boolean not null default 1,
  strategy varchar(50) not null default 'single', start_date datetime, end_date datetime,
  start_time time, end_time time, weekdays varchar2(250) default '[]',
  days_of_month text default '[]', interval_day integer, cron text, timezone varchar(255),
  duration integer);
create table monitor_maintenance (id integer primary key autoincrement,
  monitor_id integer not null, maintenance_id integer not null);
create table maintenance_status_page (id integer primary key autoincrement,
  status_page_id integer not null, maintenance_id integer not null);
`;

/** Statements that change the tables of version 1 of Uptime Kuma to those of version 2. */
const versionTwo = `
create table knex_migrations (id integer primary key, name varchar(255), batch int,
  migration_time datetime);
create table stat_minutely (id integer primary key, monitor_id integer not null,
  timestamp integer not null, ping float not null, up smallint not null, down smallint not null,
  ping_min float not null default 0, ping_max float not null default 0, extras text);
create table stat_hourly (id integer primary key, monitor_id integer not null,
  timestamp integer not null, ping float not null, ping_min float not null default 0,
  ping_max float not null default 0, up smallint not null, down smallint not null, extras text);
create table stat_daily (id integer primary key, monitor_id integer not null,
  timestamp integer not null, ping float not null, up smallint not null, down smallint not null,
  ping_min float not null default 0, ping_max float not null default 0, extras text);
alter table heartbeat add column end_time datetime;
alter table heartbeat add column retries integer not null default 0;
alter table monitor add column conditions text not null default '[]';
alter table monitor add column json_path_operator varchar(255);
alter table monitor add column bearer_token text;
alter table monitor add column ip_family varchar(4);
alter table monitor add column ping_count integer not null default 1;
alter table monitor add column expected_tls_alert varchar(50);
alter table monitor add column rabbitmq_nodes text;
alter table monitor add column manual_status integer;
alter table monitor add column domain_expiry_notification boolean not null default 0;
`;

type Value = string | number | null;
type Rows = readonly Readonly<Record<string, Value>>[];
export type KumaTables = Readonly<Record<string, Rows>>;

/** Executes statements on a SQLite database, which is created if it does not exist. */
export function runOnSqlite(path: string, sql: string): DatabaseSync {
  const db = new DatabaseSync(path);
  db.exec(sql);
  return db;
}

/** Writes a database of Uptime Kuma with the tables of the given version. */
export function writeKumaDatabase(path: string, version: 1 | 2, tables: KumaTables): void {
  const db = new DatabaseSync(path);
  db.exec(versionOne);
  if (version === 2) db.exec(versionTwo);
  db.prepare("begin").run();
  for (const [table, rows] of Object.entries(tables)) {
    for (const row of rows) {
      const names = Object.keys(row);
      const places = names.map(() => "?").join(", ");
      const columns = names.map((name) => `"${name}"`).join(", ");
      db.prepare(`insert into "${table}" (${columns}) values (${places})`).run(
        ...Object.values(row),
      );
    }
  }
  db.prepare("commit").run();
  db.close();
}

const config = (value: object) => JSON.stringify(value);

/** Rows of a small Uptime Kuma installation that has one object of every type. */
export const kumaTables: KumaTables = {
  monitor: [
    { id: 1, name: "Production", type: "group", interval: 60 },
    { id: 2, name: "Web", type: "group", interval: 60, parent: 1 },
    {
      ...{ id: 3, name: "Shop", type: "http", interval: 60, url: "https://shop.example.com/" },
      ...{ parent: 2, maxretries: 2, resend_interval: 10, description: "The shop" },
    },
    {
      ...{ id: 4, name: "Login", type: "keyword", interval: 75, parent: 2, timeout: 10 },
      ...{ url: "https://shop.example.com/login", keyword: "Sign in", method: "POST" },
      ...{ body: '{"user":"probe"}', http_body_encoding: "json", ignore_tls: 1, maxredirects: 0 },
      ...{ headers: '{"X-Api-Key":"kuma-header-secret","Accept":"text/html"}' },
      ...{ auth_method: "basic", basic_auth_user: "probe", basic_auth_pass: "kuma-basic-secret" },
      ...{ accepted_statuscodes_json: '["200-299","302","404"]', proxy_id: 1 },
    },
    {
      ...{ id: 5, name: "Queue depth", type: "json-query", interval: 300, expected_value: "0" },
      ...{ url: "http://api.example.com/queue", json_path: "queues[0].depth" },
    },
    {
      ...{ id: 6, name: "Totals", type: "json-query", interval: 300, expected_value: "7" },
      ...{ url: "http://api.example.com/totals", json_path: "$sum(items.price)" },
    },
    {
      id: 7,
      name: "Database port",
      type: "port",
      interval: 20,
      hostname: "db.example.com",
      port: 5432,
    },
    { id: 8, name: "Router", type: "ping", interval: 15, hostname: "192.0.2.1", upside_down: 1 },
    {
      ...{ id: 9, name: "Mail exchanger", type: "dns", interval: 600, hostname: "example.com" },
      ...{ dns_resolve_type: "MX", dns_resolve_server: "1.1.1.1,8.8.8.8", port: 53 },
    },
    {
      ...{ id: 10, name: "Nightly backup", type: "push", interval: 86400, maxretries: 1 },
      ...{ push_token: "kumaPushToken123" },
    },
    { id: 11, name: "Cache", type: "docker", interval: 60, docker_container: "redis" },
    {
      ...{ id: 12, name: "Orders", type: "postgres", interval: 60, active: 0 },
      database_connection_string: "postgres://probe:kuma-db-secret@orders.example.com/orders",
    },
    {
      ...{
        id: 13,
        name: "Partner",
        type: "http",
        interval: 60,
        url: "https://partner.example.com/",
      },
      auth_method: "oauth2-cc",
    },
    { id: 14, name: "Broken", type: "http", interval: 60, url: "not a url" },
    { id: 15, name: "Office", type: "manual", interval: 60 },
  ],
  notification: [
    {
      ...{ id: 1, name: "Ops mail", user_id: 1, is_default: 1 },
      config: config({ type: "smtp", smtpTo: "ops@example.com, lead@example.com" }),
    },
    {
      ...{ id: 2, name: "Chat", user_id: 1 },
      config: config({
        type: "slack",
        slackwebhookURL: "https://hooks.example.com/kuma-slack-secret",
      }),
    },
    {
      id: 3,
      name: "Bark",
      user_id: 1,
      config: config({ type: "Bark", barkEndpoint: "https://x" }),
    },
    { id: 4, name: "Old", user_id: 1, active: 0, config: config({ type: "discord" }) },
  ],
  monitor_notification: [
    { monitor_id: 3, notification_id: 1 },
    { monitor_id: 4, notification_id: 2 },
    { monitor_id: 11, notification_id: 2 },
  ],
  tag: [
    { id: 1, name: "team", color: "#111111" },
    { id: 2, name: "public", color: "#222222" },
  ],
  monitor_tag: [
    { monitor_id: 3, tag_id: 1, value: "edge" },
    { monitor_id: 3, tag_id: 2, value: "" },
  ],
  proxy: [{ id: 1, user_id: 1, protocol: "http", host: "proxy.example.com", port: 3128 }],
  setting: [
    { key: "tlsExpiryNotifyDays", value: "[7,14]", type: "notification" },
    { key: "serverTimezone", value: '"Europe/Berlin"', type: "general" },
  ],
  status_page: [
    {
      ...{
        id: 1,
        slug: "shop",
        title: "Shop status",
        description: "How we are",
        icon: "/icon.svg",
      },
      ...{ theme: "dark", custom_css: "body{}" },
    },
  ],
  status_page_cname: [{ status_page_id: 1, domain: "status.example.com" }],
  group: [{ id: 1, name: "Customers", public: 1, weight: 1, status_page_id: 1 }],
  monitor_group: [
    { monitor_id: 15, group_id: 1, weight: 2 },
    { monitor_id: 3, group_id: 1, weight: 1 },
  ],
  incident: [{ id: 1, title: "Slow shop", content: "We look into it", status_page_id: 1 }],
  maintenance: [
    {
      ...{ id: 1, title: "Router upgrade", description: "New firmware", strategy: "single" },
      ...{ start_date: "2026-12-01 22:00:00", end_date: "2026-12-02 00:30:00" },
      timezone: "SAME_AS_SERVER",
    },
    {
      ...{
        id: 2,
        title: "Reboot",
        description: "",
        strategy: "recurring-weekday",
        weekdays: "[1,4]",
      },
      ...{
        start_time: "23:30",
        end_time: "00:30",
        timezone: "UTC",
        start_date: "2026-11-01 00:00:00",
      },
    },
    { id: 3, title: "By cron", description: "", strategy: "cron", cron: "0 3 * * *" },
  ],
  monitor_maintenance: [{ monitor_id: 8, maintenance_id: 1 }],
};
