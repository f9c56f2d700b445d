/**
 * Rejects wording that CONTRIBUTING's writing rules replace: in comments, in the text of string
 * literals that people read, and in the documentation. Prints `path:line: phrase → replacement`.
 *
 * node test/support/project/check-words.ts            everything
 * node test/support/project/check-words.ts src/kinds  one folder or file
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "./source-files.ts";
import { findPhrases } from "./writing-rules.ts";

const folders = process.argv.slice(2);
const paths = globSync(
  ["{bin,src,test,bench}/**/*.ts", "web/**/*.{ts,tsx,css}", "{.,docs/**}/*.md"],
  {
    cwd: projectFolder,
    exclude: ["web/dist/**", "web/api/schema.d.ts", "docs/decisions/**", "test/planner/**"],
  },
)
  .filter((path) => !path.includes("writing-rules"))
  .filter((path) => folders.length === 0 || folders.some((folder) => path.startsWith(folder)))
  .sort();

let count = 0;
for (const path of paths) {
  for (const { line, phrase, instead } of findPhrases(
    path,
    readFileSync(join(projectFolder, path), "utf8"),
  )) {
    count += 1;
    process.stdout.write(`${path}:${line}: "${phrase}": write ${instead}\n`);
  }
}
if (count > 0) {
  process.stdout.write(`${count} phrases depart from the writing rules (CONTRIBUTING.md).\n`);
  process.exitCode = 1;
}
