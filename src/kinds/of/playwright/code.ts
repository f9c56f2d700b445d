import { BoundedMap } from "../../../platform/bounded-map.ts";
import { readArchive } from "../../../sandbox/suites/archive.ts";
import { explainForeignLock } from "../../../sandbox/suites/suite.ts";
import type { KindCode } from "../../kit/definition.ts";
import type { SuiteSettings } from "./request.ts";

/**
 * Cache of validation results by key, because every deployment sends the keys of all its suites
 * again.
 */
const known = new BoundedMap<string, string | null>(500);

/**
 * Returns why the packages of uploaded code can never be installed; `null` if no reason is known.
 * Called on deployment, so that the error is reported before the first run.
 */
async function findFault(key: string, load: () => Promise<Buffer | null>): Promise<string | null> {
  const remembered = known.get(key);
  if (remembered !== undefined) return remembered;
  const content = await load();
  if (content === null) return null;
  const archive = await readArchive(content);
  const paths = "fault" in archive ? [] : archive.files.map(({ path }) => path);
  const explained = explainForeignLock(paths);
  const rule = explained && `names code that cannot run: ${explained.replace(/\.$/, "")}`;
  known.set(key, rule);
  return rule;
}

/** Describes the uploaded code of test suites. */
export const suiteCode: KindCode<SuiteSettings> = {
  field: "codeBundlePath",
  path: "$.codeBundlePath",
  keys: ({ codeBundlePath }) => (codeBundlePath === null ? [] : [codeBundlePath]),
  findFault,
};
