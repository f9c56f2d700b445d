import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fillCache, orderWarmUp } from "../runner/compile-caches.ts";
import { runScript, type ScriptTask } from "../runner/run-script.ts";
import { limitFolder, measureFolder } from "./limit-folder.ts";
import { cacheName, type PreparedSuite } from "./prepare-suite.ts";

/** Runs the code that most tests use, so that it is compiled before the first of them. */
const spec = `const { expect, test } = require("@playwright/test");
test("warm up", async ({ page, request }) => {
  await request.get("http://127.0.0.1:1/").catch(() => {});
  await page.setContent("<button>ready</button>");
  await page.getByRole("button").click();
  await expect(page.getByText("ready")).toBeVisible();
});
`;

const projectName = "project";

/** Packages of a suite are compiled in a second or two, to a few megabytes. */
const maxCacheBytes = 64 * 2 ** 20;

type Machine = Omit<ScriptTask, "order" | "cache" | "prepared" | "snapshots">;

/**
 * Runs a test of ours with the packages of a suite and stores the code that Node.js compiles for
 * it. Later runs, in each process that runs tests, load it and cannot change it. Without it they
 * only cost more, so nothing fails if the packages cannot run the test.
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
    // Packages may fill the cache with anything, so its size is limited.
    limitFolder(cache.folder, maxCacheBytes, (signal) => {
      const order = orderWarmUp({ script: "", suite: own });
      return runScript({ ...machine, order, prepared, cache, signal });
    }),
  );
  return { bytes: await measureFolder(folder) };
}
