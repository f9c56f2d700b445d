import { type CorpusEntry, entry } from "./entry.ts";

const day = "2026-11-14T12:00 2026-11-15T12:00";
const lastWeek = "2026-11-02T00:00 2026-11-09T00:00";

export const rankedQuestions: readonly CorpusEntry[] = [
  entry("top 3 slowest checks", ["get_statistics"], ["- `web-frontend`: P95 62 ms"], {
    hides: ["`Mail Gateway`"],
  }),
  entry("best uptime last week", [`get_statistics ${lastWeek}`], ["The highest:"]),
  entry(
    "which check had the most downtime last week?",
    [`get_statistics ${lastWeek}`],
    ["- `dns-primary`: 66.6 %."],
  ),
  entry(
    "how reliable was edge-router this month",
    ["get_statistics edge-router 2026-11-01T00:00"],
    ["97.5 %"],
  ),
  entry(
    "what was the average latency of api-eu yesterday between 10:00 and 12:00",
    ["get_statistics api-eu 2026-11-14T10:00 2026-11-14T12:00"],
    ["average 25 ms"],
  ),
  entry(
    "what happened between 14:00 and 15:30 yesterday",
    ["list_state_changes 2026-11-14T14:00 2026-11-14T15:30"],
    ["2 changes of 1 check"],
  ),
  entry(
    "which checks recovered in the last 3 hours?",
    ["list_state_changes 2026-11-15T09:00"],
    ["3 changes of 1 check", "went from failing to passing"],
    { hides: ["passing to failing"] },
  ),
  entry(
    "what did I miss last night?",
    ["list_state_changes 2026-11-14T18:00"],
    ["Nothing changed last night"],
  ),
  entry(
    "what happened at 14:00 CET",
    ["list_state_changes 2026-11-14T13:45"],
    ["All times are read as UTC"],
  ),
  entry("has core-db been stable", ["list_state_changes core-db"], ["It is not flapping"]),
  entry(
    "give me a summary of the last 24 hours",
    [`list_state_changes ${day}`],
    ["11 changes of 4 checks"],
  ),
];
