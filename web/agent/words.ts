export const words = {
  title: "Agent",
  close: "Close",
  clear: "New conversation",
  log: "Conversation with the agent",
  field: "Your question",
  placeholder: "Ask about your monitoring",
  send: "Send",
  stop: "Stop",
  you: "You",
  answered: "Agent",
  writing: "Working…",
  stopped: "Stopped. This answer is incomplete.",
  empty:
    "Ask in plain English. Every fact links to its source, and nothing changes until you confirm it.",
  suggestions: "Suggested questions",
  about: {
    check: "About the check on this screen",
    group: "About the group on this screen",
    incident: "About the incident on this screen",
    page: "About the status page on this screen",
    channel: "About the channel on this screen",
    window: "About the maintenance window on this screen",
    dashboard: "About the dashboard on this screen",
    service: "About the service on this screen",
    member: "About the member on this screen",
  },
  sources: "Sources",
  source: (number: string, title: string) => `Source ${number}: ${title}`,
  builtIn: "Answered by the built-in agent. No data leaves your server.",
  outside: (model: string) => `Answers come from the model ${model}.`,
  outsideHidden: "Answers come from an external model.",
  whatLeft: "What was sent",
  settings: "Agent settings",
  failed: "The answer failed",
  requestId: "Request ID",
  again: "Retry",
  card: {
    label: (title: string) => `Confirm: ${title}`,
    nothingYet: "Nothing has been changed yet.",
    what: "Field",
    before: "Before",
    after: "After",
    value: "Value",
    none: "none",
    confirm: "Confirm",
    decline: "Decline",
    sending: "Applying…",
    declined: "Declined. Nothing was changed.",
    gone: "This change can no longer be confirmed. Ask again.",
    show: "View",
  },
} as const;

type Screen = keyof typeof words.about | "now" | "checks" | "alerts" | "other";

/** Suggested questions for each screen. They only read data, so every role may ask them. */
export const suggestions: Readonly<Record<Screen, readonly string[]>> = {
  check: [
    "Why is this failing?",
    "Is it the network or the host?",
    "Availability of this last week",
    "Who is notified when it fails?",
  ],
  group: ["How is this group?", "Availability of this last week"],
  incident: ["Summarise this", "Draft an update for this"],
  page: ["Did this page have incidents last month?", "Any open incidents?"],
  channel: ["What goes to this channel?", "Which notifications failed?"],
  window: ["Is there maintenance now?", "Maintenance next week"],
  dashboard: ["What does this dashboard show?", "What is failing?"],
  service: ["Is this down?", "What is failing?"],
  member: ["Who can change things?", "What is failing?"],
  now: ["What is failing, and why?", "What changed since yesterday?", "Any open incidents?"],
  checks: ["Slowest checks by P95 today", "Is anything flapping?", "What is failing?"],
  alerts: ["Which alerts are not acknowledged?", "Did the alert go out?", "List alert channels"],
  other: ["What is failing?", "Any open incidents?", "Is there maintenance now?"],
};

export function listSuggestions(kind: Screen | null, pathname: string): readonly string[] {
  if (kind !== null) return suggestions[kind];
  if (pathname === "/") return suggestions.now;
  if (pathname.startsWith("/checks")) return suggestions.checks;
  return suggestions[pathname.startsWith("/alerts") ? "alerts" : "other"];
}
