/** Formats problems and recent activity as sentences. */
import { formatObjectType } from "../parts/object-type.ts";
import type { Activity, FailingCheck } from "./queries.ts";
import { words } from "./words.ts";

const maxPlaces = 4;

function listPlaces(places: readonly string[]): string {
  const shown = places.slice(0, maxPlaces).join(", ");
  const left = places.length - maxPlaces;
  return left > 0 ? `${shown} and ${left} more` : shown;
}

/**
 * Lists the failing and passing locations. They indicate whether the problem is at the target or in
 * a network.
 */
export function formatLocations(locations: FailingCheck["locations"]): string {
  const places = (isPassing: boolean) =>
    locations
      .filter(({ verdict }) => (verdict === "passing") === isPassing)
      .map(({ location }) => location);
  const bad = places(false);
  const fine = places(true);
  if (bad.length === 0) return "";
  if (fine.length === 0) {
    return `${bad.length === 1 ? words.from(bad[0] ?? "") : words.fromAll(bad.length)}.`;
  }
  return `${words.from(listPlaces(bad))}; ${words.fineFrom(listPlaces(fine))}.`;
}

interface Fix {
  readonly href: string;
  readonly words: string;
}

/**
 * Returns a link to the screen on which the user can resolve the reason why nobody was notified.
 * `null` if somebody was notified or if there is no screen for the reason.
 */
export function findFix({ checkId, untold }: Pick<FailingCheck, "checkId" | "untold">): Fix | null {
  if (untold === null) return null;
  const { reason, alertChannelId, parentCheckId } = untold;
  const { fixes } = words;
  switch (reason) {
    case "no-channels":
      return { href: "/alerts/channels/new", words: fixes.createChannel };
    case "not-connected":
    case "connected-later":
      return { href: `/checks/${checkId}/edit`, words: fixes.connect };
    case "not-wanted":
      return { href: `/alerts/channels/${alertChannelId}`, words: fixes.openChannel };
    case "below-threshold":
      return { href: `/checks/${checkId}/edit`, words: fixes.rules };
    case "flapping":
      return { href: "/settings/alerts", words: fixes.rules };
    case "muted":
    case "deactivated":
      return { href: `/checks/${checkId}`, words: fixes.openCheck };
    case "in-maintenance":
      return { href: "/alerts/maintenance", words: fixes.maintenance };
    case "held-by-parent":
      return { href: `/checks/${parentCheckId ?? checkId}`, words: fixes.openParent };
    case "location-silent":
    case "probe-suspect":
      return { href: "/locations", words: fixes.locations };
    default:
      return null;
  }
}

/** Formats "check-group.updated" as "updated a check group" or "updated 3 check groups". */
export function formatAction(action: string, count = 1): string {
  const ofOne = words.actionsOnOne[action];
  if (ofOne !== undefined && count === 1) return ofOne;
  const known = words.actions[action];
  if (known !== undefined) return count === 1 ? known : `${known}, ${count} times`;
  const [thing = "", did = ""] = action.split(".");
  const name = formatObjectType(thing);
  const article = /^[aeio]/i.test(name) ? "an" : "a";
  const many = name.endsWith("s") ? name : `${name}s`;
  return `${did.replaceAll("-", " ")} ${count === 1 ? `${article} ${name}` : `${count} ${many}`}`;
}

export function formatActivity({ type, what, actor, count }: ShownActivity): string {
  if (type === "state") return words.became[what] ?? what;
  if (type === "maintenance") return words.maintenanceDid[what] ?? what;
  return `${actor ?? ""} ${formatAction(what, count)}`.trim();
}

export interface ShownActivity extends Activity {
  /** Names of the affected objects, newest event first. */
  readonly names: readonly string[];
}

const maxNamed = 3;

/**
 * Formats the names of the affected objects as "Router, Shop, Mail and 2 more". Returns an empty
 * string if the line stands for a single event.
 */
export function formatNames({ count, names }: Pick<ShownActivity, "count" | "names">): string {
  if (count < 2 || names.length === 0) return "";
  const named = names.slice(0, maxNamed);
  const more = count - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

const maxEditLines = 3;

/**
 * Picks the lines to show. The number of edits is limited, so that they do not displace other
 * events.
 */
export function chooseLines(lines: readonly ShownActivity[], count: number): ShownActivity[] {
  const edits = lines.filter(({ type }) => type === "edit").length;
  let editsLeft = Math.min(edits, Math.max(maxEditLines, count - (lines.length - edits)));
  let othersLeft = count - editsLeft;
  return lines.filter(({ type }) => (type === "edit" ? editsLeft-- > 0 : othersLeft-- > 0));
}

const listName = ({ name }: Activity) => (name === null ? [] : [name]);

/**
 * Combines consecutive edits into one line if the user and the action are the same. An object that
 * was edited repeatedly counts once.
 */
export function joinEdits(list: readonly Activity[]): ShownActivity[] {
  const joined: ShownActivity[] = [];
  for (const one of list) {
    const last = joined.at(-1);
    const isSame = last?.type === "edit" && one.type === "edit" && last.what === one.what;
    if (last === undefined || !isSame || last.actor !== one.actor) {
      joined.push({ ...one, names: listName(one) });
    } else if (one.name === null || !last.names.includes(one.name)) {
      const names = [...last.names, ...listName(one)];
      const count = last.count + one.count;
      joined.splice(-1, 1, { ...last, checkId: null, name: null, count, names });
    }
  }
  return joined;
}
