import { type CorpusEntry, entry, fact } from "./entry.ts";

const day = "2026-11-14T12:00 2026-11-15T12:00";
const lastWeek = "2026-11-02T00:00 2026-11-09T00:00";
const yesterday = "2026-11-14T00:00 2026-11-15T00:00";

export const figureQuestions: readonly CorpusEntry[] = [
  entry(
    "slowest checks by P95",
    [`get_statistics ${day}`],
    ["Slowest by P95 in the last 24 hours", "- `core-db`: P95 210 ms, average 85 ms. [1]"],
  ),
  entry(
    "which checks are slow today",
    ["get_statistics 2026-11-15T00:00 2026-11-15T12:00"],
    ["Slowest by P95 today"],
  ),
  entry(
    "what is the slowest host from Virginia",
    ["get_statistics byLocation"],
    ["from us-east-1", "`core-db`: P95 630 ms"],
  ),
  entry(
    "fastest checks by average last week",
    [`get_statistics ${lastWeek}`],
    ["Fastest by average last week", "- `Office printer`: average 1 ms"],
  ),
  entry("top latency", ["get_statistics"], ["Slowest by P95"]),
  entry(
    "which check has the highest p99 this month?",
    ["get_statistics 2026-11-01T00:00"],
    ["`core-db`: P99 300 ms"],
  ),
  entry(
    "slowest checks tagged production by median",
    ["get_statistics production"],
    ["- `api-us`: median (P50) 94 ms"],
  ),
  entry(
    "latency of core-db",
    [`get_statistics core-db ${day} byLocation`],
    [
      "average 85 ms, median (P50) 80 ms, P95 210 ms, P99 300 ms, maximum 512 ms. [1]",
      "from us-east-1: average 255 ms",
    ],
  ),
  entry(
    "what's the P99 of core-db last week?",
    [`get_statistics core-db ${lastWeek}`],
    ["P99 300 ms, average 85 ms"],
  ),
  entry(
    "average rtt of api-us in the last 3 hours",
    ["get_statistics api-us 2026-11-15T09:00"],
    ["average 95 ms"],
  ),
  entry(
    "core-db latency from Virginia yesterday",
    [`get_statistics core-db ${yesterday}`],
    ["`core-db` from us-east-1, yesterday", "average 255 ms"],
  ),
  entry(
    "why is core-db slow?",
    ["compare_windows core-db 2026-11-13T12:00"],
    ["P95 105 ms → 210 ms (+105 ms)", "`core-db` is slower than before."],
  ),
  entry(
    "is api-us slower than usual?",
    ["compare_windows api-us"],
    ["`api-us` is slower than before."],
  ),
  entry(
    "latency of backup-nas",
    ["get_statistics backup-nas"],
    ["`backup-nas` has no data on latency"],
  ),
  entry(
    "availability of core-db last week",
    [`get_statistics core-db ${lastWeek}`],
    ["availability 99.9 %, about 10 min 5 s down if it was watched throughout"],
  ),
  entry(
    "uptime of edge-router yesterday",
    [`get_statistics edge-router ${yesterday}`],
    [
      "availability 97.5 %, about 36 min down if it was watched throughout (36 failing and 6 degraded of 1440 runs",
    ],
  ),
  entry(
    "What was the availability in the last 24h?",
    [`get_statistics ${day}`],
    ["Mean availability of 10 checks in the last 24 hours", "- `dns-primary`: 66.6 %. [1]"],
  ),
  entry(
    "what's our SLA this month",
    ["get_statistics 2026-11-01T00:00"],
    ["Mean availability of 10 checks this month"],
  ),
  entry(
    "availability of production checks between 2026-11-01 and 2026-11-10",
    ["get_statistics production 2026-11-01T00:00 2026-11-11T00:00"],
    ["Mean availability of 3 checks", "99.733 %"],
  ),
  entry(
    "edge-router uptime since Monday",
    ["get_statistics edge-router 2026-11-09T00:00 2026-11-15T12:00"],
    ["since Monday 2026-11-09", "97.5 %"],
  ),
  entry(
    "how much downtime did dns-primary have today",
    ["get_statistics dns-primary 2026-11-15T00:00"],
    ["66.6 %, about 4 h down"],
  ),
  entry(
    "availability of backup-nas last week",
    ["get_statistics backup-nas"],
    ["`backup-nas` has no data"],
  ),
  entry(
    "how available was web-frontend on 12 November",
    ["get_statistics web-frontend 2026-11-12T00:00 2026-11-13T00:00"],
    ["on 2026-11-12", "99.2 %"],
  ),
  entry(
    "availabilty of edge-router tomorrow",
    [],
    ["There is no data for tomorrow: it lies in the future."],
  ),
  entry(
    "uptime of api-eu from London this week",
    ["get_statistics api-eu 2026-11-09T00:00 byLocation"],
    ["availability 100 %"],
  ),
  entry(
    "sla of core-db in October",
    ["get_statistics core-db 2026-10-01T00:00 2026-11-01T00:00"],
    ["October 2026"],
  ),
  entry(
    "how available was edge-router over the past 2 weeks",
    ["get_statistics edge-router 2026-11-01T12:00"],
    ["the last 2 weeks"],
  ),
  entry(
    "uptime of edge-router from 2026-11-12 14:00 to 2026-11-13",
    ["get_statistics edge-router 2026-11-12T14:00 2026-11-14T00:00"],
    ["97.5 %"],
  ),
  entry(
    "explain the packet loss of edge-router",
    [
      `get_statistics edge-router ${day} byLocation`,
      "list_results edge-router",
      "get_result",
      "get_result",
    ],
    [
      "`edge-router` lost 4.2 % of its packets in the last 24 hours",
      "Only eu-central-1 and eu-west-2 of 3 locations, so the cause is on the path from there",
      "4 of 10 packets were lost, in a burst: #3 to #6; routers answered with host unreachable (1×)",
      "The loss has no single pattern",
    ],
  ),
  entry(
    "is edge-router losing packets?",
    ["get_statistics edge-router", "list_results edge-router", "get_result", "get_result"],
    ["4.2 %"],
  ),
  entry(
    "which packets did edge-router lose?",
    ["get_statistics edge-router", "list_results", "get_result", "get_result"],
    ["#2, #4, #7 and #9"],
  ),
  entry(
    "is the loss on edge-router bursty or random from Frankfurt?",
    ["get_statistics edge-router", "list_results", "get_result"],
    ["The loss comes in bursts"],
  ),
  entry(
    "packet loss of edge-switch last 7 days",
    ["get_statistics edge-switch 2026-11-08T12:00", "list_results edge-switch"],
    ["lost 0 % of its packets", "No location loses any"],
  ),
  entry(
    "loss on core-db from Frankfurt",
    ["get_statistics core-db", "list_results core-db"],
    ["lost 0 % of its packets from eu-central-1"],
  ),
  entry(
    "which checks have packet loss?",
    ["get_statistics"],
    ["4 checks of 9 lost packets", "- `edge-router`: 4.2 % lost. [1]"],
  ),
  entry("any packet loss in London?", ["get_statistics byLocation"], ["1 check of 7 lost packets"]),
  entry(
    "is backup-nas dropping packets",
    ["get_statistics backup-nas", "list_results backup-nas"],
    ["no data on packet loss"],
  ),
];

export const changeQuestions: readonly CorpusEntry[] = [
  entry(
    "what changed since yesterday?",
    ["list_state_changes 2026-11-14T00:00 2026-11-15T12:00"],
    [
      "11 changes of 4 checks since yesterday",
      "`web-frontend` went from passing to degraded (for 30 min so far)",
    ],
  ),
  entry(
    "what happened last night",
    ["list_state_changes 2026-11-14T18:00 2026-11-15T06:00"],
    ["Nothing changed last night"],
  ),
  entry(
    "what changed in the last 2 hours",
    ["list_state_changes 2026-11-15T10:00"],
    ["6 changes of 3 checks"],
  ),
  entry(
    "What was failing yesterday?",
    [`list_state_changes ${yesterday}`],
    ["`edge-router` went from passing to failing (for 1 h)"],
  ),
  entry(
    "was edge-router down yesterday?",
    [`list_state_changes edge-router ${yesterday}`, "get_statistics edge-router"],
    ["went from passing to failing (for 1 h)", "Availability: 97.5 %"],
  ),
  entry(
    "state changes of edge-router this week",
    ["list_state_changes edge-router 2026-11-09T00:00", "get_statistics edge-router"],
    ["3 changes of 1 check this week"],
  ),
  entry(
    "what happened at 14:00 yesterday",
    ["list_state_changes 2026-11-14T13:45 2026-11-14T14:15"],
    ["`edge-router` went from passing to failing"],
  ),
  entry(
    "what happened yesterday at 2pm",
    ["list_state_changes 2026-11-14T13:45 2026-11-14T14:15"],
    ["`edge-router`"],
  ),
  entry(
    "history of core-db between Monday and Wednesday",
    ["list_state_changes core-db 2026-11-09T00:00 2026-11-12T00:00", "get_statistics core-db"],
    ["2 changes of 1 check"],
  ),
  entry("what changed since 10:00?", ["list_state_changes 2026-11-15T10:00"], ["since 10:00"]),
  entry(
    "what happened on 2026-11-10",
    ["list_state_changes 2026-11-10T00:00 2026-11-11T00:00"],
    ["`core-db` went from passing to failing (for 1 h)"],
  ),
  entry(
    "what happened on the 10th of November",
    ["list_state_changes 2026-11-10T00:00 2026-11-11T00:00"],
    ["`core-db`"],
  ),
  entry(
    "what happened 2 hours ago",
    ["list_state_changes 2026-11-15T09:30 2026-11-15T10:30"],
    ["2 hours ago"],
  ),
  entry(
    "any new problems since 11:00?",
    ["list_state_changes 2026-11-15T11:00"],
    ["Nothing went failing since 11:00"],
  ),
  entry(
    "what changed on core checks today",
    ["list_state_changes 2026-11-15T00:00"],
    ["2 changes of 2 checks today", "`dns-primary`"],
    { hides: ["`Mail Gateway`"] },
  ),
  entry(
    "how often did mail gateway fail today?",
    ["list_state_changes Mail 2026-11-15T00:00", "get_statistics Mail"],
    ["3 changes of 1 check today"],
  ),
  entry(
    "is anything flapping?",
    ["list_state_changes"],
    [
      "Flapping, with 4 changes or more: 1 check",
      "`Mail Gateway`: 6 changes, 3 of them to failing. [1]",
    ],
  ),
  entry("is the mail gateway flapping?", ["list_state_changes Mail"], ["6 changes"]),
  entry("flaky checks this week", ["list_state_changes 2026-11-09T00:00"], ["`Mail Gateway`"]),
  entry(
    "is edge-switch unstable",
    ["list_state_changes edge-switch"],
    ["It is not flapping: no status changed"],
  ),
  entry(
    "compare this week with last week",
    ["compare_windows 2026-11-09T00:00 2026-11-02T00:00"],
    [
      "Of 10 checks, 9 worse, 0 better, 1 about as before",
      "`dns-primary`: availability -33.4 points",
    ],
  ),
  entry(
    "compare edge-router today and yesterday",
    ["compare_windows edge-router 2026-11-15T00:00 2026-11-14T00:00"],
    ["`edge-router` is less available than before."],
  ),
  entry(
    "is core-db worse than yesterday?",
    ["compare_windows core-db 2026-11-14T00:00"],
    ["against yesterday"],
  ),
  entry(
    "compare core-db this month vs last month",
    ["compare_windows core-db 2026-11-01T00:00 2026-10-01T00:00"],
    ["this month", "last month"],
  ),
  entry(
    "how does this week compare with last",
    ["compare_windows 2026-11-09T00:00 2026-11-02T00:00"],
    ["against last week"],
  ),
  entry(
    "compare core-db with edge-switch",
    ["get_statistics core-db edge-switch"],
    ["Side by side", "- `edge-switch`: availability 100 %, average 2 ms"],
  ),
  entry(
    "results of edge-router",
    ["list_results edge-router"],
    ["The newest 3 runs of `edge-router`", "failing, loss 40 %, average 12.5 ms"],
  ),
  entry(
    "show me the last runs of core-db",
    ["list_results core-db"],
    ["The newest 3 runs of `core-db`"],
  ),
  entry("when did core-db last run?", ["list_results core-db"], ["2026-11-15 11:59 UTC"]),
  entry(
    "failing results of edge-router today",
    ["list_results edge-router failing 2026-11-15T00:00"],
    ["The newest 2 failing runs"],
  ),
  entry(
    "results of core-db last year",
    ["list_results core-db 2025-01-01T00:00 2026-01-01T00:00"],
    ["no data"],
  ),
  entry(
    "mttr this month",
    ["list_state_changes 2026-11-01T00:00"],
    ["Mean time to recover: 30 min, of 5 outages", "`core-db`, 1 h", "not over: 2 outages"],
  ),
  entry(
    "time to recover core network",
    ["list_state_changes"],
    ["Mean time to recover: 1 h, of 2 outages"],
    { hides: ["Mail Gateway"] },
  ),
  entry(
    "mean time to recovery of the mail gateway last week",
    ["list_state_changes 2026-11-02T00:00"],
    ["nothing failed last week"],
  ),
  entry("is mail gw flapping", ["list_state_changes"], ["`Mail Gateway`: 6 changes"]),
  fact("is this a false alarm? edge-router", ["It looks like the network path from some places"]),
  entry("what isn't monitored?", ["list_checks"], ["`backup-nas`"], { hides: ["`core-db`"] }),
  entry(
    "how bad was yesterday for dns-primary",
    ["get_statistics dns-primary 2026-11-14T00:00"],
    ["66.6 %"],
  ),
];
