import { callTool, callToolEach, type Found, type Plan, settle, together } from "./plan.ts";
import type { Understanding } from "./reading/conversation.ts";
import type { KnownCheck, KnownThing, Vocabulary } from "./reading/vocabulary.ts";
import type { CheckBrief, ListNamesData } from "./tools/tool-data.ts";
import { addPlaces, startVocabulary, type TurnInput, understand } from "./turn.ts";

export interface Learned {
  readonly vocabulary: Vocabulary;
  readonly understanding: Understanding;
}

/** Topics that can be understood without names of the account. */
const selfContained = new Set(["greeting", "thanks", "help", "meaning", "forbidden", "create"]);
const maxListed = 200;
const maxSearches = 3;

/** Reads the question, fetches the names it seems to contain, and reads it again. */
export function* learnNames(input: TurnInput): Plan<Learned> {
  const start = startVocabulary(input);
  const first = understand(input, start);
  const isPlain = first.intents.every(({ topic }) => topic !== null && selfContained.has(topic));
  if (!first.needsNames || isPlain) {
    return { vocabulary: start, understanding: first };
  }
  const [[[checks, names], places], incidents] = yield* together(
    together(
      together(callTool("list_checks", { limit: maxListed }), askNames(input)),
      mentionsPlaces(first) ? callTool("list_locations", {}) : settle(null),
    ),
    speaksOfIncidents(input, first) ? callTool("list_incidents", {}) : settle(null),
  );
  const listed = checks?.data.checks ?? [];
  const isPartial = (checks?.data.total ?? 0) > listed.length;
  // Before any name is known, every name is an unknown word.
  const phrases = first.intents.flatMap(({ subject }) => subject.unknown);
  const found = isPartial ? yield* searchChecks(phrases) : [];
  const shown = isPartial ? yield* fetchShown(input) : [];
  const known = new Map(
    [...shown, ...found, ...listed].map((check) => [check.checkId, toKnownCheck(check)]),
  );
  const vocabulary: Vocabulary = {
    checks: [...known.values()],
    isPartial,
    places: addPlaces(input, places?.data.locations ?? []),
    incidents: incidents?.data.incidents ?? [],
    things: names === null ? [] : listThings(names.data),
  };
  return yield* learnMore(input, { vocabulary, understanding: understand(input, vocabulary) });
}

/** Fetches the check on the screen, which may not be among the first. */
function* fetchShown({ focus }: TurnInput): Plan<CheckBrief[]> {
  if (focus?.kind !== "check") return [];
  const found = yield* callTool("get_check", { checkId: focus.id });
  return found === null ? [] : [found.data];
}

function* askNames({ tools }: TurnInput): Plan<Found<ListNamesData> | null> {
  return tools.has("list_names") ? yield* callTool("list_names", {}) : null;
}

export function listThings(names: ListNamesData): KnownThing[] {
  const none: readonly string[] = [];
  const { groups, services, pages, channels, windows, members, dashboards } = names;
  return [
    ...services.map(({ serviceId: id, ...one }) => ({ kind: "service", id, ...one }) as const),
    ...groups.map(({ groupId, ...one }) => ({ kind: "group", id: `${groupId}`, ...one }) as const),
    ...pages.map(({ pageId: id, name }) => ({ kind: "page", id, name, checkIds: none }) as const),
    ...channels.map(
      ({ channelId, name }) =>
        ({ kind: "channel", id: `${channelId}`, name, checkIds: none }) as const,
    ),
    ...windows.map(
      ({ windowId, name }) =>
        ({ kind: "window", id: `${windowId}`, name, checkIds: none }) as const,
    ),
    ...members.map(
      ({ memberId: id, name, email }) =>
        ({ kind: "member", id, name, aliases: [email], checkIds: none }) as const,
    ),
    ...dashboards.map(
      ({ dashboardId: id, name }) => ({ kind: "dashboard", id, name, checkIds: none }) as const,
    ),
  ];
}

export function toKnownCheck(check: CheckBrief): KnownCheck {
  const { checkId, name, tags } = check;
  return { checkId, name, tags, target: check.hostname };
}

/** If there are more checks than one list returns, searches for those that the words may name. */
function* searchChecks(phrases: readonly string[]): Plan<CheckBrief[]> {
  const wanted = [...new Set(phrases)].slice(0, maxSearches);
  const found = yield* callToolEach(
    "list_checks",
    wanted.map((phrase) => ({ name: phrase.slice(0, 255), limit: maxListed })),
  );
  return found.flatMap((one) => one?.data.checks ?? []);
}

/** Words that name nothing yet may be private locations or incidents. */
function* learnMore(input: TurnInput, learned: Learned): Plan<Learned> {
  const { vocabulary, understanding } = learned;
  const hasTopic = understanding.intents.some(({ topic }) => topic !== null);
  const hasUnknown = understanding.intents.some(({ subject }) => subject.unknown.length > 0);
  if (!hasTopic || !hasUnknown) return learned;
  const [places, incidents] = yield* together(
    callTool("list_locations", {}),
    input.tools.has("list_incidents") ? callTool("list_incidents", {}) : settle(null),
  );
  const wider: Vocabulary = {
    ...vocabulary,
    places: addPlaces(input, places?.data.locations ?? []),
    incidents: incidents?.data.incidents ?? vocabulary.incidents,
  };
  return { vocabulary: wider, understanding: understand(input, wider) };
}

/** "from the office": an unknown word after "from" may be a private location. */
function mentionsPlaces({ intents }: Understanding): boolean {
  return intents.some(({ canonical }) => /\bfrom (?:the )?SOMETHING\b/.test(canonical));
}

function speaksOfIncidents({ turns }: TurnInput, { intents }: Understanding): boolean {
  const isAbout = intents.some(({ topic }) =>
    ["incident", "incidents", "draft", "post"].includes(topic ?? ""),
  );
  const last = turns.at(-1)?.text ?? "";
  return isAbout || /\bincident|\boutage|\bpostmortem/i.test(last.slice(0, 2_000));
}
