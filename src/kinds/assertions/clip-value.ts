import { clipText } from "../../platform/text/clip.ts";

const maxTextLength = 500;
const maxNodes = 100;
const maxDepth = 6;

/** Returns the beginning of a JSON value as JSON of bounded size. */
export function clipValue(value: unknown): unknown {
  return clip(value, { nodesLeft: maxNodes, depth: 0 });
}

interface Budget {
  nodesLeft: number;
  readonly depth: number;
}

function clip(value: unknown, budget: Budget): unknown {
  budget.nodesLeft -= 1;
  if (typeof value === "string") {
    return withoutNul(clipText(value, maxTextLength + 1));
  }
  // JSON cannot represent numbers that overflow to infinity, such as 1e999.
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "boolean") return value;
  if (typeof value !== "object" || value === null) return null;
  if (budget.depth >= maxDepth) return "…";
  const inner: Budget = { nodesLeft: budget.nodesLeft, depth: budget.depth + 1 };
  const clipped = Array.isArray(value) ? clipList(value, inner) : clipRecord(value, inner);
  budget.nodesLeft = inner.nodesLeft;
  return clipped;
}

/** PostgreSQL cannot store NUL in JSON; its symbol replaces it. */
function withoutNul(text: string): string {
  return text.replaceAll("\0", "␀");
}

function clipList(values: readonly unknown[], budget: Budget): unknown[] {
  const kept: unknown[] = [];
  for (const value of values) {
    if (budget.nodesLeft <= 0) return [...kept, "…"];
    kept.push(clip(value, budget));
  }
  return kept;
}

function clipRecord(record: object, budget: Budget): Record<string, unknown> {
  const kept: [string, unknown][] = [];
  for (const [key, value] of Object.entries(record)) {
    if (budget.nodesLeft <= 0) {
      kept.push(["…", "…"]);
      break;
    }
    kept.push([withoutNul(key.slice(0, maxTextLength)), clip(value, budget)]);
  }
  return Object.fromEntries(kept);
}
