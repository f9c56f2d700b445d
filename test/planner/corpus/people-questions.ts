import { type CorpusEntry, entry } from "./entry.ts";

const latest = ["get_incident 000000000901"];
const draft = ["get_incident 000000000901", "get_status {}"];
const dns =
  "`DNS outage` (major): began 2026-11-15 08:10 UTC, identified, open for 3 h 50 min, affects `Public DNS`. [1]";

export const incidentQuestions: readonly CorpusEntry[] = [
  entry(
    "summarise the latest incident",
    ["list_incidents", ...latest],
    [dns, "2 updates, newest first", "`Names do not resolve.`"],
  ),
  entry("Summarize the DNS outage incident", ["list_incidents", ...latest], [dns]),
  entry("what's the status of the DNS outage?", ["list_incidents", ...latest], [dns]),
  entry(
    "tell me about the fibre cut",
    ["list_locations", "list_incidents", "get_incident 000000000902"],
    ["`Fibre cut in Frankfurt` (critical)", "resolved 2026-11-14 15:10 UTC after 1 h 5 min"],
  ),
  entry(
    "what happened in the Frankfurt fibre incident",
    ["list_incidents", "get_incident 000000000902"],
    ["`The fibre has been mended.`"],
  ),
  entry(
    "what happened with the mail delays incident",
    ["list_incidents", "get_incident 000000000903"],
    ["`Mail delays` (minor)"],
  ),
  entry(
    "summarise incident 00000000-0000-7000-8000-000000000902",
    ["list_incidents", "get_incident 000000000902"],
    ["`Fibre cut in Frankfurt`"],
  ),
  entry("any open incidents?", ["list_incidents ongoing"], ["1 incident open now:", dns], {
    hides: ["Mail delays"],
  }),
  entry("is there an incident?", ["list_incidents"], ["3 incidents, 1 of them open:"]),
  entry("list incidents", ["list_incidents"], ["`Fibre cut in Frankfurt`", "`Mail delays`"]),
  entry(
    "incidents last week",
    ["list_incidents 2026-11-02T00:00 2026-11-09T00:00"],
    ["1 incident last week", "`Mail delays`"],
    {
      hides: ["DNS outage"],
    },
  ),
  entry(
    "how many incidents were there this month?",
    ["list_incidents"],
    ["3 incidents this month"],
  ),
  entry("incidents in 2025-03-01", ["list_incidents"], ["There are no incidents"]),
  entry(
    "draft an update for the DNS outage",
    ["list_incidents", ...draft],
    [
      "A draft for `DNS outage`, status IDENTIFIED. Nothing has been posted.",
      "> We have identified the cause",
      "failing now: `edge-router` and `dns-primary`",
    ],
  ),
  entry(
    "write an update for the latest incident",
    ["list_incidents", ...draft],
    ["Nothing has been posted"],
  ),
  entry(
    "draft a resolved update for the DNS outage",
    ["list_incidents", ...draft],
    ["status RESOLVED", "are resolved. We are sorry"],
  ),
  entry(
    "what should we tell customers?",
    ["list_incidents", ...draft],
    ["A draft for `DNS outage`"],
  ),
  entry(
    "draft an update for incident 00000000-0000-7000-8000-000000000902",
    ["list_incidents", "get_incident 000000000902", "get_status {}"],
    ["status RESOLVED"],
  ),
  entry(
    ["draft an update", "post it"],
    ["list_incidents", ...latest, "post_incident_update IDENTIFIED identified the cause"],
    ["Not done yet, please confirm"],
  ),
  entry(
    "post an update to the DNS outage: We found the bad zone. Fix is rolling out.",
    ["list_incidents", ...latest, "post_incident_update 000000000901 rolling out. IDENTIFIED"],
    ["> We found the bad zone. Fix is rolling out.", "Not done yet"],
  ),
  entry(
    "post an update to the DNS incident saying that the fix works, status monitoring",
    ["list_incidents", ...latest, "post_incident_update MONITORING fix works"],
    ["status MONITORING"],
    { hides: ["status monitoring"] },
  ),
  entry(
    "resolve the DNS outage incident",
    ["list_incidents", ...draft],
    ["status RESOLVED", "Nothing has been posted"],
  ),
];

export const alertQuestions: readonly CorpusEntry[] = [
  entry(
    "who was told about edge-router?",
    ["list_deliveries edge-router"],
    [
      "2 messages about `edge-router`",
      "`Slack #on-call`, alert failure of `edge-router`: sent 2026-11-15 10:01 UTC. [1]",
    ],
  ),
  entry(
    "did the alert go out?",
    ["list_deliveries 2026-11-14T12:00"],
    ["2 sent and 1 given up", "given up after 10 attempts", "`answered 500 ten times`"],
  ),
  entry("was anyone notified about dns-primary?", ["list_deliveries dns-primary"], ["1 given up"]),
  entry(
    "did slack get the alert for edge-router",
    ["list_deliveries edge-router"],
    ["Slack #on-call"],
  ),
  entry("which notifications failed?", ["list_deliveries"], ["given up"]),
  entry(
    "who got paged last night?",
    ["list_deliveries 2026-11-14T18:00 2026-11-15T06:00"],
    ["Nobody was notified last night"],
  ),
  entry(
    "were we alerted about core-db",
    ["list_deliveries core-db"],
    ["Nobody was notified about `core-db`"],
  ),
  entry(
    "is there maintenance now?",
    ["list_maintenance"],
    [
      "1 maintenance window open now:",
      "`Switch upgrade`: 2026-11-15 11:00 UTC to 2026-11-15 13:00 UTC (2 h), for the tags `network`. [1]",
    ],
    { hides: ["Weekly"] },
  ),
  entry(
    "when is the next maintenance?",
    ["list_maintenance"],
    [
      "`Weekly backup`: 2026-11-18 02:00 UTC to 2026-11-18 03:00 UTC (1 h), every week, silences all alerts.",
    ],
  ),
  entry(
    "maintenance next week",
    ["list_maintenance 2026-11-16T00:00 2026-11-23T00:00"],
    ["`Weekly backup`"],
  ),
  entry(
    "any maintenance windows planned this week?",
    ["list_maintenance 2026-11-09T00:00 2026-11-16T00:00"],
    ["`Switch upgrade`"],
  ),
  entry(
    "was there maintenance yesterday",
    [`list_maintenance 2026-11-14T00:00 2026-11-15T00:00`],
    ["No maintenance yesterday"],
  ),
];

const named = ["list_checks"];

export const listQuestions: readonly CorpusEntry[] = [
  entry("how many checks do we have?", named, [
    "11 checks.",
    "2 failing, 1 degraded, 1 without data and 7 passing.",
  ]),
  entry(
    "how many checks are failing?",
    ["list_checks failing"],
    ["2 checks failing: `edge-router` and `dns-primary`."],
  ),
  entry(
    "how many checks are in London?",
    ["list_checks eu-west-2"],
    ["7 checks run from eu-west-2: "],
  ),
  entry("how many checks are muted", named, ["1 check muted: `Office printer`."]),
  entry("list checks", named, [
    "11 checks:",
    "`edge-router` (`edge.example.net`): failing, every minute",
  ]),
  entry(
    "list checks tagged production",
    ["list_checks production"],
    ["3 checks with the tag `production`:"],
  ),
  entry(
    "list checks with the tag nosuchtag",
    ["list_checks nosuchtag"],
    ["There is no check with the tag `nosuchtag`."],
  ),
  entry(
    "which checks run from office?",
    ["list_locations", "list_checks office"],
    ["`Office printer`"],
  ),
  entry(
    "what checks do we have in Frankfurt",
    ["list_checks eu-central-1"],
    ["9 checks run from eu-central-1:"],
  ),
  entry("show muted checks", named, ["1 check muted:", "`Office printer`"]),
  entry("which checks are paused?", named, ["`backup-nas`"]),
  entry("list all passing checks", ["list_checks passing"], ["7 checks passing:"]),
  entry("what tags do we have", named, ["10 tags:", "- `core`: 3 checks. [1]"]),
  entry("what do we monitor?", named, ["11 checks:"]),
];

export const onCallQuestions: readonly CorpusEntry[] = [
  entry(
    "who is on call?",
    ["who_is_on_call {}"],
    [
      "`Primary`: `Ada Moor` is on call until 2026-11-16 09:00 UTC; next is `Jon Birk` from 2026-11-16 09:00 UTC. [1]",
      "`Database experts`: `Jon Birk` is on call; nobody is next within 31 days. [2]",
    ],
  ),
  entry("whos on-call rn", ["who_is_on_call {}"], ["`Primary`: `Ada Moor` is on call"]),
  entry(
    "who is next on call for Primary?",
    ["who_is_on_call 000000000801"],
    ["next is `Jon Birk`"],
    {
      hides: ["Database"],
    },
  ),
  entry(
    "who is on call tonight?",
    ["who_is_on_call 2026-11-15T18:00:00.000Z 2026-11-16T06:00:00.000Z"],
    ["`Primary`, tonight: `Ada Moor`. [1]"],
  ),
  entry(
    "who is on duty tomorrow",
    ["who_is_on_call 2026-11-16T00:00:00.000Z 2026-11-17T00:00:00.000Z"],
    ["`Ada Moor` from 2026-11-16 00:00 UTC to 2026-11-16 09:00 UTC; `Jon Birk` from"],
  ),
  entry("who is on call on Sunday 22 November?", ["who_is_on_call"], ["`Primary`"]),
  entry("who is on call on Friday?", ["who_is_on_call 2026-11-20T00:00:00.000Z"], ["`Jon Birk`"]),
  entry(
    "who was on call last Friday?",
    ["who_is_on_call 2026-11-13T00:00:00.000Z 2026-11-14T00:00:00.000Z"],
    ["`Ada Moor`"],
  ),
  entry("who is on call at 22:00", ["who_is_on_call 2026-11-15T21:45:00.000Z"], ["`Ada Moor`"]),
  entry(
    "is Ada on call?",
    ["who_is_on_call"],
    ["`Ada Moor` is on call for `Primary` until 2026-11-16 09:00 UTC. [1]"],
  ),
  entry(
    "when am I on call next?",
    ["who_is_on_call"],
    ["You are on call for `Primary` from 2026-11-16 09:00 UTC until 2026-11-21 18:00 UTC. [1]"],
  ),
  entry(
    "page Ada about dns-primary",
    ["list_alerts", "page_member 000000000401 dns-primary"],
    ["Not done yet, please confirm: `Page"],
  ),
  entry(
    "please page whoever is on call for Primary about the Public DNS service",
    ["list_alerts", "page_member 000000000801 dns-primary"],
    ["Not done yet, please confirm"],
  ),
  entry(
    "wake up Jon about edge-router",
    ["list_alerts", "page_member 000000000402 edge-router"],
    ["Not done yet"],
  ),
  entry(
    "page Ada",
    ["list_alerts"],
    ["About which check? Open alerts: `dns-primary`, `edge-router`."],
  ),
  entry(
    "page who is on call about dns-primary",
    [],
    ["Which schedule? `Primary`, `Database experts`."],
  ),
  entry("page Ada about core-db", ["list_alerts"], ["There is no open alert about that."]),
  entry(
    "who is on call this weekend?",
    ["who_is_on_call 2026-11-15T12:00:00.000Z 2026-11-16T00:00:00.000Z"],
    ["`Primary`, this weekend: `Ada Moor`. [1]"],
  ),
  entry(
    "who is on call next week",
    ["who_is_on_call 2026-11-16T00:00:00.000Z 2026-11-23T00:00:00.000Z"],
    ["`Jon Birk` from 2026-11-16 09:00 UTC"],
  ),
  entry("who is next?", ["who_is_on_call {}"], ["`Primary`: `Ada Moor` is on call until"]),
  entry(
    "until when is Jon on call?",
    ["who_is_on_call"],
    ["`Jon Birk` is on call for `Primary` from 2026-11-16 09:00 UTC until 2026-11-21 18:00 UTC."],
  ),
  entry(
    "snooze dns-primary for an hour",
    ["list_alerts", "snooze_alert dns-primary 60"],
    ["Not done yet, please confirm: `Snooze the open alert of dns-primary for 60 minutes.`"],
  ),
  entry(
    "please snooze the Public DNS service for 90 minutes",
    ["list_alerts", "snooze_alert dns-primary 90"],
    ["for 90 minutes"],
  ),
  entry("snooze edge-router", ["list_alerts", "snooze_alert edge-router 60"], ["for 60 minutes"]),
  entry("snooze edge-router for 3 days", [], ["15 minutes to 24 hours"]),
  entry("snooze core-db for an hour", ["list_alerts"], ["`core-db` has no open alert."]),
  entry("snooze it", ["list_alerts"], ["Which one? Open alerts: `dns-primary` and `edge-router`."]),
  entry(
    "give the dns-primary alert to Jon",
    ["list_alerts", "reassign_alert 000000000402 dns-primary"],
    ["Not done yet, please confirm: `Reassign dns-primary to"],
  ),
  entry(
    "can you reassign the alert of edge-router to whoever is on call for Primary",
    ["list_alerts", "reassign_alert 000000000801 edge-router"],
    ["Not done yet"],
  ),
  entry(
    "hand edge-router to Zacharias",
    ["list_locations", "list_incidents"],
    ["I know no member named `Zacharias`."],
  ),
  entry(
    "escalate edge-router now",
    ["list_alerts", "escalate_alert edge-router"],
    ["Not done yet, please confirm: `Escalate the open alert of edge-router.`"],
  ),
  entry(
    ["is edge-router down?", "escalate it"],
    ["list_alerts", "escalate_alert edge-router"],
    ["Not done yet"],
  ),
  entry(
    "page Zacharias about dns-primary",
    ["list_locations", "list_incidents"],
    ["I know no member named `Zacharias`."],
  ),
];
