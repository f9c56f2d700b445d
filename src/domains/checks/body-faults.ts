import { kinds } from "../../kinds/index.ts";
import { KnownError } from "../../platform/errors.ts";
import { findCheckFaults } from "./check.ts";
import { parseUnknownCheck } from "./check-bodies.ts";
import { mergeCheckSettings } from "./check-settings.ts";

/**
 * Returns why `POST /v1/checks` would reject a body, or `null`. What the body refers to (group,
 * channels, locations) is not checked.
 */
export function findBodyFault(body: unknown): string | null {
  try {
    const { type, input } = parseUnknownCheck(body);
    const settings = mergeCheckSettings(kinds[type], null, input);
    const [fault] = findCheckFaults({ kind: type, settings }, null);
    return fault === undefined ? null : `${fault.key} ${fault.rule}`;
  } catch (error) {
    if (error instanceof KnownError) return error.message;
    throw error;
  }
}
