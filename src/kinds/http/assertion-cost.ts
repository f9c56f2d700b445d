import type { Assertion } from "../assertions/assertion.ts";
import type { HttpDocument } from "./http-sources.ts";

/** Characters of a body that take a fraction of a millisecond to parse or to search. */
const maxSmallLength = 16_384;
/** Characters of a text times those of an expression; expressions with counts may be larger. */
const maxRegexWork = 100_000;

/**
 * Whether the assertions of a run are evaluated within about a millisecond, so that the thread that
 * measures may do it itself. Anything that may cost more goes to the evaluation thread.
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

/** Filters multiply, and each descendant segment visits the whole document. */
function isCheapPath(path: string): boolean {
  return !path.includes("?") && path.split("..").length <= 2 && path.split("*").length <= 3;
}
