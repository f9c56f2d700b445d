import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, lchown, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { childEnvironment } from "./child.ts";
import { isAlive } from "./data-lock.ts";
import { commandAs, type Operator } from "./operator.ts";

/** Who must own the files for PostgreSQL to accept them. */
function ownerOf(operator: Operator): number | null {
  return operator.kind === "dedicated-user" ? operator.uid : (process.getuid?.() ?? null);
}

async function chownTree(folder: string, uid: number): Promise<void> {
  await chown(folder, uid, uid);
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    await lchown(join(entry.parentPath, entry.name), uid, uid);
  }
}

/** A folder made by another operator, or restored from a backup, is handed over. */
export async function ensureOwner(folder: string, operator: Operator): Promise<void> {
  const wanted = ownerOf(operator);
  const { uid: owner } = await stat(folder);
  if (wanted === null || owner === wanted) return;
  if (process.getuid?.() !== 0) {
    throw new Error(
      `The data folder ${folder} belongs to user ${owner}, and this is user ${wanted}.\n` +
        `Run \`chown -R ${wanted} ${folder}\` as root, or choose another DATA_DIR.`,
    );
  }
  await chownTree(folder, wanted);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function runInitdb(initdb: string, folder: string, operator: Operator): Promise<void> {
  const list = [
    `--pgdata=${folder}`,
    "--username=postgres",
    "--auth=trust",
    "--encoding=UTF8",
    // The locale of the binary itself: an upgrade of the machine's libraries re-sorts no index.
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--no-instructions",
  ];
  const as = commandAs(operator, { file: initdb, arguments: list, isInit: true });
  const child = spawn(as.file, as.arguments, {
    ...as.identity,
    cwd: "/",
    stdio: ["ignore", "pipe", "pipe"],
    env: childEnvironment,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-4_000);
    });
  }
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`PostgreSQL could not create its data folder:\n${output}`);
}

/** Created aside and renamed when whole, so that a kill half-way leaves nothing half-made. */
export async function ensureCluster(
  initdb: string,
  folder: string,
  operator: Operator,
): Promise<void> {
  if (await exists(join(folder, "PG_VERSION"))) return;
  const unfinished = `${folder}.init`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  if (operator.kind === "dedicated-user") {
    await chown(unfinished, operator.initUid, operator.initUid);
  }
  await runInitdb(initdb, unfinished, operator);
  if (operator.kind === "dedicated-user") await chownTree(unfinished, operator.uid);
  await chmod(unfinished, 0o700);
  await rm(folder, { recursive: true, force: true });
  await rename(unfinished, folder);
}

async function readCommandLine(pid: number): Promise<string> {
  return readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
}

/** A PostgreSQL that outlived its server, and the server's watcher too, is stopped in good order. */
export async function stopOrphan(folder: string): Promise<void> {
  const lines = await readFile(join(folder, "postmaster.pid"), "utf8").catch(() => "");
  const pid = Number.parseInt(lines, 10);
  if (!Number.isInteger(pid) || pid <= 1 || !isAlive(pid)) return;
  if (!(await readCommandLine(pid)).includes(folder)) return;
  process.kill(pid, "SIGINT");
  for (let waitedMs = 0; isAlive(pid); waitedMs += 50) {
    if (waitedMs === 10_000) process.kill(pid, "SIGQUIT");
    if (waitedMs > 20_000) {
      throw new Error(`The PostgreSQL process ${pid} of ${folder} does not stop. End it first.`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
