import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fillCache, orderWarmUp } from "../runner/compile-caches.ts";
import { runScript, type ScriptTask } from "../runner/run-script.ts";
import { limitFolder, measureFolder } from "./limit-folder.ts";
import { cacheName, type PreparedSuite } from "./prepare-suite.ts";

/** Test that executes the code which most tests use, so that this code is compiled in advance. */
const spec = `const { expect, test } = require("@playwright/test");
test("warm up", async ({ page, request }) => {
  await request.get("http://127.0.0.1:1/").catch(() => {});
  await page.setContent("<button>ready</button>");
  await page.getByRole("button").click();
  await expect(page.getByText("ready")).toBeVisible();
});
`;

const projectName = "project";

/**
 * Maximum size of compiled code. The compiled code of usual packages has a few megabytes, and
 * compiling takes a second or two.
 */
const maxCacheBytes = 64 * 2 ** 20;

type Machine = Omit<ScriptTask, "order" | "cache" | "prepared" | "snapshots">;

/**
 * Runs Vedette's warm-up test with the packages of a suite and stores the code that Node.js
 * compiles. Later runs load this code but cannot change it. A missing cache only makes runs slower,
 * so a failure of the test is ignored.
 */
export async function warmUpSuite(
  { suite, mounts }: PreparedSuite,
  machine: Machine,
  folder: string,
): Promise<{ readonly bytes: number }> {
  const project = join(folder, projectName);
  mkdirSync(project, { mode: 0o755 });
  writeFileSync(join(project, "warm.spec.js"), spec);
  const cache = { folder: join(folder, cacheName), isNew: true };
  mkdirSync(cache.folder, { mode: 0o755 });
  const own = { ...suite, values: [], configPath: null, workingDir: "" };
  const prepared: PreparedSuite = {
    ...{ suite: own, code: folder, packages: "", links: [], mounts, cache },
    config: { path: null, folder: ".", isModule: false },
    release: () => {},
  };
  await fillCache(cache.folder, machine, () =>
    // Limits the size of the cache, because packages of users can write any data to the cache.
    limitFolder(cache.folder, maxCacheBytes, (signal) => {
      const order = orderWarmUp({ script: "", suite: own });
      return runScript({ ...machine, order, prepared, cache, signal });
    }),
  );
  return { bytes: await measureFolder(folder) };
}
