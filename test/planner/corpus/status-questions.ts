import { type CorpusEntry, entry } from "./entry.ts";

const counts = "2 failing, 1 degraded and 1 without data, 7 passing, of 11 checks";
const edgeFails =
  "`edge-router` has been failing since 2026-11-15 10:00 UTC (2 h), 12 runs in a row";
const all = ["get_status {}"];
const edge = ["get_status edge-router"];
const edgeRuns = ["get_status edge-router", "get_result edge-router", "get_result edge-router"];
const edgePlaces = ["get_status edge-router", "get_statistics edge-router byLocation"];
const probes = ["list_locations", "get_status {}"];

export const statusQuestions: readonly CorpusEntry[] = [
  entry("What's failing right now?", all, [counts, edgeFails, "`dns-primary`", "[1]", "Sources:"]),
  entry("what is down", all, [edgeFails]),
  entry("Is anything broken?", all, [counts]),
  entry("anything on fire?", all, [counts]),
  entry("Which checks are failing?", all, [edgeFails, "`dns-primary` has been failing"]),
  entry(
    "whats degraded?",
    all,
    ["`web-frontend` has been degraded since 2026-11-15 11:30 UTC (30 min)"],
    {
      hides: ["- `edge-router` has been failing"],
    },
  ),
  entry("show me all failing checks", all, [edgeFails]),
  entry("Is everything ok?", all, [counts, "`backup-nas` is switched off"]),
  entry("How are we doing?", all, [counts]),
  entry("status", all, [counts]),
  entry("give me an overview, please", all, [counts]),
  entry("any alerts?", all, [counts]),
  entry("wat is faling", all, [counts]),
  entry("dwon checks?", all, [edgeFails]),
  entry("which monitors are unhealthy right now please", all, [edgeFails]),
  entry(
    "hey, is production ok?",
    ["list_checks production", "get_status web-frontend api-eu"],
    ["1 degraded, 2 passing, of 3 checks with the tag `production`"],
  ),
  entry(
    "are any core checks down?",
    ["list_checks core", "get_status edge-router core-db"],
    ["2 failing, 1 passing, of 3 checks with the tag `core`"],
  ),
  entry(
    "status of everything tagged mail",
    ["list_checks mail", "get_status"],
    ["The only check with the tag `mail` is passing."],
  ),
  entry("anything down in Frankfurt?", all, [
    "2 failing and 1 degraded, 6 passing, of 9 checks from eu-central-1",
  ]),
  entry("What is failing from eu-west-2?", all, [
    "1 failing, 6 passing, of 7 checks from eu-west-2",
    "seen from eu-west-2",
  ]),
  entry("anything wrong in Lodnon", all, ["of 7 checks from eu-west-2"]),
  entry("How is edge-router?", edge, [
    edgeFails,
    "failing from eu-central-1 and eu-west-2; passing from us-east-1",
  ]),
  entry("is edge-router up?", edge, [edgeFails]),
  entry("Is the EDGE ROUTER down???", edge, [edgeFails]),
  entry("edge-router", edge, [edgeFails]),
  entry("is edge-ruoter down", edge, [edgeFails]),
  entry(
    "status of core db",
    ["get_status core-db"],
    ["`core-db` has been passing since 2026-11-10 09:00 UTC (5 d 3 h)"],
  ),
  entry("how's the mail gateway doing?", ["get_status Mail"], ["`Mail Gateway` has been passing"]),
  entry("is web frontend degraded", ["get_status web-frontend"], ["10 % of the packets were lost"]),
  entry("Is backup-nas ok", ["get_status backup-nas"], ["switched off and has never run"]),
  entry(
    'is "Office printer" up',
    ["get_status Office"],
    ["`Office printer` (muted) has been passing"],
  ),
  entry("how is 192.0.2.20", ["get_status edge-switch"], ["`edge-switch` has been passing"]),
  entry("how is ns1.example.net", ["get_status dns-primary"], ["`dns-primary` has been failing"]),
  entry("does edge-router work from London?", edge, ["from eu-west-2: failing"]),
  entry(
    "is core-db reachable from Tokyo?",
    ["get_status core-db"],
    ["from ap-northeast-1: no data"],
  ),
  entry(
    "status of 00000000-0000-7000-8000-000000000003",
    ["get_status core-db"],
    ["`core-db` has been passing"],
  ),
  entry(
    "status of 00000000-0000-7000-8000-000000009999",
    ["get_status 000000009999"],
    ["There is no check `00000000-0000-7000-8000-000000009999` here."],
  ),
  entry(
    "Is edg down?",
    [],
    ["2 checks fit `edg`. Which one do you mean?", "1. `edge-router`", "2. `edge-switch`"],
  ),
  entry(
    "how are the edge checks?",
    ["get_status edge-router edge-switch", "list_incidents ongoing"],
    ["`Edge`: 1 failing and 1 passing, of 2 checks", edgeFails, "passing: `edge-switch`"],
  ),
  entry(
    "is the frobnicator down?",
    ["list_locations", "list_incidents", "get_status {}"],
    ["I know nothing called `frobnicator`"],
  ),
  entry("since when is edge-router down?", edge, ["since 2026-11-15 10:00 UTC (2 h)"]),
  entry("How long has edge-router been failing?", edge, ["(2 h)"]),
  entry(
    "when did dns-primary go down?",
    ["get_status dns-primary"],
    ["since 2026-11-15 08:00 UTC (4 h)"],
  ),
  entry(
    "when did core-db last go down?",
    ["get_status core-db", "list_state_changes core-db 2026-10-16"],
    ["It was last failing at 2026-11-10 08:00 UTC for 1 h."],
  ),
  entry(
    "when did api-eu last fail?",
    ["get_status api-eu", "list_state_changes api-eu"],
    ["It has not been failing or degraded in the last 30 days."],
  ),
  entry("since when are things failing", all, [edgeFails]),
  entry("why is edge-router down?", edgeRuns, [
    "40 % of the packets were lost, at or above the limit of 20 %",
    "4 of 10 packets were lost, in a burst: #3 to #6",
    "routers answered with host unreachable (1×)",
    "scattered, as random loss is: #2, #4, #7 and #9",
  ]),
  entry("why is edge-router down, and since when?", edgeRuns, ["since 2026-11-15 10:00 UTC"]),
  entry(
    "Why is dns-primary failing?",
    ["get_status dns-primary", "get_result dns-primary"],
    ["name not resolved", "nothing was measured: `no such name`"],
  ),
  entry(
    "what's wrong with web-frontend?",
    ["get_status web-frontend", "get_result web-frontend"],
    ["1 of 10 packets were lost"],
  ),
  entry("what caused the failure of edge-router", edgeRuns, ["host unreachable"]),
  entry(
    "why did core-db fail on 2026-11-10",
    ["get_status core-db", "list_results core-db 2026-11-10T00 2026-11-11T00 failing"],
    ["`core-db` has been passing", "no failing run on 2026-11-10"],
  ),
  entry("why?", ["get_status {}", "get_result", "get_result"], [counts, "in a burst"]),
  entry(
    "is it the network or the host?",
    ["get_status {}", "get_result", "get_result", "get_result"],
    [
      "`edge-router`: It looks like the network path from some places to the host",
      "`dns-primary`: Name resolution seems to be the cause",
      "1 of 10 other checks failing",
    ],
  ),
  entry(
    "Is edge-router down or is it just me?",
    ["get_status {}", ...edgeRuns],
    ["It looks like the network path from some places to the host"],
  ),
  entry(
    "is it us or is it the host for edge-router",
    ["get_status {}", ...edgeRuns],
    ["It looks like"],
  ),
  entry(
    "is dns-primary failing because of our network",
    ["get_status {}", "get_status dns-primary", "get_result"],
    ["Name resolution seems to be the cause: no packet was sent."],
  ),
  entry(
    "is core-db a network problem?",
    ["get_status {}", "get_status core-db"],
    ["Neither: nothing is failing now."],
  ),
  entry("which locations see edge-router failing?", edgePlaces, [
    "`edge-router`: failing from eu-central-1 and eu-west-2; passing from us-east-1.",
    "us-east-1: availability 97.5 %, loss 0 %, average 37.5 ms",
  ]),
  entry("from where is edge-router down", edgePlaces, ["failing from eu-central-1 and eu-west-2"]),
  entry(
    "where is web-frontend degraded?",
    ["get_status web-frontend", "get_statistics web-frontend byLocation"],
    ["degraded from eu-central-1; passing from eu-west-2 and us-east-1"],
  ),
  entry("edge-router by location", edgePlaces, ["failing from eu-central-1"]),
  entry("which locations are silent?", probes, [
    "2 locations of 4 silent: us-east-1 and office.",
    "0 of 1 probe alive, last seen 2026-11-15 09:00 UTC, 7 checks",
    "`office`: no probe serves it",
  ]),
  entry("are all probes alive?", probes, ["us-east-1"]),
  entry("list locations", probes, [
    "`eu-central-1` (`Frankfurt`): 1 of 1 probe alive, 9 checks, 2 failing from there",
  ]),
  entry("is the probe in Virginia alive?", probes, ["1 location of 1 silent: us-east-1."]),
  entry("any probes down?", probes, ["2 locations of 4 silent"]),
  entry("got paged, what's up?", all, [counts]),
  entry("I just got an alert about edge-router, what's going on?", edge, [edgeFails]),
  entry("which of our hosts can't be reached?", all, [edgeFails]),
  entry("could u tell me y edge-router is down", edgeRuns, ["host unreachable"]),
  entry("wich locatons see edge-router faling", edgePlaces, ["failing from eu-central-1"]),
  entry("is the office printer muted", ["get_status Office"], ["It is muted: it notifies nobody."]),
  entry("is core-db muted?", ["get_status core-db"], ["It is not muted."]),
  entry(
    "what are the thresholds of edge-router",
    ["get_check edge-router"],
    [
      "failing at 20 % loss, degraded at 10 % loss and failing above 250 ms.",
      "`LATENCY avg LESS_THAN 90`",
    ],
  ),
  entry("how often does core-db run", ["get_check core-db"], ["Every minute, 10 packets a run"]),
  entry("what's the ip of core-db", ["get_check core-db"], ["`core-db` pings `db.example.net`"]),
  entry(
    "describe edge-router",
    ["get_check edge-router"],
    ["`edge-router` pings `edge.example.net` over IPv4. [1]"],
  ),
  entry("is the London probe ok?", probes, ["No location is silent"]),
];
