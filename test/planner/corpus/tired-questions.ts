import { type CorpusEntry, entry } from "./entry.ts";

const counts = "2 failing, 1 degraded and 1 without data, 7 passing, of 11 checks";
const all = ["get_status {}"];
const edgePlaces = ["get_status edge-router", "get_statistics edge-router byLocation"];
const openIncident = ["list_incidents", "get_incident 000000000901", "get_status {}"];

/** As somebody writes who was woken at three: fragments, short words, "it" and "and". */
export const tiredQuestions: readonly CorpusEntry[] = [
  entry("wtf is down", all, [counts]),
  entry("sitrep", all, [counts]),
  entry("hows everything", all, [counts]),
  entry("how bad is it", all, [counts]),
  entry("what should i look at first", all, [counts]),
  entry(["is edge-router down", "how bad is it"], ["get_status edge-router"], ["12 runs in a row"]),
  entry(["edge-router?", "since"], ["get_status edge-router"], ["(2 h)"]),
  entry("is anything else down", all, [counts], { hides: ["I know no"] }),
  entry("uptime of core-db yday", ["get_statistics core-db 2026-11-14T00:00"], ["yesterday ("]),
  entry("whats down rn", all, [counts]),
  entry("when's the next maint window", ["list_maintenance"], ["maintenance"]),
  entry("slowest 3", ["get_statistics"], ["Slowest by P95"], { hides: ["[4]"] }),
  entry(
    "gimme the last 2 runs of core-db",
    ['list_results core-db "limit":2'],
    ["The newest 2 runs"],
  ),
  entry("last result of core-db", ['list_results core-db "limit":1'], ["The newest run of"]),
  entry(
    "core-db p99 today vs yesterday",
    ["compare_windows core-db"],
    ["P99 ", "`core-db`: availability"],
  ),
  entry(["why is edge-router down", "which locations?"], edgePlaces, ["failing from eu-central-1"]),
  entry(["latency of edge-router", "by location?"], edgePlaces, ["us-east-1: availability"]),
  entry(["which locations?", "and edge-router?"], edgePlaces, [
    "`edge-router`: failing from eu-central-1",
  ]),
  entry(
    ["why is edge-router down", "which locations are silent?"],
    ["list_locations", "get_status {}"],
    ["2 locations of 4 silent"],
  ),
  entry(
    ["why is edge-router down", "who got told"],
    ["list_deliveries edge-router"],
    ["2 messages about `edge-router`"],
  ),
  entry(
    ["why is edge-router down", "which notifications failed?"],
    ["list_deliveries"],
    ["message"],
    { hides: ["about `edge-router`"] },
  ),
  entry(
    ["latency of core-db", "compare with yesterday"],
    ["compare_windows core-db"],
    ["`core-db`: availability"],
  ),
  entry(
    "mute core for 1h",
    [
      "list_checks core",
      "mute_check edge-router true",
      "mute_check core-db true",
      "mute_check dns-primary true",
    ],
    ["Not done yet, please confirm"],
  ),
  entry("mute everything", [], ["at most 5 checks at a time"]),
  entry("ack edge-router", ["list_alerts"], ["The alert of `edge-router`: acknowledged at"]),
  entry("ping 192.0.2.9 every 5m", ['create_check "frequency":5'], ["1 check to create:"]),
  entry(["summarise the latest incident", "resolve it"], openIncident, [
    "A draft for `DNS outage`, status RESOLVED",
  ]),
  entry(["draft an update", "shorter"], openIncident, ["A draft for `DNS outage`", "“post: …”"]),
  entry(
    ["draft an update", "shorter", "post it"],
    ["list_incidents", "get_incident 000000000901", "post_incident_update"],
    ["To `DNS outage`, status IDENTIFIED", "please confirm"],
  ),
  entry(
    "explain packet loss of dns-primary",
    ["get_statistics dns-primary", "list_results dns-primary"],
    ["`dns-primary` has no data on packet loss", "name not resolved"],
    { hides: ["lost no data", "None of the newest"] },
  ),
];
