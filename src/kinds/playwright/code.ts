import { BoundedMap } from "../../platform/bounded-map.ts";
import type { KindCode } from "../definition.ts";
import { readArchive } from "../scripts/suites/archive.ts";
import { explainForeignLock } from "../scripts/suites/suite.ts";
import type { SuiteSettings } from "./request.ts";

/** By key, which names the content. Every deployment names the code of all of its suites. */
const known = new BoundedMap<string, string | null>(500);

/** Reports code whose packages can never be installed when it is deployed, not when it runs. */
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

/** The code of suites. */
export const suiteCode: KindCode<SuiteSettings> = {
  field: "codeBundlePath",
  path: "$.codeBundlePath",
  keys: ({ codeBundlePath }) => (codeBundlePath === null ? [] : [codeBundlePath]),
  findFault,
};
