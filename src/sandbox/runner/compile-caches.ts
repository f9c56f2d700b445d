import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { findUserId, type Isolation } from "../isolation/sandbox.ts";
import type { InstalledRuntime } from "../runtimes/installed.ts";
import type { ScriptOrder, ScriptRequest } from "../script-run.ts";
import { makeUnfinishedSync, removeUnfinished } from "../unfinished.ts";
import { runScript, type ScriptTask } from "./run-script.ts";
import { machineSlots } from "./slots.ts";

type WarmUp = Omit<ScriptTask, "order" | "cache">;

/**
 * Scripts that fill the cache of a runtime. Only these scripts can write to the cache, because
 * scripts of all accounts execute the cached code.
 */
const warmUpScripts = [
  `import { test, expect } from "@playwright/test";
test("warm up", async ({ request }) => {
  await test.step("request", async () => {
    await request.get("http://127.0.0.1:1/").catch(() => {});
    expect([1]).toHaveLength(1);
    await expect(async () => expect({ a: 1 }).toEqual({ a: 1 })).toPass();
  });
});`,
  `for (const name of ["axios", "chai", "lodash", "moment", "playwright", "uuid"]) {
  try { require(name); } catch {}
}
fetch("http://127.0.0.1:1/").catch(() => {});`,
] as const;

const warmUpMs = 120_000;
const recordName = "runtime";

/**
 * Caches compiled code of the runtimes' packages, which almost halves the CPU time of a script with
 * Playwright. The cache of a runtime is filled after the first run in this runtime, so that filling
 * the cache delays no result.
 */
export class CompileCaches {
  readonly #folder: string;
  readonly #attempted = new Set<string>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Removes unfinished caches of killed processes. Call this before the first cache is written. */
  removeUnfinished(): Promise<void> {
    return removeUnfinished(this.#folder);
  }

  /** Returns the folder of a complete and current cache; `null` if there is none. */
  find(runtime: InstalledRuntime, isolation: Isolation): string | null {
    const folder = this.#place(runtime, isolation);
    try {
      const isCurrent = readFileSync(join(folder, recordName), "utf8") === identify(runtime);
      return isCurrent ? folder : null;
    } catch {
      return null;
    }
  }

  /**
   * Fills a cache that is missing or outdated. Each process makes only one attempt, because scripts
   * also run without a cache, only slower.
   */
  async warmUp(task: WarmUp): Promise<void> {
    const place = this.#place(task.runtime, task.isolation);
    if (this.#attempted.has(place) || this.find(task.runtime, task.isolation) !== null) return;
    this.#attempted.add(place);
    mkdirSync(this.#folder, { recursive: true });
    const folder = makeUnfinishedSync(this.#folder);
    try {
      await fillCache(folder, task, async () => {
        for (const script of warmUpScripts) {
          const order = orderWarmUp({ script });
          await runScript({ ...task, order, cache: { folder, isNew: true } });
        }
      });
      writeFileSync(join(folder, recordName), identify(task.runtime));
      rmSync(place, { recursive: true, force: true });
      renameSync(folder, place);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  #place({ name }: InstalledRuntime, isolation: Isolation): string {
    return join(this.#folder, `${name}-${isolation}`);
  }
}

/**
 * Makes a folder writable for the scripts that `run` executes. Afterwards, all scripts can read the
 * folder, but no script can change it.
 */
export async function fillCache(
  folder: string,
  { isolation, slot }: Pick<WarmUp, "isolation" | "slot">,
  run: () => Promise<unknown>,
): Promise<void> {
  const userId = findUserId(isolation, slot);
  if (userId !== null) chownSync(folder, userId, userId);
  await run();
  if (userId !== null) shareWithAllSlots(folder, { isolation, slot });
}

/**
 * Returns an identifier that changes with every installation of a runtime. Within one installation,
 * Node.js itself checks whether cached code matches its file.
 */
export function identify({ folder, nodePath }: InstalledRuntime): string {
  return `${folder} ${statSync(nodePath).ctimeMs}`;
}

const noRequest: ScriptRequest = {
  runtime: null,
  script: "",
  scriptPath: null,
  dependencies: [],
  timeoutMs: warmUpMs,
};

export function orderWarmUp(own: Pick<ScriptRequest, "script" | "suite">): ScriptOrder {
  const request = { ...noRequest, ...own };
  const deadlineAtMs = Date.now() + warmUpMs;
  return { runId: "warm-up", accountId: "warm-up", request, variables: {}, deadlineAtMs };
}

/**
 * Makes a cache readable for all scripts. Scripts that run in parallel run as different users, and
 * Node.js stores compiled code in a folder that only its own user can read. Symbolic links in the
 * cache are deleted and not followed, because packages of a suite may have created links to any
 * file.
 */
function shareWithAllSlots(
  folder: string,
  { isolation, slot }: Pick<WarmUp, "isolation" | "slot">,
): void {
  const ownUser = process.getuid?.() ?? 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    lchownSync(path, ownUser, ownUser);
    if (entry.isDirectory()) chmodSync(path, 0o755);
    else if (entry.isFile()) chmodSync(path, 0o644);
    else rmSync(path, { force: true });
  }
  lchownSync(folder, ownUser, ownUser);
  chmodSync(folder, 0o755);
  const ending = `-${findUserId(isolation, slot)}`;
  for (const name of readdirSync(folder).filter((one) => one.endsWith(ending))) {
    for (let other = 0; other < machineSlots; other += 1) {
      const link = name.replace(/\d+$/, String(findUserId(isolation, other)));
      if (other !== slot) symlinkSync(name, join(folder, link));
    }
  }
}
