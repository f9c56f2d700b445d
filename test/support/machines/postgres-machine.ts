/** A real PostgreSQL with a separate data folder, which can be killed, paused and restarted. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../../src/platform/embedded-postgres/index.ts";
import { createLog } from "../../../src/platform/log.ts";
import { waitUntil } from "../time/wait-until.ts";

/**
 * Settings without durability. Only processes are killed, never the machine, so the kernel retains
 * all written data.
 */
const settings = { fsync: "off", full_page_writes: "off", autovacuum: "off" };

function listChildren(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, "utf8");
        return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]) === parent;
      } catch {
        return false;
      }
    })
    .map(Number);
}

export class PostgresMachine {
  readonly name = "postgres";
  readonly #postgres: EmbeddedPostgres;
  #restarts = 0;
  #paused: number[] = [];

  private constructor(postgres: EmbeddedPostgres) {
    this.#postgres = postgres;
  }

  static async start(dataDir: string): Promise<PostgresMachine> {
    const postgres = await startEmbeddedPostgres({
      dataDir,
      log: createLog("silent"),
      onRestart: () => {
        machine.#restarts += 1;
      },
      onAbandoned: (error) => {
        throw error;
      },
    });
    const machine = new PostgresMachine(postgres);
    const client = new pg.Client({ ...postgres.connection, user: "postgres" });
    await client.connect();
    for (const [name, value] of Object.entries(settings)) {
      await client.query(`alter system set ${name} = '${value}'`);
    }
    await client.query("select pg_reload_conf()");
    await client.end();
    return machine;
  }

  get socketPath(): string {
    return join(this.#postgres.connection.host, ".s.PGSQL.5432");
  }

  get connection(): EmbeddedPostgres["connection"] {
    return this.#postgres.connection;
  }

  /**
   * Stops PostgreSQL, with SIGKILL or gracefully, and waits until its supervisor has restarted it.
   */
  async restart(signal: "SIGKILL" | "SIGINT"): Promise<void> {
    const before = this.#restarts;
    process.kill(this.#postgres.pid(), signal);
    await waitUntil("PostgreSQL is back", () => this.#restarts > before);
  }

  pause(): void {
    const { pid } = { pid: this.#postgres.pid() };
    this.#paused = [pid, ...listChildren(pid)];
    this.#signal("SIGSTOP");
  }

  resume(): void {
    this.#signal("SIGCONT");
    this.#paused = [];
  }

  #signal(signal: "SIGSTOP" | "SIGCONT"): void {
    for (const pid of this.#paused) {
      try {
        process.kill(pid, signal);
      } catch {
        // The process may have exited in the meantime.
      }
    }
  }

  async stop(): Promise<void> {
    this.resume();
    await this.#postgres.stop();
  }
}
