import type { Assertion } from "../assertions/assertion.ts";
import type { HttpDocument } from "./http-sources.ts";

/** Length of a body that is parsed or searched in a fraction of a millisecond. */
const maxSmallLength = 16_384;
/** Text length × expression length. Expressions with repetition counts are estimated higher. */
const maxRegexWork = 100_000;

/**
 * Whether the assertions take at most about a millisecond, so that the measuring thread can
 * evaluate them itself. More expensive ones go to the evaluation thread.
 */
export function isCheap(assertions: readonly Assertion[], { text }: HttpDocument): boolean {
  return assertions.every(({ source, property, regex }) => {
    if (source === "STATUS_CODE" || source === "RESPONSE_TIME") return true;
    const pattern = regex || (source === "TEXT_BODY" ? property : "");
    if (pattern !== "" && !isCheapPattern(pattern, text)) return false;
    if (source === "HEADERS") return true;
    if (text.length > maxSmallLength) return false;
    return source === "TEXT_BODY" || isCheapPath(property);
  });
}

function isCheapPattern(pattern: string, text: string): boolean {
  return !pattern.includes("{") && pattern.length * (text.length + 1) <= maxRegexWork;
}

/** Filters multiply the work, and each descendant segment visits the whole document. */
function isCheapPath(path: string): boolean {
  return !path.includes("?") && path.split("..").length <= 2 && path.split("*").length <= 3;
}
