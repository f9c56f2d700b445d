import { pattern } from "../../platform/text/patterns.ts";

/** A task that users must do in the web application, because the agent cannot do it. */
interface Elsewhere {
  /** Verb phrase for the task, used after "I cannot". */
  readonly what: string;
  /** Name of the screen where users can do the task. */
  readonly screen: string;
  readonly path: string;
}

const polite = pattern`
  ^(?:(?:please|pls|hey|hi|ok|okay|now|just|also|can|could|would|will|you|i|we|want|wanna|need|to
  |like|let|lets|us|me|help|go|ahead|and) )*`.source;
const make = "(?:create|make|add|set up|setup|build|start|new|give me|get me|generate)";
const change =
  "(?:set|change|update|edit|modify|adjust|switch|move|rename|increase|decrease|lower|raise|make)";

const order = (words: string) => new RegExp(`${polite}${words}`);

/**
 * Patterns for tasks that the agent cannot do, each with the screen where users can do the task.
 * The first pattern that matches takes precedence. The patterns match the message in lower case
 * without most punctuation.
 */
const rules: readonly (readonly [RegExp, Elsewhere])[] = [
  [
    order(
      `(?:invite\\b|(?:add|remove)\\b.*(?:\\S+@\\S+|\\b(?:user|member|colleague|admin|team)\\b))`,
    ),
    { what: "invite or change members", screen: "Members", path: "/settings/members" },
  ],
  [
    order(
      `(?:plan|schedule|book|announce|${make})\\b.*\\b(?:maintenance|downtime|down time|maintenance window)\\b`,
    ),
    { what: "plan maintenance", screen: "Maintenance", path: "/alerts/maintenance" },
  ],
  [
    order(
      `(?:${make}|open|declare|report|raise|file)\\b(?: (?:an?|the|new|public|major|minor|critical))* incident\\b(?!s)`,
    ),
    { what: "open an incident", screen: "New incident", path: "/incidents/new" },
  ],
  [
    order(`${make}\\b(?: \\w+){0,3} status page\\b`),
    { what: "create a status page", screen: "New status page", path: "/status-pages/new" },
  ],
  [
    order(`${make}\\b(?: \\w+){0,3} dashboard\\b`),
    { what: "create a dashboard", screen: "Dashboards", path: "/dashboards" },
  ],
  [
    order(`${make}\\b(?: \\w+){0,3} channel\\b`),
    { what: "create an alert channel", screen: "New channel", path: "/alerts/channels/new" },
  ],
  [
    order(`${make}\\b(?: \\w+){0,3} (?:check )?group\\b`),
    { what: "create a group", screen: "Groups", path: "/groups" },
  ],
  [
    order(`${make}\\b(?: \\w+){0,3} (?:api key|token|api token)\\b`),
    { what: "create an API key", screen: "API keys", path: "/settings/api-keys" },
  ],
  [
    order(`(?:${make}|${change})\\b(?: \\w+){0,3} (?:variable|secret)\\b`),
    { what: "change variables", screen: "Variables", path: "/settings/variables" },
  ],
  [
    order(`subscribe\\b`),
    { what: "subscribe people to a status page", screen: "Status pages", path: "/status-pages" },
  ],
  [
    order(`(?:${change}|reset)\\b(?: \\w+)? (?:password|e ?mail|name)\\b`),
    { what: "change your profile", screen: "Profile", path: "/settings/profile" },
  ],
  [
    order(
      `${change}\\b.*\\b(?:run every|frequency|interval|threshold|timeout|retries|locations?|schedule|limit)\\b`,
    ),
    { what: "change the settings of checks", screen: "Checks", path: "/checks" },
  ],
  [
    order(`${change} (?:all|every|each|both) (?:\\w+ )?checks?\\b`),
    { what: "change the settings of checks", screen: "Checks", path: "/checks" },
  ],
];

/**
 * Returns the screen for a task that the agent cannot do, or `null` if the message requests no such
 * task. A message that ends with a question mark requests a task only if it starts like "can you".
 */
export function findElsewhere(message: string): Elsewhere | null {
  if (/\?\s*$/.test(message) && !/^\s*(?:can|could|would|will) you\b/i.test(message)) return null;
  const words = message
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}@._-]+/gu, " ")
    .trim()
    .slice(0, 300);
  return rules.find(([rule]) => rule.test(words))?.[1] ?? null;
}
